// GCC 12 takes the moved-from alternatives of a variant for uninitialised (GCC bug 105562).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "plumb/data/check.hpp"
#include "plumb/report/uncertainty.hpp"

namespace plumb {
namespace {

Value maybe(const std::optional<double>& x) {
  Value out;
  if (x && std::isfinite(*x)) out.emplace<double>(*x);
  return out;
}
Value finite(double x) { return maybe(x); }

Tree metric(const MetricResult& m) {
  Tree::Members out;
  out.emplace_back("value", maybe(m.value));
  if (!m.value) out.emplace_back("why", Value(m.why));
  if (m.low) out.emplace_back("low", Value(*m.low));
  if (m.high) out.emplace_back("high", Value(*m.high));
  if (!m.interval.empty()) out.emplace_back("interval", Value(m.interval));
  if (m.null_mean) out.emplace_back("null_mean", Value(*m.null_mean));
  if (m.p_value) out.emplace_back("p_value", Value(*m.p_value));
  return out;
}

Tree bin(const UncertaintyBin& b, double mass, double base, bool counted) {
  Tree::Members out;
  if (counted) {
    out.emplace_back("low", finite(b.low));
    out.emplace_back("high", finite(b.high));
    out.emplace_back("items", Value(b.items));
    out.emplace_back("votes", Value(b.votes));
  }
  out.emplace_back("weight", Value(b.mass / mass));
  out.emplace_back("accuracy", Value(b.accuracy()));
  std::optional<double> odds;
  if (base > 0 && base < 1) odds = odds_ratio_score(b.accuracy(), base);
  out.emplace_back("odds_ratio", maybe(odds));
  if (counted) {
    out.emplace_back("error", maybe(b.error));
    out.emplace_back("relative_error", maybe(b.relative_error()));
  }
  return out;
}

Tree thresholds(const Thresholds& t) {
  Tree::List out;
  for (const Threshold& cut : t.cuts) {
    Tree::Members row;
    row.emplace_back("target", Value(cut.target));
    row.emplace_back("threshold", maybe(cut.value));
    row.emplace_back("share", Value(cut.share));
    row.emplace_back("accuracy", maybe(cut.accuracy));
    out.emplace_back(std::move(row));
  }
  return out;
}

Tree deferral(const std::vector<DeferralPoint>& points) {
  Tree::List out;
  for (const DeferralPoint& p : points) {
    Tree::Members row;
    row.emplace_back("handed_over", Value(p.handed_over));
    row.emplace_back("threshold", finite(p.threshold));
    row.emplace_back("accuracy", Value(p.accuracy));
    out.emplace_back(std::move(row));
  }
  return out;
}

Tree measure(const MeasureResult& m, double base) {
  Tree::Members out;
  if (!m.why.empty()) {
    out.emplace_back("why", Value(m.why));
    return out;
  }
  for (const auto& [key, value] : m.scores) out.emplace_back(key, metric(value));
  out.emplace_back("pooled_bins", Value(m.pooled_bins));
  const bool counted = m.name != "histogram";
  if (counted) {
    out.emplace_back("doubtful_bins", Value(m.doubtful_bins));
    out.emplace_back("thresholds", thresholds(m.thresholds));
    Tree::Members rest;
    rest.emplace_back("share", Value(m.thresholds.rest_share));
    rest.emplace_back("accuracy", maybe(m.thresholds.rest_accuracy));
    out.emplace_back("rest", std::move(rest));
    out.emplace_back("deferral", deferral(m.deferral));
  }
  double mass = 0;
  for (const UncertaintyBin& b : m.bins) mass += b.mass;
  Tree::List bins;
  for (const UncertaintyBin& b : m.bins) bins.push_back(bin(b, mass, base, counted));
  out.emplace_back("bins", std::move(bins));
  return out;
}

Value class_value(std::int64_t k, const ItemNames& names) {
  if (names.classes.empty()) return k;
  return names.classes[k];
}

Value id_value(std::int64_t row, const ItemNames& names) {
  if (names.ids.empty()) return row;
  return names.ids.name(row);
}

/// A spreadsheet takes what begins with one of these for a formula; an apostrophe says that it is text.
std::string no_formula(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const bool formula = text.find_first_of("=+-@\t\r") == 0 && !(error == std::errc{} && stop == end);
  return formula ? "'" + text : text;
}

std::string quoted(const std::string& name) {
  const std::string text = no_formula(name);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

Tree measures_section(const UncertaintyResult& r) {
  Tree::Members out;
  for (const MeasureResult& m : r.measures) out.emplace_back(m.name, measure(m, r.base));
  return out;
}

Tree suspects_section(const UncertaintyResult& r, const ItemNames& names,
                      const std::vector<std::string>& pictures) {
  Tree::List out;
  for (const Suspect& s : r.suspects) {
    Tree::Members row;
    row.emplace_back("id", id_value(s.row, names));
    row.emplace_back("row", Value(s.row));
    row.emplace_back("label", class_value(s.label, names));
    row.emplace_back("prediction", class_value(s.prediction, names));
    row.emplace_back("agreement", Value(s.agreement));
    row.emplace_back("score", finite(s.score));
    if (out.size() < pictures.size() && !pictures[out.size()].empty())
      row.emplace_back("image", Value(pictures[out.size()]));
    out.emplace_back(std::move(row));
  }
  return out;
}

std::string suspects_csv(const UncertaintyResult& r, const ItemNames& names) {
  const auto name = [&](std::int64_t k) {
    return names.classes.empty() ? std::to_string(k) : quoted(names.classes[k]);
  };
  std::string out = "id,row,label,prediction,agreement,score\n";
  for (const Suspect& s : r.suspects)
    out += fmt::format("{},{},{},{},{},{}\n",
                       names.ids.empty() ? std::to_string(s.row) : quoted(names.ids.name(s.row)), s.row,
                       name(s.label), name(s.prediction), show(s.agreement), show(s.score));
  return out;
}

}  // namespace plumb
