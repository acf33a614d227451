// Convolutions as the networks use them: one call for convolution, normalisation, sum and relu.
#pragma once

#include <torch/torch.h>

namespace plumb::train {

struct Convolved {
  bool relu = true;
  torch::Tensor plus;  ///< added before relu, where it is defined (a shortcut)
};

/// `c`, whose padding keeps the size, in the precision of `x`, then `how`. Outside training and with
/// cuDNN this is a single kernel.
[[nodiscard]] torch::Tensor convolve(torch::nn::Conv2d& c, const torch::Tensor& x, const Convolved& how = {});

/// N x C x H x W to N x C, float32.
[[nodiscard]] inline torch::Tensor average_of_pixels(const torch::Tensor& x) {
  return x.mean({2, 3}, /*keepdim=*/false, torch::kFloat32);
}

/// A convolution without bias and the batch normalisation of its outputs. Outside training the
/// normalisation is a scale and a shift of each channel, and is folded into the convolution's weights.
class ConvNormImpl : public torch::nn::Module {
 public:
  ConvNormImpl(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride = 1);
  torch::Tensor forward(const torch::Tensor& x) { return run(x, {}); }
  [[nodiscard]] torch::Tensor run(const torch::Tensor& x, const Convolved& how);

 private:
  torch::nn::Conv2d conv_;
  torch::nn::BatchNorm2d norm_;
};
TORCH_MODULE(ConvNorm);

}  // namespace plumb::train
