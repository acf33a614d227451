// The headlines in plain words. Percentages are rounded for reading;
// the exact numbers are in the table and the JSON.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "plumb/report/terminal.hpp"
#include "report/look_up.hpp"
#include "report/rounded.hpp"
#include "report/text_table.hpp"
#include "report/verdict_words.hpp"
#include "report/words.hpp"

namespace plumb {
namespace {

using detail::Claim;
using detail::find;
using detail::Sentence;
using detail::value_of;

constexpr double kSameScore = 0.005;  ///< scores closer than half a percent read as equal

/// "31.0%"; rare events with as many digits as tell them apart: "0.12%".
std::string share_text(double share) {
  return share > 0 && share < 0.01 ? fmt::format("{:.2g}%", 100 * share)
                                   : fmt::format("{:.1f}%", 100 * share);
}
/// Two shares with as many digits as tell them apart: "30.04%", "30.01%".
std::pair<std::string, std::string> shares_apart(double a, double b) {
  std::pair<std::string, std::string> out{share_text(a), share_text(b)};
  for (int digits = 2; a != b && out.first == out.second && digits <= 9; ++digits)
    out = {fmt::format("{:.{}f}%", 100 * a, digits), fmt::format("{:.{}f}%", 100 * b, digits)};
  return out;
}
std::string points(double share) { return fmt::format("{:.1f}", 100 * share); }

struct Means {
  double forecast, outcome;
};

// Totals over the event's bins: mean forecast and share of votes where it happened, weighted as the bins are.
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
    const double* bin_w = std::get_if<double>(&row[w]);
    const double* bin_p = std::get_if<double>(&row[p]);
    const double* bin_y = std::get_if<double>(&row[y]);
    if (bin_w == nullptr || bin_p == nullptr || bin_y == nullptr) continue;  // an empty bin
    weight += *bin_w;
    forecast += *bin_w * *bin_p;
    outcome += *bin_w * *bin_y;
  }
  if (!(weight > 0)) return std::nullopt;
  return Means{forecast / weight, outcome / weight};
}

bool several_votes(const Result& r) { return !r.consensus.empty() || r.votes > r.items; }

std::string class_called(const Result& r, std::int64_t k) {
  return k < std::ssize(r.class_names) ? detail::printable(r.class_names[k], 40) : fmt::format("class {}", k);
}

/// Too few replicates for any p-value to reach 1 - level allow no statement.
bool decides(const Result& r, double replicates) {
  return 1.0 / (1.0 + replicates) <= 1 - detail::setting<double>(r, "level", 0.95);
}

bool trusted(const Result& r) { return r.verdict.verdict == "trustworthy"; }

/// A tolerance larger than the share of the events is met by forecasts that are wrong by a factor.
bool tolerance_hides_events(const Result& r) { return trusted(r) && !r.verdict.why.empty(); }

std::string within_tolerance(const Result& r) {
  if (!trusted(r)) return "";
  return std::string(", though within the tolerance") +
         (tolerance_hides_events(r) ? ", which is wide for so rare an outcome" : "");
}

bool rejected(const Result& r) {
  return r.verdict.p_value && *r.verdict.p_value <= 1 - detail::setting<double>(r, "level", 0.95);
}

void slope(const Result& r, std::vector<Sentence>& out) {
  const MetricResult* m = find(r.metrics, "calibration_slope");
  if (m == nullptr || !m->value || !m->low || !m->high) return;
  if (*m->low <= 1 && 1 <= *m->high) return;
  // Its bootstrap interval is too short with few groups or uneven weights;
  // the omnibus test must reject as well.
  if (!rejected(r)) return;
  // Nor does it cover with few events: shifted forecasts of slope 1 were called too extreme or not extreme
  // enough in 14% of sets with 5 events and in 9% with 11.
  constexpr double kFewEvents = 30;
  const auto shares = means(r);
  if (shares && std::min(shares->outcome, 1 - shares->outcome) * static_cast<double>(r.votes) < kFewEvents)
    return;
  const bool extreme = *m->high < 1;
  using detail::factor_text_beside;
  Sentence s{
      fmt::format(
          "The forecasts are {}{}: the calibration slope is {} ({} interval {} to {}); a calibrated model has 1.",
          extreme ? "too extreme" : "not extreme enough", within_tolerance(r),
          factor_text_beside(*m->value, 1), detail::level_text(r),
          factor_text_beside(*m->low, 1, detail::Round::down),
          factor_text_beside(*m->high, 1, detail::Round::up)),
      {extreme ? Claim::too_extreme : Claim::too_timid}};
  if (trusted(r)) s.claims.push_back(Claim::within_tolerance);
  out.push_back(std::move(s));
}

