// CaPE's empirical probabilities (Liu 2022, Algorithm 1): an inference pass over the training set, then BIN
// or KERNEL of the core.
#pragma once

#include "train/heads.hpp"

namespace plumb::train {

/// From given outputs, N float32. `votes` is N x 2; an item's outcome is its share of votes for class 1.
[[nodiscard]] torch::Tensor empirical_probabilities(const TrainOptions& o, Head head,
                                                    const torch::Tensor& outputs, const torch::Tensor& votes);
/// CaPE is defined for two classes with a vote on every training item; InputError otherwise.
void check_cape(const Dataset& data);

}  // namespace plumb::train
