// The headlines in plain words. Percentages are rounded for reading; the exact numbers are in the table and
// the JSON.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "plumb/report/terminal.hpp"
#include "report/look_up.hpp"
#include "report/text_table.hpp"

namespace plumb {
namespace {

using detail::find;
using detail::value_of;

constexpr double kSameShare = 0.005;       ///< shares closer than half a point read as equal
constexpr double kSameSlope = 0.05;        ///< slopes this near 1 are not worth a sentence
constexpr std::int64_t kSlopeItems = 500;  ///< with fewer, a slope without an interval says nothing
constexpr double kStandardErrors = 2;      ///< a gap within so many is what chance does

std::string share_text(double share) { return fmt::format("{:.1f}%", 100 * share); }
std::string points(double share) { return fmt::format("{:.1f}", 100 * share); }

struct Means {
  double forecast, outcome;
};

// What the event's cells say together: mean forecast and share of votes where it happened, weighted as the
// cells are.
std::optional<Means> means(const Result& r) {
  const auto t =
      std::find_if(r.tables.begin(), r.tables.end(), [](const auto& x) { return x.first == "reliability"; });
  if (t == r.tables.end()) return std::nullopt;
  const auto column = [&](const char* name) {
    const auto& names = t->second.columns;
    return std::find(names.begin(), names.end(), name) - names.begin();
  };
  const std::int64_t w = column("weight"), p = column("mean_p"), y = column("mean_y");
  double weight = 0, forecast = 0, outcome = 0;
  for (const auto& row : t->second.rows) {
    if (std::max({w, p, y}) >= std::ssize(row)) return std::nullopt;
    const double* cell_w = std::get_if<double>(&row[w]);
    const double* cell_p = std::get_if<double>(&row[p]);
    const double* cell_y = std::get_if<double>(&row[y]);
    if (cell_w == nullptr || cell_p == nullptr || cell_y == nullptr) continue;  // an empty cell
    weight += *cell_w;
    forecast += *cell_w * *cell_p;
    outcome += *cell_w * *cell_y;
  }
  if (!(weight > 0)) return std::nullopt;
  return Means{forecast / weight, outcome / weight};
}

bool several_votes(const Result& r) { return !r.consensus.empty() || r.votes > r.items; }

std::string class_name(const Result& r, std::int64_t k) {
  return k < std::ssize(r.class_names) ? detail::printable(r.class_names[k], 40) : fmt::format("class {}", k);
}

/// How far the share of outcomes strays by chance; add-one keeps it above 0 for shares of 0 and 1.
double standard_error(double share, std::int64_t items) {
  const double n = items + 2.0;
  const double p = (share * items + 1) / n;
  return std::sqrt(p * (1 - p) / n);
}

void confidence(const Result& r, std::vector<std::string>& out) {
  const auto m = means(r);
  if (!m) return;
  const double gap = m->forecast - m->outcome;
  const bool chance = std::abs(gap) <= kStandardErrors * standard_error(m->outcome, r.items);
  const std::string says = share_text(m->forecast), is = share_text(m->outcome);
  if (r.task == "binary") {
    const std::string name = class_name(r, 1);
    const char* verdict = std::abs(gap) <= kSameShare ? "The model's forecasts are right on average"
                          : chance  ? "The forecasts are right on average, as far as these items tell"
                          : gap > 0 ? "The model forecasts too high"
                                    : "The model forecasts too low";
    out.push_back(fmt::format("{}: it expects {} in {} of cases, and {} are.", verdict, name, says, is));
    return;
  }
  const char* verdict = std::abs(gap) <= kSameShare ? "The model's confidence is right on average"
                        : chance  ? "The confidence is right on average, as far as these items tell"
                        : gap > 0 ? "The model is over-confident"
                                  : "The model is under-confident";
  if (several_votes(r)) {
    out.push_back(fmt::format("{}: it says {}, and {} of the votes agree.", verdict, says, is));
  } else {
    out.push_back(fmt::format("{}: it says {} and is right {} of the time.", verdict, says, is));
  }
}

void slope(const Result& r, std::vector<std::string>& out) {
  const MetricResult* m = find(r.metrics, "calibration_slope");
  if (m == nullptr || !m->value) return;
  const bool may_be_one = m->low && m->high ? *m->low <= 1 && 1 <= *m->high
                                            : std::abs(*m->value - 1) < kSameSlope || r.items < kSlopeItems;
  if (may_be_one) return;
  const char* verdict = *m->value < 1 ? "too extreme" : "too timid";
  out.push_back(fmt::format("Its forecasts are {}: the calibration slope is {:.2f}, and 1 is right.", verdict,
                            *m->value));
}

void calibration_error(const Result& r, std::vector<std::string>& out) {
  const MetricResult* m = find(r.metrics, "ece");
  if (m == nullptr || !m->value) return;
  std::string text =
      fmt::format("Its probabilities are off by {} points on average (ECE)", points(*m->value));
  if (m->null_mean && m->p_value) {
    const double level = detail::setting<double>(r, "level", 0.95);
    const auto replicates = detail::setting<std::int64_t>(r, "bootstrap", 0);
    if (replicates > 0 && 1.0 / (1.0 + replicates) > 1 - level) {
      out.push_back(text +
                    fmt::format("; ⟦bootstrap⟧ {} is too few to tell whether that is chance.", replicates));
      return;
    }
    const bool real = *m->p_value <= 1 - level;
    text += fmt::format("; a calibrated model would show {} here by chance, so this is {} (p = {:.2g}).",
                        points(*m->null_mean), real ? "real" : "no evidence against it", *m->p_value);
  } else if (r.command == "evaluate") {
    text += "; add ⟦bootstrap⟧ 200 to see how much of that is chance.";
  } else {
    text += ".";
  }
  out.push_back(text);
}

void scores(const Result& r, std::vector<std::string>& out) {
  const char* whose = several_votes(r) ? "votes" : "right answers";
  if (const auto nll = value_of(r.metrics, "nll")) {
    out.push_back(fmt::format("The {} got a probability of {} (geometric mean; log-loss {:.4f}).", whose,
                              share_text(std::exp(-*nll)), *nll));
  }
  const auto brier = value_of(r.metrics, "brier"), base = value_of(r.metrics, "brier_uncertainty");
  if (brier && base && *base > 0) {
    const double skill = 1 - *brier / *base;
    const std::string than =
        std::abs(skill) < kSameShare
            ? "about that"
            : fmt::format("{:.0f}% {} than that", 100 * std::abs(skill), skill > 0 ? "smaller" : "larger");
    out.push_back(
        fmt::format("Its squared error is {} of always forecasting the class frequencies "
                    "(Brier {:.4f} against {:.4f}).",
                    than, *brier, *base));
  }
  if (const auto auroc = value_of(r.metrics, "auroc")) {
    out.push_back(
        r.task == "binary"
            ? fmt::format("It ranks {} above {} in {} of pairs (AUROC).", class_name(r, 1), class_name(r, 0),
                          share_text(*auroc))
            : fmt::format("It is surer of a right answer than of a wrong one in {} of pairs (AUROC).",
                          share_text(*auroc)));
  }
}

void several_raters(const Result& r, std::vector<std::string>& out) {
  if (!several_votes(r) || r.items == 0) return;
  const auto accuracy = value_of(r.metrics, "accuracy"), agreement = value_of(r.metrics, "agreement");
  const double each = 1.0 * r.votes / r.items;
  if (accuracy && agreement) {
    out.push_back(fmt::format(
        "With {:.1f} votes per item, it matches the majority vote on {} of items and {} of single votes.",
        each, share_text(*accuracy), share_text(*agreement)));
  }
  if (const auto raters = value_of(r.metrics, "rater_agreement")) {
    out.push_back(
        fmt::format("Two raters of one item agree with each other in {} of cases.", share_text(*raters)));
  }
  const auto all = value_of(r.metrics, "ece"), majority = value_of(r.consensus, "ece");
  if (all && majority) {
    out.push_back(fmt::format(
        "Scored on the majority label alone the ECE would read {:.4f} instead of {:.4f}.", *majority, *all));
  }
}

void worst(const Result& r, std::vector<std::string>& out) {
  for (const auto& [key, values] : r.per_class) {
    if (key != "ece_classwise" || values.size() < 3) continue;
    const auto at = std::max_element(values.begin(), values.end());  // nothing counts as smallest
    if (*at) {
      out.push_back(fmt::format("The class with the largest calibration error is {} ({:.4f}).",
                                class_name(r, at - values.begin()), **at));
    }
  }
}

}  // namespace

std::vector<std::string> plain_words(const Result& r, const Spelling& spelling) {
  std::vector<std::string> out;
  confidence(r, out);
  slope(r, out);
  calibration_error(r, out);
  scores(r, out);
  several_raters(r, out);
  worst(r, out);
  for (std::string& sentence : out) sentence = spell(sentence, spelling);
  return out;
}

}  // namespace plumb
