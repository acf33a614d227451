// What a block of items adds to the sums, computed once and used by every replicate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/regression/column.hpp"
#include "plumb/regression/sums.hpp"
#include "regression/term_kernels.hpp"

namespace plumb::detail {

/// Of one output: one value per item.
struct OutputTerms {
  std::vector<double> sigma, abs_err, err2, abs_z, z2, log_variance, crps;
  std::vector<double> finite_z;  ///< abs_z without the infinite ones; empty when there are none
  std::vector<double> scratch;
  std::span<const double> variance;
  std::size_t degenerate = 0;  ///< entries without a usable z

  [[nodiscard]] bool has_z(std::int64_t i) const { return variance[i] > 0 && abs_z[i] < kMaxZ; }
};

struct BlockTerms {
  RegressionBlock block;
  std::vector<OutputTerms> output;
  std::uint64_t clipped = 0;
  // By item, mean over the outputs; spans into the above when there is one output.
  std::span<const double> variance, err2;
  std::vector<double> second;  ///< err2 + epistemic: the second moment of eq. 14; empty without parts
  std::span<const double> aleatoric;
  std::vector<double> mean_variance, mean_err2, mean_aleatoric;

  void read(const RegressionItems& items, std::int64_t begin, std::int64_t end, double clip);
};

/// Raises variances below `clip`; returns how many.
std::uint64_t raise_variances(RegressionBlock& block, double clip);
/// Mean over the outputs of a column that lies output by output, in `out` when there are several.
[[nodiscard]] std::span<const double> by_item(const RegressionBlock& block, std::span<const double> column,
                                              std::vector<double>& out);
/// Adds a block. `multiplier`: what each item counts (its weight, times the draws of a resample);
/// empty: one each.
void add_block(const BlockTerms& terms, std::span<const double> multiplier, RegressionSums& sums);

}  // namespace plumb::detail
