// The expected odds ratio, and how bins with only right or only wrong answers are treated, whose odds
// are infinite.
#include <fmt/format.h>

#include <algorithm>

#include "plumb/data/check.hpp"
#include "plumb/uncertainty/bin_scores.hpp"

namespace plumb {

const char* degenerate_name(Degenerate d) {
  switch (d) {
    case Degenerate::pool:
      return "pool";
    case Degenerate::jeffreys:
      return "jeffreys";
    case Degenerate::error:
      return "error";
  }
  return "";
}

std::vector<UncertaintyBin> pool_one_sided(std::span<const UncertaintyBin> bins) {
  std::vector<UncertaintyBin> out;
  bool open = false;  // the last of `out` is one-sided and waits for the next
  for (const UncertaintyBin& b : bins) {
    if (open) {
      out.back().join(b);
    } else {
      out.push_back(b);
    }
    open = out.back().one_sided();
  }
  if (!open) return out;
  const UncertaintyBin rest = out.back();
  out.pop_back();
  if (!out.empty()) out.back().join(rest);
  return out;
}

OddsRatio expected_odds_ratio(std::span<const UncertaintyBin> bins, double a, Degenerate degenerate) {
  OddsRatio r;
  r.bins = std::ssize(bins);
  if (!(a > 0 && a < 1)) {
    r.eor = Estimate::undefined(fmt::format("every answer is {}: a base accuracy of {} has no odds",
                                            a > 0 ? "right" : "wrong", show(a)));
    return r;
  }
  if (degenerate == Degenerate::jeffreys) {
    const auto score = [&](const UncertaintyBin& b) {
      const double n = b.votes;
      return odds_ratio_score((n * b.accuracy() + 0.5) / (n + 1), a);
    };
    double sum = 0;
    double mass = 0;
    for (const UncertaintyBin& b : bins) {
      sum += b.mass * score(b);
      mass += b.mass;
    }
    r.eor = sum / mass;
    return r;
  }
  if (degenerate == Degenerate::error) {
    const auto bad =
        std::find_if(bins.begin(), bins.end(), [](const UncertaintyBin& b) { return b.one_sided(); });
    r.eor = bad == bins.end() ? Estimate(expected_score(bins, a, odds_ratio_score))
                              : Estimate::undefined(fmt::format(
                                    "bin {} of {} has only {} answers; use fewer bins or ⟦degenerate⟧ pool",
                                    bad - bins.begin(), bins.size(), bad->hits > 0 ? "right" : "wrong"));
    return r;
  }
  const std::vector<UncertaintyBin> pooled = pool_one_sided(bins);
  if (pooled.empty()) {  // a base rate was given, but all answers are right or all wrong
    r.eor = Estimate::undefined("every answer is right, or every answer is wrong: there are no odds");
    return r;
  }
  r.bins = std::ssize(pooled);
  r.pooled_bins = std::ssize(bins) - r.bins;
  r.eor = expected_score(pooled, a, odds_ratio_score);
  return r;
}

}  // namespace plumb
