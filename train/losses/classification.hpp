// Losses of classifiers over votes, in LibTorch's shape: options and a function. Logits are N x K (softmax),
// or N or N x 1 (sigmoid: the log-odds of class 1); votes are N x K counts, K = 2 for the sigmoid. Every vote
// weighs one and the loss is the mean over votes (Mimori 2021, eq. 53); items without votes weigh nothing.
#pragma once

#include <torch/torch.h>

namespace plumb::train {

struct FocalLossOptions {
  FocalLossOptions(double gamma = 2) : gamma_(gamma) {}  // NOLINT: as in LibTorch
  TORCH_ARG(double, gamma);
};

struct EntropyLossOptions {
  EntropyLossOptions(double beta = 1) : beta_(beta) {}  // NOLINT
  TORCH_ARG(double, beta);
};

struct MmceLossOptions {
  MmceLossOptions(double beta = 3) : beta_(beta) {}  // NOLINT
  TORCH_ARG(double, beta);
  TORCH_ARG(double, width) = 0.4;  ///< of the Laplacian kernel exp(-|r_i - r_j| / width)
};

struct LabelSmoothingLossOptions {
  LabelSmoothingLossOptions(double epsilon = 0.05) : epsilon_(epsilon) {}  // NOLINT
  TORCH_ARG(double, epsilon);
};

namespace functional {

/// N x K log-probabilities; a sigmoid's logits give two columns.
[[nodiscard]] torch::Tensor log_probabilities(const torch::Tensor& logits);

/// -sum_ik y_ik log z_ik / sum_ik y_ik (Mimori 2021, eq. 53).
[[nodiscard]] torch::Tensor soft_cross_entropy(const torch::Tensor& logits, const torch::Tensor& votes);
/// -sum_ik y_ik (1 - z_ik)^gamma log z_ik / sum_ik y_ik (Liu 2022, eq. 27).
[[nodiscard]] torch::Tensor focal_loss(const torch::Tensor& logits, const torch::Tensor& votes,
                                       const FocalLossOptions& options = {});
/// Cross-entropy minus beta times the entropy of the output (Liu 2022, eq. 26), each item with the
/// weight of its votes.
[[nodiscard]] torch::Tensor entropy_loss(const torch::Tensor& logits, const torch::Tensor& votes,
                                         const EntropyLossOptions& options = {});
/// Maximum mean calibration error (Kumar 2018; Liu 2022, eqs. 28 and 29):
/// sum_ij (c_i - r_i)(c_j - r_j) k(r_i, r_j) / m^2 over the items with votes: r the top probability, c the
/// share of the item's votes for the top label (a constant to the gradient).
[[nodiscard]] torch::Tensor mmce_squared(const torch::Tensor& logits, const torch::Tensor& votes,
                                         double width);
/// Cross-entropy plus beta sqrt(MMCE^2).
[[nodiscard]] torch::Tensor mmce_loss(const torch::Tensor& logits, const torch::Tensor& votes,
                                      const MmceLossOptions& options = {});
/// Cross-entropy with a share epsilon of each vote spread evenly over the classes.
[[nodiscard]] torch::Tensor label_smoothing_loss(const torch::Tensor& logits, const torch::Tensor& votes,
                                                 const LabelSmoothingLossOptions& options = {});
/// L_C of CaPE (Liu 2022, section 5): cross-entropy of the outputs of class 1 against
/// N empirical probabilities.
[[nodiscard]] torch::Tensor calibration_loss(const torch::Tensor& logits, const torch::Tensor& empirical);

}  // namespace functional

}  // namespace plumb::train
