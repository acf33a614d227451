// What a finished run writes for the other commands: logits, probabilities, features and labels as .npy.
#pragma once

#include <string>

#include "train/trainer.hpp"

namespace plumb::train {

/// Into FOLDER/{train,validation,test}: logits.npy, probs.npy, features.npy and counts.npy (also labels.npy
/// where every item has one vote; truth.npy where it is known); regression: mean.npy, variance.npy,
/// targets.npy, features.npy. Pixels of segmentations are rows. Returns the metrics of each part.
std::map<std::string, Metrics> write_outputs(const std::string& folder, const Model& model,
                                             const Dataset& data, torch::Device device);

/// labels.npy, counts.npy or targets.npy, and truth.npy, of one part; of a segmentation also image.npy, which
/// image each row of the others belongs to (for --groups).
void write_answers(const std::string& folder, const Split& split, Task task);
/// mean.npy, aleatoric.npy, epistemic.npy and their sum, variance.npy.
void write_predictive(const std::string& folder, const PredictiveParts& p);

struct NamedTensor {
  std::string name;
  torch::Tensor values;  ///< one row per item
};
[[nodiscard]] std::vector<NamedTensor> columns_of(const PredictiveParts& p);
/// One table by the suffix of its name; a tensor of several columns gives NAME_0, NAME_1, ...
void write_table(const std::string& path, const std::vector<NamedTensor>& parts);

}  // namespace plumb::train
