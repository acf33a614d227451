#include "uncertainty/score_column.hpp"

#include <fmt/format.h>

#include "plumb/data/check.hpp"
#include "plumb/data/option_name.hpp"
#include "plumb/metrics/ordered/ranking.hpp"
#include "plumb/metrics/ordered/risk_coverage.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {

std::vector<UncertaintyBin> bins_of(const ConfidenceColumn& column, const UncertaintyOptions& o) {
  std::vector<UncertaintyBin> bins = equal_mass_bins(column.view, o.bins.value_or(kEqualMassBins));
  if (o.coarsen > 0) return coarsen(bins, column.view, column.unit, column.units, o.coarsen);
  return bins;
}

OddsDesign odds_design(const ConfidenceColumn& column, const UncertaintyOptions& o) {
  OddsDesign out;
  out.rarer = !o.bins && o.coarsen == 0;
  if (out.rarer) out.outcome = rarer_outcome(column.view);
  return out;
}

std::vector<UncertaintyBin> odds_bins_of(const ConfidenceColumn& column, const OddsDesign& design,
                                         const UncertaintyOptions& o) {
  if (!design.rarer) return bins_of(column, o);
  if (design.outcome.bins < 2) return {};
  return rarer_outcome_bins(column.view, design.outcome);
}

OddsRatio odds_ratio(std::span<const UncertaintyBin> bins, const OddsDesign& design,
                     const UncertaintyOptions& o) {
  if (design.rarer && design.outcome.bins < 2) {
    OddsRatio none;
    const std::int64_t w = design.outcome.votes;
    const char* kind = design.outcome.right ? "right" : "wrong";
    none.eor = Estimate::undefined(
        w == 0
            ? fmt::format("every answer is {}: there are no odds", design.outcome.right ? "wrong" : "right")
            : fmt::format("{}; two bins of {} need {}: add items, or set ⟦bins⟧",
                          counted(w, std::string(kind) + " answer"), kVotesPerOddsBin, 2 * kVotesPerOddsBin));
    return none;
  }
  OddsRatio out = expected_odds_ratio(bins, base_of(bins, o), o.degenerate);
  if (design.rarer && out.eor && o.degenerate == Degenerate::pool && out.bins < 2)
    out.eor = Estimate::undefined(
        "all bins but one hold only right or only wrong answers: the measure separates them almost perfectly, and no finite odds ratio describes that; look at auroc");
  return out;
}

double base_of(std::span<const UncertaintyBin> bins, const UncertaintyOptions& o) {
  return o.base_rate ? *o.base_rate : base_accuracy(bins);
}

void bin_scores(std::span<const UncertaintyBin> bins, const UncertaintyOptions& o, Scores& out) {
  const double a = base_of(bins, o);
  out["binned_brier"] = binned_brier(bins);
  out["conditional_entropy"] = conditional_entropy(bins);
  out["kl"] = expected_score(bins, a, kl_score);
  out["auroc"] = binned_auroc(std::vector<UncertaintyBin>(bins.rbegin(), bins.rend()));
}

ColumnScores score_column(const ConfidenceColumn& column, const OddsDesign& design,
                          const UncertaintyOptions& o, int threads) {
  ColumnScores out;
  Estimate unbinned;
  RiskCoverage risk;
  parallel_blocks(4, 1, threads, [&](int, std::int64_t walk, std::int64_t) {
    if (walk == 0) out.bins = bins_of(column, o);
    if (walk == 3 && design.rarer) out.odds_bins = odds_bins_of(column, design, o);
    if (walk == 1) unbinned = auroc(column.view);
    if (walk == 2) risk = risk_coverage(column.view);
  });
  if (out.bins.empty()) return out;  // a replicate that drew nothing
  bin_scores(out.bins, o, out.scores);
  out.odds = odds_ratio(design.rarer ? out.odds_bins : out.bins, design, o);
  out.scores["eor"] = out.odds.eor;
  out.scores["auroc_unbinned"] = unbinned;
  out.scores["aurc"] = risk.aurc;
  out.scores["augrc"] = risk.augrc;
  return out;
}

void check_options(const UncertaintyOptions& o) {
  if (o.bins) check_bins(*o.bins);
  check_level(o.level);
  check_threads(o.threads);
  if (!(o.confidence == 0 || (o.confidence >= 0.5 && o.confidence < 1)))
    throw InputError("⟦confidence⟧ must be between 0.5 and 1, for example 0.95, or 0 for none, not " +
                     show(o.confidence));
  const auto count = [](const char* option, int value, int most) {
    if (value < 0 || value > most)
      throw InputError(opt(option) + " must be between 0 and " + std::to_string(most) + ", not " +
                       std::to_string(value));
  };
  count("bootstrap", o.bootstrap, 1'000'000);
  count("permutations", o.permutations, 1'000'000);
  count("suspects", o.suspects, 1'000'000);
  if (o.top != 1 && o.top != 5) throw InputError("⟦top⟧ must be 1 or 5, not " + std::to_string(o.top));
  for (const double t : o.targets)
    if (!(t > 0 && t <= 1))
      throw InputError("⟦targets⟧ must be accuracies above 0 and at most 1, not " + show(t));
  if (o.base_rate && !(*o.base_rate > 0 && *o.base_rate < 1))
    throw InputError("⟦base_rate⟧ must lie strictly between 0 and 1, not " + show(*o.base_rate));
  if (!(o.coarsen >= 0 && o.coarsen <= 1e6))
    throw InputError("⟦coarsen⟧ must be a relative error, for example 0.2, not " + show(o.coarsen));
}

}  // namespace plumb::detail
