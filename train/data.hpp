// What a network learns from: inputs, and votes or targets, for training, validation and test.
#pragma once

#include <torch/torch.h>

#include <string>
#include <vector>

#include "plumb/io/load.hpp"
#include "train/options/options.hpp"

namespace plumb::train {

enum class Task { classification, segmentation, regression };

/// N items. Absent tensors are undefined.
struct Split {
  torch::Tensor inputs;   ///< N x C x H x W images or N x D numbers; uint8 or float32
  torch::Tensor votes;    ///< N x K counts; segmentation: N x K x H x W
  torch::Tensor targets;  ///< regression: N x d
  torch::Tensor truth;    ///< N true probabilities of class 1, or N x K; segmentation: N x H x W
  bool columns = false;   ///< the votes came as a column for each class, which says how many there are
  [[nodiscard]] std::int64_t size() const { return inputs.defined() ? inputs.size(0) : 0; }
  [[nodiscard]] Split first(std::int64_t n) const {
    return rows(torch::arange(std::min(n, size()), torch::kLong));
  }
  [[nodiscard]] Split rows(const torch::Tensor& index) const;
};

/// (x - mean) / deviation by channel (images) or column (numbers); bytes are divided by 255 first.
struct Normalisation {
  torch::Tensor mean, deviation;  ///< float32, 1 x C x 1 x 1 or 1 x D; undefined: only bytes are scaled
  [[nodiscard]] torch::Tensor apply(const torch::Tensor& inputs) const;
  [[nodiscard]] Normalisation to(torch::Device device) const;
};
[[nodiscard]] Normalisation normalisation_of(const torch::Tensor& inputs);

struct Dataset {
  Task task = Task::classification;
  std::int64_t classes = 0;  ///< classification and segmentation
  std::int64_t outputs = 0;  ///< regression: d
  Split train, validation, test;
  Normalisation normalisation;
  /// The parts that exist, by name.
  [[nodiscard]] std::vector<std::pair<std::string, const Split*>> parts() const;
};

/// Everything that `o` says about data. InputError when files are missing or do not fit together.
[[nodiscard]] Dataset load_dataset(const TrainOptions& o);

// One reader each; `classes` is raised to what the labels need.
[[nodiscard]] bool has_arrays(const std::string& folder);
[[nodiscard]] bool has_answers(const std::string& folder);
[[nodiscard]] Split read_arrays(const std::string& folder, const TrainOptions& o, Task& task,
                                std::int64_t& classes);
/// Images with masks, by a manifest or in folders.
[[nodiscard]] bool has_cases(const std::string& folder);
[[nodiscard]] Split read_cases(const std::string& folder, const TrainOptions& o, Task& task,
                               std::int64_t& classes);
[[nodiscard]] bool has_images(const std::string& folder);
[[nodiscard]] Split read_images(const std::string& folder, const TrainOptions& o, Task& task,
                                std::int64_t& classes);
/// The files of `folder` as N x 3 x H x W bytes; `side` > 0: resized to it.
[[nodiscard]] torch::Tensor read_pictures(const std::string& folder, const std::vector<std::string>& names,
                                          std::int64_t side);
/// Most of the image files here are named [age]_[gender]_[race]_[date].
[[nodiscard]] bool looks_like_utkface(const std::string& folder);
/// All three parts, in Liu's proportions; ages as targets, or outcomes with --scenario.
void read_utkface(const TrainOptions& o, Dataset& d);
[[nodiscard]] Split read_mnist(const std::string& folder, bool train);
[[nodiscard]] Split read_cifar10(const std::string& folder, bool train);
/// InputError "file, row 3: -1 complaint" where `good` is first false for a value of `t`.
[[nodiscard]] Rows load_path(const std::string& path, const LoadOptions& options = {});
void check_each(const torch::Tensor& good, const torch::Tensor& t, const std::string& file,
                const std::string& complaint);
/// Numbers of votes, N x K or N x K x H x W, as float32.
[[nodiscard]] torch::Tensor checked_votes(const torch::Tensor& counts, const std::string& file);
/// Items x raters (x height x width), negative or NaN where a rater gave no label, as numbers of raters for
/// each class; raises `classes`.
[[nodiscard]] torch::Tensor votes_of_ratings(const torch::Tensor& ratings, const std::string& name,
                                             std::int64_t& classes);
/// N class indices as N x classes votes of one each.
[[nodiscard]] torch::Tensor votes_of_labels(const torch::Tensor& labels, std::int64_t classes);
/// Checked class indices (N, or N x H x W) of a labels file; raises `classes`.
[[nodiscard]] torch::Tensor read_labels(const std::string& spec, std::int64_t& classes);

}  // namespace plumb::train
