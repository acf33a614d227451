// Logistic regression with coefficients that stay at or above 0 and are shrunk to given ones: convex, a
// handful of unknowns, many rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/calibrate/step.hpp"

namespace plumb::detail {

/// score_i = offset + sum_j x_ij c_j; c_0 is free, the others are >= 0; penalty lambda sum_j
/// (c_j - target_j)^2.
struct MonotoneLogistic {
  std::vector<double> x;             ///< n x unknowns, row-major
  std::vector<double> hits, trials;  ///< times the weight
  std::vector<int> fold;             ///< empty, or the fold of each row
  double offset = 0;
  std::vector<double> target;

  /// Rows of `without` are left out (-1: none). Starts at `c` and writes the solution there. The objective is
  /// per vote. Sums go by blocks of rows in their order, for any number of threads.
  void minimise(double lambda, int without, int threads, std::vector<double>& c, FitReport& report) const;
  /// Log-loss summed over the votes of one fold, and their weight.
  [[nodiscard]] double held_out(int in_fold, int threads, std::span<const double> c) const;
};

}  // namespace plumb::detail
