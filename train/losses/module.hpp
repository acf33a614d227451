// A loss as a module of LibTorch's kind: what it is given at construction are the function's options.
#pragma once

#include <torch/torch.h>

namespace plumb::train {

template <class Impl, class Options, auto Function>
struct Loss : torch::nn::Cloneable<Impl> {
  explicit Loss(Options o = {}) : options(o) {}
  void reset() override {}
  torch::Tensor forward(const torch::Tensor& outputs, const torch::Tensor& answers) {
    return Function(outputs, answers, options);
  }
  Options options;
};

/// One without options.
template <class Impl, auto Function>
struct PlainLoss : torch::nn::Cloneable<Impl> {
  void reset() override {}
  torch::Tensor forward(const torch::Tensor& outputs, const torch::Tensor& answers) {
    return Function(outputs, answers);
  }
};

}  // namespace plumb::train
