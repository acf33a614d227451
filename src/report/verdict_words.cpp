#include "report/verdict_words.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/look_up.hpp"
#include "report/paragraphs.hpp"
#include "report/rounded.hpp"

namespace plumb::detail {
namespace {

/// That of ece_corrected, which ece has too; the verdict's own upper bound is one-sided.
std::string ece_interval(const Result& r) {
  const MetricResult* m = find(r.metrics, "ece_corrected");
  if (m == nullptr) m = find(r.metrics, "ece");
  const bool known = m != nullptr && m->low && m->high;
  const std::optional<double>&low = known ? m->low : r.verdict.low, &high = known ? m->high : r.verdict.high;
  if (!low || !high) return "";
  return fmt::format(" ({} interval {} to {})", level_text(r), error_text(*low, Round::down),
                     error_text(*high, Round::up));
}

std::string needed_text(const Result& r) {
  const Verdict& v = r.verdict;
  if (!v.needed) return "";
  return fmt::format("; about {} {} would settle it for a calibrated model", thousands(*v.needed),
                     v.unit.empty() ? "items" : v.unit);
}

bool near_tolerance(const Verdict& v) {
  return v.estimate && (v.why.empty() || v.why.find("too close") != std::string::npos);
}

/// Far above the tolerance yet possibly chance: there are few items, and the required number is unknown.
bool explained_by_chance(const Result& r) {
  const Verdict& v = r.verdict;
  return v.verdict == "cannot tell" && r.task != "regression" && !v.needed && near_tolerance(v) &&
         *v.estimate > 1.5 * v.tolerance;
}

std::string probabilities_reason(const Result& r) {
  const Verdict& v = r.verdict;
  const std::string tolerance = fmt::format("tolerance of {:g}", v.tolerance);
  const std::string estimate = v.estimate ? error_text_beside(*v.estimate, v.tolerance) : "?";
  if (v.verdict == "trustworthy")
    return fmt::format("the ECE is at most {} with {} confidence, below the {}{}",
                       v.high ? error_text_beside(*v.high, v.tolerance, Round::up) : "?", level_text(r),
                       tolerance, v.why.empty() ? "" : ". But " + v.why);
  if (v.verdict == "off") {
    std::string out =
        fmt::format("the ECE is about {}{}, above the {}", estimate, ece_interval(r), tolerance);
    if (v.p_value)
      out += fmt::format(", and more than chance explains ({})",
                         p_text(*v.p_value, setting<std::int64_t>(r, "bootstrap", 0)));
    return out;
  }
  if (v.needed && v.high && *v.high > v.tolerance)
    return fmt::format("the ECE may be as large as {}, above the {}{}",
                       error_text_beside(*v.high, v.tolerance, Round::up), tolerance, needed_text(r));
  if (!near_tolerance(v)) return v.why + needed_text(r);
  if (explained_by_chance(r))
    return fmt::format("the ECE is about {}{}, but so few {} could show that by chance", estimate,
                       ece_interval(r), v.unit.empty() ? "items" : v.unit);
  return fmt::format("the ECE is about {}{}, too close to the {}", estimate, ece_interval(r), tolerance);
}

/// sqrt(zms): the errors over the predicted standard deviations. A tolerance of 1.1 allows 10% either way.
std::string deviations_reason(const Result& r) {
  const Verdict& v = r.verdict;
  const std::string tolerance = fmt::format("tolerance of {:g}", v.tolerance);
  if (!v.estimate) return v.why;
  const bool small = *v.estimate >= 1;
  const double factor = small ? *v.estimate : 1 / *v.estimate;
  const auto facing = [&](const std::optional<double>& x) { return small ? *x : 1 / *x; };
  const std::string interval = v.low && v.high && *v.low > 0 && *v.high > 0
                                   ? fmt::format(" ({} interval {} to {})", level_text(r),
                                                 factor_text(facing(small ? v.low : v.high), Round::down),
                                                 factor_text(facing(small ? v.high : v.low), Round::up))
                                   : "";
  if (v.verdict == "trustworthy") {
    const double most = v.low && v.high ? std::max(1 / *v.low, *v.high) : factor;
    return fmt::format(
        "the predicted standard deviations are right within a factor of {} with {} confidence, below the {}",
        factor_text_beside(most, v.tolerance, Round::up), level_text(r), tolerance);
  }
  const std::string size = fmt::format("too {} by a factor of about {}{}", small ? "small" : "large",
                                       factor_text_beside(factor, v.tolerance), interval);
  if (v.verdict == "off")
    return fmt::format("the predicted standard deviations are {}, above the {}", size, tolerance);
  const std::string range =
      v.low && v.high
          ? fmt::format("errors are {} to {} times the predicted standard deviations with {} confidence",
                        factor_text(*v.low, Round::down), factor_text(*v.high, Round::up), level_text(r))
          : "the interval is too wide";
  if (v.needed) return range + fmt::format(", and the tolerance is {:g}", v.tolerance) + needed_text(r);
  return range + ", too close to the " + tolerance;
}

std::string why_none(const Result& r) {
  if (r.command == "calibrate")
    return "a calibrator must be evaluated on data other than those it was fitted on";
  if (r.command == "merge") return "merged states hold no items to resample";
  if (r.command == "evaluate" && r.items == 1) return "one item cannot show whether a model is calibrated";
  if (r.command == "evaluate" && setting<std::int64_t>(r, "bootstrap", 0) == 0)
    return "without ⟦bootstrap⟧, miscalibration cannot be told from chance";
  return r.verdict.why.empty() ? "the values that it needs were not computed" : r.verdict.why;
}

bool judged(const Result& r) {
  return !r.verdict.verdict.empty() || !r.verdict.why.empty() ||
         ((r.command == "evaluate" || r.command == "merge" || r.command == "calibrate") &&
          !r.metrics.empty());
}

}  // namespace

// 0.9999999 is not 100%.
std::string level_text(double level) { return fmt::format("{:.12g}%", 100 * level); }
std::string level_text(const Result& r) { return level_text(setting<double>(r, "level", 0.95)); }

bool at_floor(double p, std::int64_t replicates) {
  // A closed form can lie below what the replicates can show.
  constexpr double kRounding = 1e-9;
  return replicates > 0 && std::abs(p * (1.0 + static_cast<double>(replicates)) - 1) <= kRounding;
}

std::string p_text(double p, std::int64_t replicates) {
  return at_floor(p, replicates) ? fmt::format("p <= {:.2g}", p) : fmt::format("p = {:.2g}", p);
}

std::string p_cell(double p, std::int64_t replicates) {
  constexpr double kSmallest = 0.0001;  // that four digits show
  if (p < kSmallest) return fmt::format("< {:.4f}", kSmallest);
  return at_floor(p, replicates) ? fmt::format("<= {:.4f}", p) : fmt::format("{:.4f}", p);
}

std::string_view verdict_name(const Verdict& v) {
  if (v.verdict == "trustworthy") return "Trustworthy";
  if (v.verdict == "off") return v.certain ? "Clearly off" : "Off";
  return v.verdict.empty() ? "No verdict" : "Cannot tell";
}

std::string verdict_reason(const Result& r) {
  if (r.verdict.verdict.empty()) return why_none(r);
  return r.task == "regression" ? deviations_reason(r) : probabilities_reason(r);
}

Sentence verdict_words(const Result& r) {
  if (!judged(r)) return {};
  Sentence out{fmt::format("{}: {}.", verdict_name(r.verdict), verdict_reason(r))};
  const std::string& v = r.verdict.verdict;
  if (v == "trustworthy") out.claims.push_back(Claim::trustworthy);
  if (v == "off") out.claims.push_back(Claim::off);
  if (v == "off" && r.task != "regression") out.claims.push_back(Claim::beyond_chance);
  if (v == "cannot tell") out.claims.push_back(Claim::undecided);
  if (explained_by_chance(r)) out.claims.push_back(Claim::by_chance);
  if (r.task == "regression" && v == "off" && r.verdict.estimate)
    out.claims.push_back(*r.verdict.estimate > 1 ? Claim::sigma_too_small : Claim::sigma_too_large);
  return out;
}

}  // namespace plumb::detail
