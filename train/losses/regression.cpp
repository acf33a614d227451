#include "train/losses/regression.hpp"

#include <numbers>

namespace plumb::train::functional {
namespace {

// Mean and logarithm of the spread, d columns each.
std::pair<torch::Tensor, torch::Tensor> parts(const torch::Tensor& outputs, const torch::Tensor& targets,
                                              const RegressionLossOptions& options) {
  TORCH_CHECK(outputs.dim() == 2 && targets.dim() == 2 && outputs.size(1) == 2 * targets.size(1),
              "a regression head has two outputs for each target");
  const auto both = outputs.chunk(2, 1);
  return {both[0], both[1].clamp_min(options.floor())};
}

}  // namespace

torch::Tensor gaussian_nll(const torch::Tensor& outputs, const torch::Tensor& targets,
                           const RegressionLossOptions& options) {
  const auto [mean, s] = parts(outputs, targets, options);
  const double constant = std::log(2 * std::numbers::pi);
  // The error is divided before it is squared: targets of 1e20 have squares beyond float32.
  return 0.5 * (constant + s + ((targets - mean) * torch::exp(-0.5 * s)).square()).mean();
}

torch::Tensor laplace_nll(const torch::Tensor& outputs, const torch::Tensor& targets,
                          const RegressionLossOptions& options) {
  const auto [mean, s] = parts(outputs, targets, options);
  return (std::numbers::ln2 + s + (targets - mean).abs() * torch::exp(-s)).mean();
}

}  // namespace plumb::train::functional
