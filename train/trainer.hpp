// The loop over epochs: schedule, early stopping, CaPE's phases, checkpoints.
#pragma once

#include <functional>
#include <optional>

#include "train/epoch.hpp"
#include "train/history.hpp"
#include "train/schedule.hpp"

namespace plumb::train {

/// What is trained: a network, what it takes and what its outputs mean.
struct Model {
  TrainOptions options;
  std::vector<std::int64_t> input;  ///< shape of one item
  Task task = Task::classification;
  Head head = Head::sigmoid;
  std::int64_t classes = 0, outputs = 0;
  bool bytes = false;  ///< inputs were uint8, which are divided by 255
  Normalisation normalisation;
  NetworkPtr net;
  double lr = 0;  ///< the rate at which these weights were reached
};

/// Everything that a checkpoint holds. CaPE has two phases:
/// early learning with cross-entropy (0), then Algorithm 1 (1).
struct TrainState {
  Model model;
  std::unique_ptr<torch::optim::Optimizer> optimiser;
  ScheduleState schedule;
  int phase = 0;
  std::int64_t phase_epoch = 0;  ///< epochs done in this phase
  double base_lr = 0;
  std::vector<torch::Tensor> best;  ///< parameters and buffers of the best epoch
  double best_lr = 0;
  History history;
  bool done = false;
};

struct TrainHooks {
  std::function<void(const TrainState&)> on_epoch = {};  ///< after each epoch: progress, checkpoints
  std::function<void(std::int64_t epoch, double share, const std::function<double()>& loss)> on_batch = {};
  std::function<bool()> interrupted = {};
};

[[nodiscard]] TrainState start_training(const TrainOptions& o, const Dataset& data, torch::Device device);
/// Runs until done, leaving the best weights in state.model.net; false when interrupted (the epoch in
/// progress is lost).
[[nodiscard]] bool run_training(TrainState& state, const Dataset& data, torch::Device device,
                                const TrainHooks& hooks);

/// Metrics of the head on one part of the data; nll is the log-loss that early stopping watches.
[[nodiscard]] Metrics metrics_of(const Model& model, const Split& split, torch::Device device);
/// The same from given outputs; `scale` as in regression_metrics().
[[nodiscard]] Metrics metrics_of(const Model& model, const torch::Tensor& outputs, const Split& split,
                                 std::optional<double> scale = {});
/// The largest total number of epochs.
[[nodiscard]] std::int64_t most_epochs(const TrainOptions& o);

[[nodiscard]] std::vector<torch::Tensor> snapshot(const Network& net);
void restore(Network& net, const std::vector<torch::Tensor>& values);

}  // namespace plumb::train
