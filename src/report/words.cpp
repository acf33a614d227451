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

constexpr double kSameShare = 0.005;  ///< shares closer than half a point read as equal
constexpr double kSameSlope = 0.05;   ///< slopes this near 1 are not worth a sentence

std::string percent(double share) { return fmt::format("{:.1f}%", 100 * share); }
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
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  const std::size_t w = column("weight"), p = column("mean_p"), y = column("mean_y");
  double weight = 0, forecast = 0, outcome = 0;
  for (const auto& row : t->second.rows) {
    if (std::max({w, p, y}) >= row.size()) return std::nullopt;
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

std::string class_name(const Result& r, std::size_t k) {
  return k < r.class_names.size() ? detail::printable(r.class_names[k], 40) : fmt::format("class {}", k);
}

void confidence(const Result& r, std::vector<std::string>& out) {
  const auto m = means(r);
  if (!m) return;
  const double gap = m->forecast - m->outcome;
  const std::string says = percent(m->forecast), is = percent(m->outcome);
  if (r.task == "binary") {
    const std::string name = class_name(r, 1);
    const char* verdict = gap > kSameShare    ? "The model forecasts too high"
                          : gap < -kSameShare ? "The model forecasts too low"
                                              : "The model's forecasts are right on average";
    out.push_back(fmt::format("{}: it expects {} in {} of cases, and {} are.", verdict, name, says, is));
    return;
  }
  const char* verdict = gap > kSameShare    ? "The model is over-confident"
                        : gap < -kSameShare ? "The model is under-confident"
                                            : "The model's confidence is right on average";
  if (several_votes(r)) {
    out.push_back(fmt::format("{}: it says {}, and {} of the votes agree.", verdict, says, is));
  } else {
    out.push_back(fmt::format("{}: it says {} and is right {} of the time.", verdict, says, is));
  }
}

void slope(const Result& r, std::vector<std::string>& out) {
  const MetricResult* m = find(r.metrics, "calibration_slope");
  if (m == nullptr || !m->value) return;
  const bool may_be_one =
      m->low && m->high ? *m->low <= 1 && 1 <= *m->high : std::abs(*m->value - 1) < kSameSlope;
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
    const bool real = *m->p_value <= 1 - detail::setting<double>(r, "level", 0.95);
    text += fmt::format("; a calibrated model would show {} here by chance, so this is {} (p = {:.2g}).",
                        points(*m->null_mean), real ? "real" : "no evidence against it", *m->p_value);
  } else if (r.command == "evaluate") {
    text += "; add --bootstrap 200 to see how much of that is chance.";
  } else {
    text += ".";
  }
  out.push_back(text);
}

void scores(const Result& r, std::vector<std::string>& out) {
  const char* whose = several_votes(r) ? "votes" : "right answers";
  if (const auto nll = value_of(r.metrics, "nll")) {
    out.push_back(fmt::format("The {} got a probability of {} (geometric mean; log-loss {:.4f}).", whose,
                              percent(std::exp(-*nll)), *nll));
  }
  const auto brier = value_of(r.metrics, "brier"), base = value_of(r.metrics, "brier_uncertainty");
  if (brier && base && *base > 0) {
    const double skill = 1 - *brier / *base;
    out.push_back(
        fmt::format("Its squared error is {:.0f}% {} than that of always forecasting the class frequencies "
                    "(Brier {:.4f} against {:.4f}).",
                    100 * std::abs(skill), skill >= 0 ? "smaller" : "larger", *brier, *base));
  }
  if (const auto auroc = value_of(r.metrics, "auroc")) {
    out.push_back(
        r.task == "binary"
            ? fmt::format("It ranks {} above {} in {} of pairs (AUROC).", class_name(r, 1), class_name(r, 0),
                          percent(*auroc))
            : fmt::format("It is surer of a right answer than of a wrong one in {} of pairs (AUROC).",
                          percent(*auroc)));
  }
}

void several_raters(const Result& r, std::vector<std::string>& out) {
  if (!several_votes(r) || r.items == 0) return;
  const auto accuracy = value_of(r.metrics, "accuracy"), agreement = value_of(r.metrics, "agreement");
  const double each = static_cast<double>(r.votes) / static_cast<double>(r.items);
  if (accuracy && agreement) {
    out.push_back(fmt::format(
        "With {:.1f} votes per item, it matches the majority vote on {} of items and {} of single votes.",
        each, percent(*accuracy), percent(*agreement)));
  }
  if (const auto raters = value_of(r.metrics, "rater_agreement")) {
    out.push_back(
        fmt::format("Two raters of one item agree with each other in {} of cases.", percent(*raters)));
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
      const auto k = static_cast<std::size_t>(at - values.begin());
      out.push_back(fmt::format("The class with the largest calibration error is {} ({:.4f}).",
                                class_name(r, k), **at));
    }
  }
}

}  // namespace

std::vector<std::string> plain_words(const Result& r) {
  std::vector<std::string> out;
  confidence(r, out);
  slope(r, out);
  calibration_error(r, out);
  scores(r, out);
  several_raters(r, out);
  worst(r, out);
  return out;
}

}  // namespace plumb
