// Is this set like the reference set? Compares the distributions of the predicted variance.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/regression/column.hpp"
#include "plumb/result.hpp"

namespace plumb {

inline constexpr int kShiftBins = 30;  ///< of the histogram

struct Shift {
  /// Probability that an item has a larger variance than one of the reference; ties count half.
  double auroc = 0.5;
  double median = 0, reference_median = 0;
  std::int64_t items = 0, reference_items = 0;
  Table histogram;  ///< low, high (variance; bins of equal width in its logarithm), share, reference_share
};

/// Variance of each item, mean over its outputs; `bins` bins.
[[nodiscard]] Shift compare_uncertainty(std::span<const double> variance, std::span<const double> reference,
                                        int bins, int threads);
/// The variances of all items, in row order.
[[nodiscard]] std::vector<double> item_variances(const RegressionItems& items, double clip, int threads);
/// Adds section "shift" and table "shift_histogram".
void add_shift(const Shift& shift, Result& result);

}  // namespace plumb
