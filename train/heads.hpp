// What the last layer means.
#pragma once

#include <torch/torch.h>

#include "train/data.hpp"
#include "train/models.hpp"

namespace plumb::train {

enum class Head { softmax, sigmoid, gaussian, laplace };

/// "auto": sigmoid for two classes, softmax for more, gaussian for regression. InputError where the named
/// head does not fit the data.
[[nodiscard]] Head head_of(const std::string& name, Task task, std::int64_t classes);
/// Width of the last layer: K, 1, or two for each regression output.
[[nodiscard]] std::int64_t head_width(Head head, std::int64_t classes, std::int64_t outputs);
[[nodiscard]] bool is_regression(Head head);
/// Mean and deviation of each column of the training set's targets (1 where there is none), so that a network
/// learns the same whether they are years or days.
[[nodiscard]] Units units_of(Head head, const torch::Tensor& targets);

/// Probabilities as they go to files: N (sigmoid) or N x K (softmax), in double.
[[nodiscard]] torch::Tensor probabilities(Head head, const torch::Tensor& logits);

struct MeanVariance {
  torch::Tensor mean, variance;  ///< N x d, double; the Laplace scale b has variance 2 b^2
};
[[nodiscard]] MeanVariance mean_variance(Head head, const torch::Tensor& outputs);

/// S passes (S x N x d each) in one: mean, aleatoric = mean of the variances, epistemic = 1/S variance of the
/// means (Laves 2021, eq. 10).
struct PredictiveParts {
  torch::Tensor mean, aleatoric, epistemic;
};
[[nodiscard]] PredictiveParts predictive_parts(const torch::Tensor& means, const torch::Tensor& variances);

}  // namespace plumb::train
