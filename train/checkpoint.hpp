// model.pt and checkpoint.pt: LibTorch archives, replaced atomically.
#pragma once

#include <string>

#include "train/trainer.hpp"

namespace plumb::train {

void save_model(const std::string& path, const Model& model);
/// InputError when the file is missing, damaged or not written by Plumb.
[[nodiscard]] Model load_model(const std::string& path, torch::Device device);

/// Everything that the next epoch depends on: weights, optimiser, schedule, best weights, history. Generators
/// need no state: their seeds follow from the run's seed and the number of the epoch.
void save_checkpoint(const std::string& path, const TrainState& state);
/// The options of `o` are kept (they may name another device); what was trained must fit them.
[[nodiscard]] TrainState load_checkpoint(const std::string& path, const TrainOptions& o, const Dataset& data,
                                         torch::Device device);

}  // namespace plumb::train