// No claim: the test of the mean is in mean_words.
void events_ratio(const Result& r, std::vector<Sentence>& out) {
  const MetricResult* m = find(r.metrics, "oe_ratio");
  if (!tolerance_hides_events(r) || m == nullptr || !m->value || !m->low || !m->high) return;
  using detail::factor_text;
  out.push_back(
      {fmt::format("There are {} times as many events as forecast ({} interval {} to {}).",
                   factor_text(*m->value), detail::level_text(r), factor_text(*m->low, detail::Round::down),
                   factor_text(*m->high, detail::Round::up))});
}

// No claim: whether an error is chance is decided by the verdict, which uses more than this statistic.
void calibration_error(const Result& r, std::vector<Sentence>& out) {
  const MetricResult* m = find(r.metrics, "ece");
  if (m == nullptr || !m->value) return;
  std::string text = fmt::format(
      "Forecasts and frequencies differ by {} points on average over the bins (ECE)", points(*m->value));
  if (m->null_mean)
    text += fmt::format("; a calibrated model would show {} points by chance", points(*m->null_mean));
  out.push_back({text + "."});
}

/// A model that is right less often than guessing most likely has its columns in another order.
void class_order(const Result& r, std::vector<Sentence>& out) {
  const MetricResult* m = find(r.metrics, "accuracy");
  if (m == nullptr || !m->value || r.classes < 2 || r.items == 0) return;
  const double guess = 1.0 / static_cast<double>(r.classes);
  const double error = std::sqrt(guess * (1 - guess) / static_cast<double>(r.items));
  if (trusted(r) || (m->high ? *m->high >= guess : *m->value >= guess - 3 * error)) return;
  out.push_back(
      {fmt::format(
           "The accuracy of {} is below the {} of guessing: check that the columns of the predictions are in the order of the class labels.",
           share_text(*m->value), share_text(guess)),
       {Claim::below_guessing}});
}

void scores(const Result& r, std::vector<Sentence>& out) {
  if (const auto nll = value_of(r.metrics, "nll")) {
    out.push_back(
        {fmt::format("The model gives a probability of {} to {} (geometric mean; log-loss {:.4f}).",
                     share_text(std::exp(-*nll)),
                     several_votes(r) ? "the class that a rater chose" : "the observed class", *nll)});
  }
  const auto brier = value_of(r.metrics, "brier"), base = value_of(r.metrics, "brier_uncertainty");
  if (brier && base && *base > 0) {
    const double skill = 1 - *brier / *base;
    const std::string than =
        std::abs(skill) < kSameScore
            ? "about that"
            : fmt::format("{:.0f}% {} than that", 100 * std::abs(skill), skill > 0 ? "lower" : "higher");
    out.push_back({fmt::format(
        "The Brier score is {} of always forecasting the class frequencies ({:.4f} against {:.4f}).", than,
        *brier, *base)});
  }
  if (const auto auroc = value_of(r.metrics, "auroc")) {
    out.push_back(
        {r.task == "binary"
             ? fmt::format("The model ranks {} above {} in {} of pairs (AUROC).", class_called(r, 1),
                           class_called(r, 0), share_text(*auroc))
             : fmt::format("The model is more confident when right than when wrong in {} of pairs (AUROC).",
                           share_text(*auroc))});
  }
}

