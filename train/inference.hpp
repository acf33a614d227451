// A pass over items without learning.
#pragma once

#include "train/augment.hpp"
#include "train/data.hpp"
#include "train/models.hpp"

namespace plumb::train {

struct Inferred {
  torch::Tensor outputs;   ///< N x width (segmentation: N x width x H x W), float32 on the CPU
  torch::Tensor features;  ///< N x F, float32 on the CPU
};

struct InferenceOptions {
  std::int64_t batch = 0;  ///< items at once; 0: what suits the device
  bool features = false;
  bool half = false;     ///< on CUDA: convolutions in float16, whose ten bits of fraction are those of TF32
  bool dropout = false;  ///< MC dropout: dropout layers draw, all else in evaluation mode
  Augmentation augmentation;  ///< test-time augmentation
  std::uint64_t seed = 0;     ///< of both
};

/// Leaves the network in evaluation mode.
[[nodiscard]] Inferred infer(Network& net, const torch::Tensor& inputs, const Normalisation& normalisation,
                             torch::Device device, const InferenceOptions& options = {});

}  // namespace plumb::train
