#pragma once

#include <torch/torch.h>

#include <memory>

#include "train/options/options.hpp"

namespace plumb::train {

/// SGD with momentum or Adam, with the weight decay of `o` on every parameter (L2, as in the papers' code).
[[nodiscard]] std::unique_ptr<torch::optim::Optimizer> make_optimiser(const TrainOptions& o,
                                                                      std::vector<torch::Tensor> parameters);
void set_learning_rate(torch::optim::Optimizer& optimiser, double rate);

}  // namespace plumb::train
