// A histogram given by the user: the paper's examples, or another tool's bins.
#include <fmt/format.h>

#include "plumb/data/check.hpp"
#include "plumb/metrics/ordered/risk_coverage.hpp"
#include "uncertainty/score_column.hpp"

namespace plumb {

UncertaintyResult score_histogram(const std::vector<double>& w, const std::vector<double>& p,
                                  const UncertaintyOptions& options) {
  detail::check_options(options);
  check_same_rows("w", std::ssize(w), "p", std::ssize(p));
  if (options.degenerate == Degenerate::jeffreys)
    throw InputError(
        "⟦degenerate⟧ jeffreys needs counts, which a histogram of w and p does not have; use pool");
  std::vector<UncertaintyBin> bins;
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (!(w[i] >= 0 && w[i] <= kMaxWeight))
      throw InputError(
          fmt::format("⟦histogram⟧: w is {} in row {}; a weight must lie in [0, 1e12]", show(w[i]), i));
    if (!(p[i] >= 0 && p[i] <= 1))
      throw InputError(
          fmt::format("⟦histogram⟧: p is {} in row {}; a probability must lie in [0, 1]", show(p[i]), i));
    if (w[i] == 0) continue;
    UncertaintyBin b;
    b.low = b.high = i;
    b.mass = w[i];
    b.hits = p[i] == 1 ? w[i] : w[i] * p[i];
    bins.push_back(b);
  }
  if (bins.empty())
    throw InputError("⟦histogram⟧: all weights are zero; give at least one bin a positive weight");

  UncertaintyResult out;
  out.accuracy = base_accuracy(bins);
  out.base = detail::base_of(bins, options);
  Scores scores;
  detail::bin_scores(bins, options, scores);
  scores["auroc"] = binned_auroc(bins);  // rows are given from least to most confident
  const OddsRatio odds = expected_odds_ratio(bins, out.base, options.degenerate);
  scores["eor"] = odds.eor;
  std::vector<double> score, hits, weight;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    score.push_back(i);
    hits.push_back(bins[i].accuracy());
    weight.push_back(bins[i].mass);
  }
  const RiskCoverage risk = risk_coverage({score, hits, {}, weight, {}, false});
  scores["aurc"] = risk.aurc;
  scores["augrc"] = risk.augrc;

  MeasureResult m;
  m.name = "histogram";
  for (const char* key : detail::kUncertaintyKeys) {
    const auto at = scores.find(key);
    if (at == scores.end()) continue;
    MetricResult value;
    value.value = at->second.value;
    value.why = at->second.why;
    m.scores.emplace_back(key, value);
  }
  m.eor_bins = odds.bins;
  m.pooled_bins = odds.pooled_bins;
  m.bins = std::move(bins);
  out.measures.push_back(std::move(m));
  return out;
}

}  // namespace plumb
