#include "train/optimiser.hpp"

namespace plumb::train {

std::unique_ptr<torch::optim::Optimizer> make_optimiser(const TrainOptions& o,
                                                        std::vector<torch::Tensor> parameters) {
  if (o.optimizer == "adam") {
    return std::make_unique<torch::optim::Adam>(std::move(parameters),
                                                torch::optim::AdamOptions(o.lr).weight_decay(o.weight_decay));
  }
  return std::make_unique<torch::optim::SGD>(
      std::move(parameters),
      torch::optim::SGDOptions(o.lr).momentum(o.momentum).weight_decay(o.weight_decay));
}

void set_learning_rate(torch::optim::Optimizer& optimiser, double rate) {
  for (auto& group : optimiser.param_groups()) group.options().set_lr(rate);
}

}  // namespace plumb::train
