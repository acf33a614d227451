// What a block of items adds to the sums, computed once and used by every replicate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/regression/column.hpp"
#include "plumb/regression/sums.hpp"

namespace plumb::detail {

/// Of one output: one value an item.
struct OutputTerms {
  std::vector<double> sigma, abs_err, err2, abs_z, z2, log_variance, crps;
  std::vector<double> finite_z;  ///< abs_z without the infinite ones; empty when there are none
  std::vector<double> scratch;
  std::span<const double> variance;
  std::size_t degenerate = 0;
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

/// Adds a block. `multiplier`: what each item counts (its weight, times the draws of a resample); empty: one
/// each.
void add_block(const BlockTerms& terms, std::span<const double> multiplier, RegressionSums& sums);

}  // namespace plumb::detail
