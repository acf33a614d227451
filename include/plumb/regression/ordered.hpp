// The part that needs a sort: ence, the probability integral transform, rejection.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/metrics/estimate.hpp"
#include "plumb/regression/column.hpp"

namespace plumb {

/// Sorted columns of entries (item x output) and items; ties stand together, and no result
/// depends on their order.
struct OrderedRegression {
  // By variance of the entry.
  std::vector<double> variance, err2;
  std::vector<std::uint32_t> entry_item;
  // By probability integral transform Phi(z), z = (y - mean) / sigma.
  std::vector<double> pit;
  std::vector<std::uint32_t> pit_item;
  // By variance of the item, mean over its outputs.
  std::vector<double> item_variance, item_err2;
  std::vector<std::uint32_t> item;
  std::vector<double> weight;    ///< of each item, by row; empty: one each
  std::uint64_t degenerate = 0;  ///< entries without a z: then there is no pit
};

[[nodiscard]] OrderedRegression order_regression(const RegressionItems& items, double clip, int threads);

/// Weights of the items, by row: their own times how often a resample drew each. Empty spans: one.
struct ItemWeights {
  std::span<const double> weight;
  std::span<const std::uint32_t> times;
  [[nodiscard]] double weight_of(std::uint32_t item) const {
    const double w = weight.empty() ? 1.0 : weight[item];
    return times.empty() ? w : w * times[item];
  }
  [[nodiscard]] bool all_one() const { return weight.empty(); }  ///< sums in double are exact
};

/// Mean over the bins in use of |RMV - RMSE| / RMV on equal-mass bins of the variance (Levi 2019).
[[nodiscard]] Estimate ence(const OrderedRegression& columns, const ItemWeights& weights, int bins);

struct PitDistance {
  Estimate ks;    ///< sup over t of |F(t) - t|
  Estimate area;  ///< integral of |F(t) - t|
};
[[nodiscard]] PitDistance pit_distance(const OrderedRegression& columns, const ItemWeights& weights);
/// Weight share of targets inside the central interval of each level; empty when there is no pit.
[[nodiscard]] std::vector<double> central_coverage(const OrderedRegression& columns,
                                                   std::span<const double> levels);

/// Items whose variance exceeds the threshold are set aside.
struct RejectionRow {
  double threshold = 0, rejected = 0;  ///< share of weight
  std::int64_t kept = 0;
  double mse = 0;     ///< of the rest
  bool falls = true;  ///< not above the row before
};
/// About `rows` steps of equal shares, from nothing rejected; one row for each distinct threshold.
[[nodiscard]] std::vector<RejectionRow> rejection(const OrderedRegression& columns, int rows = 20);

}  // namespace plumb
