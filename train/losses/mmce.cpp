#include "train/losses/mmce.hpp"

#include "train/losses/classification.hpp"

namespace plumb::train::functional {

torch::Tensor mmce_squared(const torch::Tensor& logits, const torch::Tensor& votes, double width) {
  const torch::Tensor p = log_probabilities(logits).exp();
  const auto [r, top] = p.max(1);
  const torch::Tensor n = votes.sum(1);
  const torch::Tensor hits = votes.gather(1, top.unsqueeze(1)).squeeze(1);
  const torch::Tensor voted = n > 0;
  const torch::Tensor residual = torch::where(voted, hits / n.clamp_min(1e-12) - r, torch::zeros_like(r));
  const torch::Tensor kernel = torch::exp(-(r.unsqueeze(0) - r.unsqueeze(1)).abs() / width);
  const torch::Tensor items = voted.sum().to(r.scalar_type()).clamp_min(1);
  return torch::matmul(residual, torch::matmul(kernel, residual)) / (items * items);
}

torch::Tensor mmce_loss(const torch::Tensor& logits, const torch::Tensor& votes,
                        const MmceLossOptions& options) {
  // The root has no slope at 0: below 1e-12 the penalty is flat.
  const torch::Tensor root = mmce_squared(logits, votes, options.width()).clamp_min(1e-12).sqrt();
  return soft_cross_entropy(logits, votes) + options.beta() * root;
}

}  // namespace plumb::train::functional
