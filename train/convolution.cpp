#include "train/convolution.hpp"

namespace plumb::train {
namespace {

namespace nn = torch::nn;

bool learning() { return torch::GradMode::is_enabled(); }

torch::Tensor finish(const torch::Tensor& h, const Convolved& how) {
  const torch::Tensor sum = how.plus.defined() ? h + how.plus : h;
  return how.relu ? torch::relu(sum) : sum;
}

// Bias, sum and relu take as long as the products when each is a separate pass over memory.
torch::Tensor fused(const torch::Tensor& x, torch::Tensor w, torch::Tensor b, torch::IntArrayRef stride,
                    const Convolved& how) {
  const std::vector<std::int64_t> padding{w.size(2) / 2, w.size(3) / 2}, dilation{1, 1};
  w = w.to(x.scalar_type());
  b = b.to(x.scalar_type());
  if (x.is_cuda() && how.relu && torch::cuda::cudnn_is_available())
    return how.plus.defined()
               ? at::cudnn_convolution_add_relu(x, w, how.plus, 1.0, b, stride, padding, dilation, 1)
               : at::cudnn_convolution_relu(x, w, b, stride, padding, dilation, 1);
  torch::Tensor h = torch::conv2d(x, w, b, stride, padding);
  if (how.plus.defined()) h.add_(how.plus);
  return how.relu ? h.relu_() : h;
}

}  // namespace

torch::Tensor convolve(nn::Conv2d& c, const torch::Tensor& x, const Convolved& how) {
  return learning() ? finish(c->forward(x), how) : fused(x, c->weight, c->bias, c->options.stride(), how);
}

ConvNormImpl::ConvNormImpl(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride)
    : conv_(register_module(
          "conv",
          nn::Conv2d(nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false)))),
      norm_(register_module("norm", nn::BatchNorm2d(out))) {}

torch::Tensor ConvNormImpl::run(const torch::Tensor& x, const Convolved& how) {
  if (is_training() || learning()) return finish(norm_->forward(conv_->forward(x)), how);
  // gamma (w x - mean) / sqrt(var + eps) + beta = (gamma / sqrt(var + eps)) w x + (beta - mean gamma / ...)
  const torch::Tensor scale = norm_->weight * torch::rsqrt(norm_->running_var + norm_->options.eps());
  return fused(x, conv_->weight * scale.view({-1, 1, 1, 1}), norm_->bias - norm_->running_mean * scale,
               conv_->options.stride(), how);
}

}  // namespace plumb::train
