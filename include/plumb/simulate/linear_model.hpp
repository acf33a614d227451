// The linear setting of Liu et al. 2022, appendix B: as many dimensions as items, one of which matters.
// Trained on it, a logistic regression first learns the probabilities and then memorises the labels.
#pragma once

#include <cstdint>
#include <vector>

namespace plumb {

struct LinearModelOptions {
  std::int64_t items = 500, dimension = 500;
  std::uint64_t seed = 0;
};

struct LinearModelData {
  std::vector<float> features;       ///< N x d, standard normal
  std::vector<double> truth;         ///< 1 / (1 + exp(-x_0)): theta* is the first basis vector, of norm 1
  std::vector<std::uint8_t> labels;  ///< 1 with probability truth
};

/// Item i depends on (seed, i) alone, and fewer dimensions are the first ones of more. The truth belongs to
/// the features as rounded to float32.
[[nodiscard]] LinearModelData simulate_linear_model(const LinearModelOptions& options);

}  // namespace plumb
