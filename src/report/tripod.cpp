#include "plumb/report/tripod.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "data/shared/csv_field.hpp"

namespace plumb {
namespace {

struct TripodTopic {
  const char* name;
  std::vector<std::string_view> keys;
};

/// In the order of a paper: discrimination, calibration, overall.
const std::vector<TripodTopic>& tripod_topics() {
  static const std::vector<TripodTopic> all{
      {"discrimination", {"auroc", "auprc", "dsc"}},
      {"calibration",
       {"oe_ratio", "calibration_intercept", "calibration_slope", "ici", "e50", "e90", "emax", "ece",
        "ece_corrected", "mcb", "cox_score", "spiegelhalter_z", "hosmer_lemeshow"}},
      {"overall performance", {"brier", "ipa", "nll", "accuracy"}}};
  return all;
}

std::string text_of(double x, bool exact) { return exact ? fmt::format("{}", x) : fmt::format("{:.3f}", x); }

TripodRow performance_row(const char* topic, const std::string& key, const MetricResult& m, bool exact) {
  TripodRow row{"23a", topic, key, "", "", "", m.interval, m.why};
  if (m.value) row.value = text_of(*m.value, exact);
  if (m.low && m.high) {
    row.low = text_of(*m.low, exact);
    row.high = text_of(*m.high, exact);
  } else if (m.value) {
    row.note = m.interval_why;
  }
  if (m.p_value) row.note += (row.note.empty() ? "" : "; ") + fmt::format("p = {:.3f}", *m.p_value);
  return row;
}

/// Events: the weighted frequency of the event over the bins times the votes.
double event_share(const Result& r) {
  double weight = 0, events = 0;
  for (const auto& [name, t] : r.tables) {
    if (name != "reliability") continue;
    const auto column = [&columns = t.columns](const char* c) {
      return std::find(columns.begin(), columns.end(), c) - columns.begin();
    };
    for (const auto& row : t.rows) {
      const double* y = std::get_if<double>(&row[column("mean_y")]);
      const double w = std::get<double>(row[column("weight")]);
      if (y == nullptr) continue;
      weight += w;
      events += w * *y;
    }
  }
  return weight > 0 ? events / weight : 0;
}

void add_decisions(const Result& r, bool exact, std::vector<TripodRow>& out) {
  for (const auto& [name, t] : r.tables) {
    if (name != "thresholds") continue;
    for (const auto& row : t.rows) {
      const auto entry = [&, &columns = t.columns](const std::string& column) -> std::string {
        const auto at = std::find(columns.begin(), columns.end(), column) - columns.begin();
        const double* x = at < std::ssize(row) ? std::get_if<double>(&row[at]) : nullptr;
        return x != nullptr ? text_of(*x, exact) : "";
      };
      const std::string where = fmt::format("at a threshold of {:g}", std::get<double>(row.front()));
      for (const std::string measure : {"sensitivity", "specificity", "ppv", "npv"})
        out.push_back({"23a", "classification", measure, entry(measure), entry(measure + "_low"),
                       entry(measure + "_high"), entry(measure + "_low").empty() ? "" : "wilson", where});
      out.push_back({"23a", "clinical utility", "net_benefit", entry("net_benefit"), entry("net_benefit_low"),
                     entry("net_benefit_high"), entry("net_benefit_low").empty() ? "" : "percentile",
                     where + "; treating everyone: " + entry("treat_all")});
    }
  }
}

void add_slices(const Result& r, bool exact, std::vector<TripodRow>& out) {
  for (const GroupResult& g : r.per_group)
    for (const std::string_view key : {"auroc", "brier", "ece"})
      for (const auto& [name, value] : g.metrics) {
        if (name != key || !value) continue;
        TripodRow row{"23a", "subgroup " + g.by + " = " + g.group, name, text_of(*value, exact), "", "",
                      "",    fmt::format("{} items", g.items)};
        for (const auto& [bounded, interval] : g.intervals) {
          if (bounded != key) continue;
          row.low = text_of(interval.low, exact);
          row.high = text_of(interval.high, exact);
        }
        out.push_back(std::move(row));
      }
}

std::vector<TripodRow> rows_of(const Result& r, bool exact) {
  std::vector<TripodRow> out;
  const auto count = [&](const char* measure, std::int64_t n) {
    out.push_back({"21", "participants and events", measure, std::to_string(n), "", "", "", ""});
  };
  count("items", r.items);
  if (r.votes != r.items) count("votes", r.votes);
  out.push_back({"21", "participants and events", "share of votes for the event",
                 text_of(event_share(r), exact), "", "", "", r.task == "binary" ? "class 1" : "top label"});
  for (const TripodTopic& topic : tripod_topics())
    for (const std::string_view key : topic.keys)
      for (const auto& [name, m] : r.metrics)
        if (name == key) out.push_back(performance_row(topic.name, name, m, exact));
  add_decisions(r, exact, out);
  add_slices(r, exact, out);
  return out;
}

constexpr const char* kTripodHeader[] = {"item", "topic", "measure",  "value",
                                         "low",  "high",  "interval", "note"};

std::vector<std::string> tripod_fields(const TripodRow& r) {
  return {r.item, r.topic, r.measure, r.value, r.low, r.high, r.interval, r.note};
}

std::string html_text(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

}  // namespace

std::vector<TripodRow> tripod_rows(const Result& result) { return rows_of(result, true); }

std::string tripod_csv(const Result& result) {
  std::string out = fmt::format("{}\n", fmt::join(kTripodHeader, ","));
  for (const TripodRow& row : rows_of(result, true)) {
    std::vector<std::string> line;
    for (const std::string& f : tripod_fields(row)) line.push_back(detail::csv_field(f));
    out += fmt::format("{}\n", fmt::join(line, ","));
  }
  return out;
}

std::string tripod_html(const Result& result) {
  std::string out =
      "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Performance, as TRIPOD+AI asks for it</title>\n"
      "<table>\n<tr>";
  for (const char* h : kTripodHeader) out += fmt::format("<th>{}</th>", h);
  out += "</tr>\n";
  for (const TripodRow& row : rows_of(result, false)) {
    out += "<tr>";
    for (const std::string& f : tripod_fields(row)) out += "<td>" + html_text(f) + "</td>";
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

}  // namespace plumb
