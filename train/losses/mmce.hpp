// Maximum mean calibration error as a penalty (Kumar 2018; Liu 2022, eqs. 28 and 29).
#pragma once

#include <torch/torch.h>

namespace plumb::train {

struct MmceLossOptions {
  MmceLossOptions(double beta = 3) : beta_(beta) {}  // NOLINT: as in LibTorch
  TORCH_ARG(double, beta);
  TORCH_ARG(double, width) = 0.4;  ///< of the Laplacian kernel exp(-|r_i - r_j| / width)
};

namespace functional {

/// sum_ij (c_i - r_i)(c_j - r_j) k(r_i, r_j) / m^2 over the items with votes: r the top probability, c the
/// share of the item's votes for the top label (a constant to the gradient).
[[nodiscard]] torch::Tensor mmce_squared(const torch::Tensor& logits, const torch::Tensor& votes,
                                         double width);
/// Cross-entropy plus beta sqrt(MMCE^2).
[[nodiscard]] torch::Tensor mmce_loss(const torch::Tensor& logits, const torch::Tensor& votes,
                                      const MmceLossOptions& options = {});

}  // namespace functional

class MmceLossImpl : public torch::nn::Cloneable<MmceLossImpl> {
 public:
  explicit MmceLossImpl(MmceLossOptions o = {}) : options(o) {}
  void reset() override {}
  torch::Tensor forward(const torch::Tensor& logits, const torch::Tensor& votes) {
    return functional::mmce_loss(logits, votes, options);
  }
  MmceLossOptions options;
};
TORCH_MODULE(MmceLoss);

}  // namespace plumb::train
