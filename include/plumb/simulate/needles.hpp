// Simulated tracking of needle tips: a regression with two outputs, passes of a stochastic network whose
// spread is too small, and a site where tracking fails. For the demo, the docs and tests that need a
// known truth.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumb {

struct NeedleOptions {
  std::int64_t items = 3000;
  std::uint64_t seed = 0;
  int passes = 10;
  double shrink = 0.5;  ///< predicted over true standard deviation; 1 would be calibrated
};

/// Columns have one row per item; outputs are x and y.
struct Needles {
  static constexpr int kOutputs = 2;
  std::int64_t items = 0;
  int passes = 0;
  std::vector<double> targets;                        ///< N x 2, millimetres
  std::vector<float> mean_samples, variance_samples;  ///< S x N x 2
  /// N x 2: mean of the passes, mean variance, 1/S variance of the means
  std::vector<double> mean, aleatoric, epistemic;
  std::vector<std::string> patient, site;  ///< N; twenty frames of each patient
};

/// Item i depends on (seed, i) alone.
[[nodiscard]] Needles simulate_needles(const NeedleOptions& options);
[[nodiscard]] Needles slice(const Needles& all, std::int64_t begin, std::int64_t end);

}  // namespace plumb
