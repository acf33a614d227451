#include "train/losses/classification.hpp"

namespace plumb::train::functional {
namespace {

torch::Tensor mean_over_votes(const torch::Tensor& terms, const torch::Tensor& votes) {
  // A batch without a single vote has loss 0, not 0/0.
  return (terms * votes).sum() / votes.sum().clamp_min(1e-12);
}

}  // namespace

torch::Tensor log_probabilities(const torch::Tensor& logits) {
  if (logits.dim() == 2 && logits.size(1) > 1) return torch::log_softmax(logits, 1);
  const torch::Tensor u = logits.reshape({-1});
  return torch::stack({torch::log_sigmoid(-u), torch::log_sigmoid(u)}, 1);
}

torch::Tensor soft_cross_entropy(const torch::Tensor& logits, const torch::Tensor& votes) {
  return mean_over_votes(-log_probabilities(logits), votes);
}

torch::Tensor focal_loss(const torch::Tensor& logits, const torch::Tensor& votes,
                         const FocalLossOptions& options) {
  const torch::Tensor logp = log_probabilities(logits);
  // 1 - p through expm1: p near 1 keeps its digits. The clamp keeps x^(gamma - 1) finite at x = 0.
  const torch::Tensor rest = (-torch::expm1(logp)).clamp_min(1e-12);
  return mean_over_votes(-torch::pow(rest, options.gamma()) * logp, votes);
}

torch::Tensor entropy_loss(const torch::Tensor& logits, const torch::Tensor& votes,
                           const EntropyLossOptions& options) {
  const torch::Tensor logp = log_probabilities(logits);
  const torch::Tensor entropy = -(logp.exp() * logp).sum(1), n = votes.sum(1);
  const torch::Tensor mean_entropy = (entropy * n).sum() / n.sum().clamp_min(1e-12);
  return mean_over_votes(-logp, votes) - options.beta() * mean_entropy;
}

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

torch::Tensor label_smoothing_loss(const torch::Tensor& logits, const torch::Tensor& votes,
                                   const LabelSmoothingLossOptions& options) {
  const double e = options.epsilon();
  const torch::Tensor even = votes.sum(1, /*keepdim=*/true) / static_cast<double>(votes.size(1));
  return soft_cross_entropy(logits, votes * (1 - e) + even * e);
}

torch::Tensor calibration_loss(const torch::Tensor& logits, const torch::Tensor& empirical) {
  const torch::Tensor logp = log_probabilities(logits);
  TORCH_CHECK(logp.size(1) == 2, "the calibration loss of CaPE is defined for two classes");
  return -(empirical * logp.select(1, 1) + (1 - empirical) * logp.select(1, 0)).mean();
}

}  // namespace plumb::train::functional