void several_raters(const Result& r, std::vector<Sentence>& out) {
  if (!several_votes(r) || r.items == 0) return;
  const auto accuracy = value_of(r.metrics, "accuracy"), agreement = value_of(r.metrics, "agreement");
  if (accuracy && agreement) {
    out.push_back({fmt::format(
        "With {:.1f} votes per item, the model agrees with the majority vote on {} of the items and with {} of the single votes.",
        1.0 * r.votes / r.items, share_text(*accuracy), share_text(*agreement))});
  }
  if (const auto raters = value_of(r.metrics, "rater_agreement")) {
    out.push_back({fmt::format("Two raters of the same item agree {} of the time.", share_text(*raters))});
  }
  const auto all = value_of(r.metrics, "ece"), majority = value_of(r.consensus, "ece");
  if (all && majority) {
    out.push_back(
        {fmt::format("Scored against the majority vote alone, the ECE would be {:.4f} instead of {:.4f}.",
                     *majority, *all)});
  }
}

void worst(const Result& r, std::vector<Sentence>& out) {
  for (const auto& [key, values] : r.per_class) {
    if (key != "ece_classwise" || values.size() < 3) continue;
    const auto at = std::max_element(values.begin(), values.end());  // nothing counts as smallest
    if (*at) {
      out.push_back({fmt::format("The class with the largest calibration error is {} (ECE {:.4f}).",
                                 class_called(r, at - values.begin()), **at)});
    }
  }
}

}  // namespace

namespace detail {

Sentence mean_words(const Result& r) {
  const auto m = means(r);
  if (!m) return {};
  const bool binary = r.task == "binary", votes = several_votes(r);
  const std::string name = binary ? class_called(r, 1) : "";
  const auto [expected, seen] = shares_apart(m->forecast, m->outcome);
  const std::string forecast = binary ? fmt::format("the mean forecast of {} is {}", name, expected)
                                      : fmt::format("the mean confidence is {}", expected);
  const std::string facts =
      forecast + (binary  ? fmt::format(", and {} of the {} are {}", seen, votes ? "votes" : "labels", name)
                  : votes ? fmt::format(", and {} of the votes agree with the prediction", seen)
                          : fmt::format(", and the accuracy is {}", seen));
  const auto capital = [](std::string text) {
    text[0] = 'T';
    return text + ".";
  };
  const MetricResult* gap = find(r.metrics, "mean_gap");
  const auto replicates = setting<std::int64_t>(r, "bootstrap", 0);
  if (gap == nullptr || !gap->p_value || !decides(r, static_cast<double>(replicates)))
    return {capital(facts)};
  const std::string p = p_text(*gap->p_value, replicates);
  const double alpha = 1 - setting<double>(r, "level", 0.95);
  // One of several tests that rejects is no proof where all of them together do not.
  if (*gap->p_value <= alpha && r.verdict.p_value && *r.verdict.p_value > alpha)
    return {capital(facts + "; this difference alone has " + p +
                    ", but the tests of calibration together do not reject (" +
                    p_text(*r.verdict.p_value, replicates) + ")")};
  if (*gap->p_value > alpha)
    return {capital(facts + "; chance may explain the difference (" + p + ")"), {Claim::mean_by_chance}};
  const bool high = m->forecast > m->outcome;
  const char* fault =
      binary ? (high ? "The forecasts are too high on average" : "The forecasts are too low on average")
             : (high ? "The model is over-confident on average" : "The model is under-confident on average");
  Sentence out{fmt::format("{}{}: {} ({}).", fault, within_tolerance(r), facts, p),
               {high ? Claim::too_high : Claim::too_low}};
  if (trusted(r)) out.claims.push_back(Claim::within_tolerance);
  return out;
}

std::vector<Sentence> result_sentences(const Result& r) {
  std::vector<Sentence> out;
  if (Sentence mean = mean_words(r); !mean.text.empty()) out.push_back(std::move(mean));
  events_ratio(r, out);
  slope(r, out);
  calibration_error(r, out);
  scores(r, out);
  several_raters(r, out);
  worst(r, out);
  class_order(r, out);
  return out;
}

}  // namespace detail

std::vector<std::string> plain_words(const Result& r, const Spelling& spelling) {
  std::vector<std::string> out;
  for (const Sentence& s : detail::result_sentences(r)) out.push_back(spell(s.text, spelling));
  return out;
}

std::string verdict_sentence(const Result& r, const Spelling& spelling) {
  return spell(detail::verdict_words(r).text, spelling);
}

}  // namespace plumb
