// Losses of classifiers over votes, in LibTorch's shape: options, a function, a module. Logits are N x K
// (softmax), or N or N x 1 (sigmoid: the log-odds of class 1); votes are N x K counts, K = 2 for the sigmoid.
// Every vote weighs one and the loss is the mean over votes (Mimori 2021, eq. 53); items without votes weigh
// nothing.
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
/// Cross-entropy minus beta times the entropy of the output (Liu 2022, eq. 26), items weighted by their
/// votes.
[[nodiscard]] torch::Tensor entropy_loss(const torch::Tensor& logits, const torch::Tensor& votes,
                                         const EntropyLossOptions& options = {});
/// Cross-entropy with a share epsilon of each vote spread evenly over the classes.
[[nodiscard]] torch::Tensor label_smoothing_loss(const torch::Tensor& logits, const torch::Tensor& votes,
                                                 const LabelSmoothingLossOptions& options = {});
/// L_C of CaPE (Liu 2022, section 5): cross-entropy of the outputs of class 1 against empirical probabilities
/// (N).
[[nodiscard]] torch::Tensor calibration_loss(const torch::Tensor& logits, const torch::Tensor& empirical);

}  // namespace functional

class SoftCrossEntropyLossImpl : public torch::nn::Cloneable<SoftCrossEntropyLossImpl> {
 public:
  void reset() override {}
  torch::Tensor forward(const torch::Tensor& logits, const torch::Tensor& votes) {
    return functional::soft_cross_entropy(logits, votes);
  }
};
TORCH_MODULE(SoftCrossEntropyLoss);

class FocalLossImpl : public torch::nn::Cloneable<FocalLossImpl> {
 public:
  explicit FocalLossImpl(FocalLossOptions o = {}) : options(o) {}
  void reset() override {}
  torch::Tensor forward(const torch::Tensor& logits, const torch::Tensor& votes) {
    return functional::focal_loss(logits, votes, options);
  }
  FocalLossOptions options;
};
TORCH_MODULE(FocalLoss);

class EntropyLossImpl : public torch::nn::Cloneable<EntropyLossImpl> {
 public:
  explicit EntropyLossImpl(EntropyLossOptions o = {}) : options(o) {}
  void reset() override {}
  torch::Tensor forward(const torch::Tensor& logits, const torch::Tensor& votes) {
    return functional::entropy_loss(logits, votes, options);
  }
  EntropyLossOptions options;
};
TORCH_MODULE(EntropyLoss);

class LabelSmoothingLossImpl : public torch::nn::Cloneable<LabelSmoothingLossImpl> {
 public:
  explicit LabelSmoothingLossImpl(LabelSmoothingLossOptions o = {}) : options(o) {}
  void reset() override {}
  torch::Tensor forward(const torch::Tensor& logits, const torch::Tensor& votes) {
    return functional::label_smoothing_loss(logits, votes, options);
  }
  LabelSmoothingLossOptions options;
};
TORCH_MODULE(LabelSmoothingLoss);

class CalibrationLossImpl : public torch::nn::Cloneable<CalibrationLossImpl> {
 public:
  void reset() override {}
  torch::Tensor forward(const torch::Tensor& logits, const torch::Tensor& empirical) {
    return functional::calibration_loss(logits, empirical);
  }
};
TORCH_MODULE(CalibrationLoss);

}  // namespace plumb::train
