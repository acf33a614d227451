// Likelihoods of regression heads (Laves 2021): outputs are N x 2d, the means first, then the logarithms of
// the variance (Gaussian) or of the scale b (Laplace). Means over items and outputs, constants included, so
// that the numbers are those of `nll` and `nll_laplace`.
#pragma once

#include <torch/torch.h>

namespace plumb::train {

/// log sigma^2 and log b of standardised targets are held above this, so that one item fitted exactly cannot
/// pull the loss to minus infinity.
inline constexpr double kLowestSpread = -20;

struct RegressionLossOptions {
  /// The same for raw outputs; a Network does it before it converts its outputs to the units of the targets.
  TORCH_ARG(double, floor) = kLowestSpread;
};

namespace functional {

/// mean of (log 2 pi + s + (y - mu)^2 exp(-s)) / 2, s = log sigma^2.
[[nodiscard]] torch::Tensor gaussian_nll(const torch::Tensor& outputs, const torch::Tensor& targets,
                                         const RegressionLossOptions& options = {});
/// mean of log 2 + s + |y - mu| exp(-s), s = log b.
[[nodiscard]] torch::Tensor laplace_nll(const torch::Tensor& outputs, const torch::Tensor& targets,
                                        const RegressionLossOptions& options = {});

}  // namespace functional

}  // namespace plumb::train
