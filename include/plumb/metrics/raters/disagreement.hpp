// Will two raters differ? Forecasts of disagreement and their losses (Mimori 2021, section 4,
// appendix C, eq. 49 to 51).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/metrics/estimate.hpp"
#include "plumb/metrics/raters/label_histogram.hpp"
#include "plumb/metrics/raters/share_builder.hpp"

namespace plumb {

/// Column 0: the probability that two raters differ. Column 1 + k: that they differ about class k (one says
/// k, the other does not); binary tasks have column 0 alone, which is the probability of both classes too.
struct DisagreementForecast {
  std::size_t columns = 0;
  std::vector<double> p;  ///< size x columns
};

/// alpha_0 of items [begin, end); throws InputError naming file, row and value unless it is above 0.
void read_concentration(const Rows& rows, std::int64_t begin, std::int64_t end, std::vector<double>& out);

/// 1 - sum z_k^2 and 2 z_k (1 - z_k), times alpha_0 / (alpha_0 + 1) where a concentration is given (eq.
/// 49, 50).
void forecast_disagreement(const PredictionBlock& z, int classes, std::span<const double> concentration,
                           DisagreementForecast& out);
/// Adds one of S samples; the first call (sample 0) overwrites, the last (sample S - 1) divides by S
/// (eq. 51).
void add_sample_forecast(const PredictionBlock& z, int classes, std::span<const double> concentration,
                         int sample, int samples, DisagreementForecast& out);
/// From whatever the items have: one prediction or S samples; `concentration`: none, one for all samples, or
/// S columns. Buffers of `out` are kept between calls.
void forecast_disagreement(const Predictions& predictions, std::span<const Rows> concentration,
                           const ItemBlock& block, DisagreementForecast& out);

/// Bins of the overall column (first) and of the K class-wise ones (then; absent when binary).
[[nodiscard]] std::vector<BinEdges> disagreement_edges(int classes, const BinEdges& edges);

/// Column 0: the pairs of votes that differ, sum_k y_k (n - y_k) / (n (n - 1)); column 1 + k: those that
/// differ about class k. Items with fewer than two votes are left out.
void disagreement_terms(const ItemBlock& block, const DisagreementForecast& forecast,
                        std::span<const BinEdges> edges, ShareTerms& out);
/// The votes alone, for a block whose forecasts are there.
void disagreement_shares(const ItemBlock& block, const DisagreementForecast& forecast, ShareTerms& out);

/// Writes disagreement_loss, disagreement_cl_plugin, disagreement_cl, disagreement_ce and the class-wise
/// means disagreement_classwise_loss, _cl, _ce.
void finish_disagreement(const ShareTables& t, Scores& out);
/// disagreement_classwise_loss, _cl, _ce by class.
[[nodiscard]] ClassScores disagreement_classes(const ShareTables& t, int classes);

/// One bin of `disagreement_reliability`.
struct DisagreementRow {
  double low = 0, high = 0;
  std::uint64_t items = 0, votes = 0;
  double weight = 0;
  std::optional<double> mean_p, mean_y, gap;  ///< absent when the bin is empty; gap = mean_p - mean_y
};
[[nodiscard]] std::vector<DisagreementRow> disagreement_rows(const ShareTables& t);

}  // namespace plumb
