// One pass over the training set with learning.
#pragma once

#include <functional>

#include "train/augment.hpp"
#include "train/heads.hpp"

namespace plumb::train {

/// What is minimised in this epoch.
struct Objective {
  /// ce, focal, entropy, mmce, label-smoothing, mixup, calibration, weighted, gaussian, laplace
  std::string name = "ce";
  double strength = 0;
  torch::Tensor empirical;  ///< N, for calibration and weighted
};

/// SGD with momentum or Adam, with the weight decay of `o` on every parameter (L2, as in the papers' code).
[[nodiscard]] std::unique_ptr<torch::optim::Optimizer> make_optimiser(const TrainOptions& o,
                                                                      std::vector<torch::Tensor> parameters);
void set_learning_rate(torch::optim::Optimizer& optimiser, double rate);

/// The training set where the network is, when it fits there; otherwise batches are gathered on the host
/// ahead of time and sent from pinned memory.
struct Material {
  torch::Tensor inputs, answers;  ///< answers: votes, or regression targets
  Normalisation normalisation;    ///< on the device
  torch::Device device = torch::kCPU;
};
[[nodiscard]] Material material(const Split& split, const Normalisation& normalisation, torch::Device device);

struct EpochOptions {
  std::int64_t batch = 128;
  Augmentation augmentation;
  std::uint64_t seed = 0;  ///< of order, augmentation, mixing and dropout
  /// The share done, and the running mean of the loss. Reading the loss waits for the device:
  /// call it only to show it.
  std::function<void(double share, const std::function<double()>& loss)> progress = {};
  std::function<bool()> interrupted = {};
};

struct EpochResult {
  bool interrupted = false;
  double loss = 0;  ///< mean over items
  /// of each item as seen in the epoch, in the order of the training set; undefined after mixup and where
  /// pixels moved
  torch::Tensor outputs;
};

[[nodiscard]] EpochResult run_epoch(Network& net, torch::optim::Optimizer& optimiser, const Material& m,
                                    const Objective& objective, const EpochOptions& options);

}  // namespace plumb::train
