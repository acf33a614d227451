#include "evaluate/verdict.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "plumb/data/check.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb::detail {
namespace {

constexpr double kNear = 0.8;  // of the tolerance: an error this large or larger is too close to tell from it

constexpr double kAffordable = 1e5;  // replicates; a level that needs more is not supported

/// Units at which rare outcomes alone prove a calibrated model's error below the tolerance: where a share
/// `expected` of outcomes is the less likely one, (upper bound of n expected) / n - expected <= tolerance.
double needed_for_rare(double expected, double tolerance, double level) {
  double n = 1;
  while (n < 1e15 && poisson_upper(expected * n, level) / n - expected > tolerance) n *= 1.02;
  return n;
}

/// Units below which nothing is trusted, however small the error: n items in which something never happened
/// leave it a share of log(1 / (1 - level)) / n, the rule of three. Groups are few, but each has many items.
double fewest_units(const Evidence& e) {
  return e.grouped ? double{kEnoughUnits}
                   : std::max(double{kEnoughUnits}, -std::log(1 - e.level) / e.tolerance);
}

}  // namespace

Verdict decide(const Evidence& e) {
  Verdict v;
  v.tolerance = e.tolerance;
  v.unit = e.grouped ? "groups" : "items";
  v.estimate = e.estimate;
  v.low = e.low;
  v.high = e.high;
  v.p_value = e.p_value;
  const double alpha = (1 - e.level) * (1 + 1e-9);  // 1 - 0.9 is a little less than 0.1
  if (1.0 / (e.draws + 1.0) > alpha) {
    v.verdict = "cannot tell";
    const double enough = std::max(200.0, std::ceil(1 / alpha));
    v.why = counted(e.draws, "replicate") + " cannot reach this level: give " +
            (enough <= kAffordable ? "⟦bootstrap⟧ " + std::to_string(static_cast<int>(enough))
                                   : std::string("⟦level⟧ 0.95"));
    return v;
  }
  if (e.grouped && e.units < kEnoughUnits) {
    v.verdict = "cannot tell";
    v.why = fmt::format("{} cannot show how much groups differ by chance; a verdict needs {}",
                        counted(e.units, "group"), kEnoughUnits);
    v.needed = static_cast<std::int64_t>(std::ceil(e.needed));
    return v;
  }
  if (e.high < e.tolerance && static_cast<double>(e.units) >= fewest_units(e)) {
    v.verdict = "trustworthy";
    return v;
  }
  if (e.p_value && *e.p_value <= alpha && e.estimate > e.tolerance) {
    v.verdict = "off";
    v.certain = e.low > e.tolerance;
    return v;
  }
  v.verdict = "cannot tell";
  if (e.estimate >= kNear * e.tolerance || e.needed <= static_cast<double>(e.units)) {
    v.why = "the error is too close to the tolerance";
  } else {
    v.needed = static_cast<std::int64_t>(std::ceil(e.needed));
    v.why = counted(e.units, e.grouped ? "group" : "item") + (e.units == 1 ? " is" : " are") + " too few";
  }
  return v;
}

std::string rare_outcome_warning(double observed, double forecast, bool binary, double tolerance) {
  const bool event = observed <= 0.5;  // is the rarer outcome
  const double share = event ? observed : 1 - observed;
  if (share >= tolerance) return "";
  const std::string what = binary ? "the rarer outcome" : event ? "right answers" : "wrong answers";
  // A fifth of the share: then forecasts of the rarer outcome may be wrong by about 20%.
  const double fifth = (share > 0 ? share : event ? forecast : 1 - forecast) / 5;
  const std::string smaller =
      fifth > 0 ? fmt::format("⟦tolerance⟧ {:.1g}", fifth) : std::string("a smaller ⟦tolerance⟧");
  return fmt::format(
             "the tolerance is larger than the share of {} ({:.2g}%), so this says little about {}: {}", what,
             100 * share, binary ? "it" : "them", binary && event ? "see oe_ratio, or " : "") +
         "give " + smaller;
}

Verdict no_verdict(double tolerance) {
  Verdict none;
  none.tolerance = tolerance;
  none.why = "a verdict needs replicates: give ⟦bootstrap⟧ 200";
  return none;
}

Verdict judge(const Inference& inference, std::optional<double> omnibus, int asked,
              const EvaluateOptions& options) {
  const SampleSize& size = inference.size();
  Verdict none = no_verdict(options.tolerance);
  none.unit = size.grouped ? "groups" : "items";
  if (asked == 0) {
    if (inference.event_total().items == 1) none.why = "one item cannot show whether a model is calibrated";
    return none;
  }
  if (!inference.event()) {
    none.verdict = "cannot tell";
    none.why = "there is only " + counted(size.units, size.grouped ? "group" : "item") + " to evaluate";
    return none;
  }
  const BinNoise& bins = *inference.event();
  const MetricResult corrected = inference.corrected();
  Evidence e{options.level, options.tolerance, options.bootstrap, size.units, size.grouped};
  e.estimate = *corrected.value;
  e.low = *corrected.low;
  // If the error is small by luck, few draws lie below it: more of them are needed for a bound. Luck that
  // even a calibrated model rarely has proves no more than the edge of it.
  const BinNoise many = size.single() ? with_more_draws(bins, 5000) : bins;
  const double bound = cls_bound(many, e.level, lucky_value(many));
  e.high = std::min(std::max(bound, inference.rare_bound(e.level)), inference.largest());
  e.p_value = omnibus;
  const double units = static_cast<double>(size.units), ratio = null_cls_bound(bins, e.level) / e.tolerance;
  e.needed =
      std::max({units * ratio * ratio, fewest_units(e),
                units / size.effective * needed_for_rare(inference.rare_expected(), e.tolerance, e.level)});
  Verdict out = decide(e);
  if (out.verdict == "trustworthy") {
    const Bin total = inference.event_total();
    const double w = total.w.value();
    out.why =
        rare_outcome_warning(total.wy.value() / w, total.wp.value() / w, inference.binary(), e.tolerance);
  }
  return out;
}

}  // namespace plumb::detail
