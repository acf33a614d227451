// Small data sets with known truth, in memory and in folders, for the tests of training.
#pragma once

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "plumb/data/check.hpp"
#include "plumb/io/npy.hpp"
#include "plumb/numeric/random.hpp"
#include "train/data.hpp"
#include "train/tensors.hpp"

namespace plumb::train::testing {

/// Features of which the first two carry the risk, bent, and the others are noise; labels drawn from
/// the risk.
inline Split risk_split(std::int64_t n, std::int64_t dimension, std::uint64_t seed) {
  Split s;
  s.inputs = torch::empty({n, dimension});
  s.truth = torch::empty({n});
  s.votes = torch::zeros({n, 2});
  auto x = s.inputs.accessor<float, 2>();
  auto p = s.truth.accessor<float, 1>();
  auto v = s.votes.accessor<float, 2>();
  RandomStream random(seed, Purpose::demo);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t d = 0; d < dimension; ++d) x[i][d] = static_cast<float>(random.normal());
    const double age = 0.5 + 0.25 * x[i][0] + 0.15 * x[i][0] * x[i][1];
    p[i] = static_cast<float>(std::min(0.95, std::max(0.05, age)));
    v[i][random.uniform() < p[i] ? 1 : 0] = 1;
  }
  return s;
}

inline Dataset risk_data(std::int64_t n, std::int64_t dimension, std::uint64_t seed) {
  Dataset d;
  d.classes = 2;
  d.train = risk_split(n, dimension, 3 * seed);
  d.validation = risk_split(n / 2, dimension, 3 * seed + 1);
  d.test = risk_split(2000, dimension, 3 * seed + 2);
  d.normalisation = normalisation_of(d.train.inputs);
  return d;
}

/// Random images of K classes, whose mean brightness tells the class; votes of one to three raters.
inline Split image_split(std::int64_t n, std::int64_t side, std::int64_t classes, std::uint64_t seed) {
  Split s;
  torch::manual_seed(seed);
  const torch::Tensor labels = torch::arange(n).remainder(classes).to(torch::kLong);
  s.inputs = (torch::rand({n, 1, side, side}) * 100 + labels.to(torch::kFloat32).view({n, 1, 1, 1}) * 50)
                 .clamp(0, 255)
                 .to(torch::kUInt8);
  s.votes = votes_of_labels(labels, classes) * (1 + labels.remainder(3)).unsqueeze(1);
  return s;
}

/// A folder of its own for one test, removed with it.
class Folder {
 public:
  Folder() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = (std::filesystem::temp_directory_path() / ("plumb_train_" + std::string(info->test_suite_name()) +
                                                       "_" + info->name() + "_" + std::to_string(::getpid())))
                .string();
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline void write_split(const std::string& folder, const Split& s) {
  std::filesystem::create_directories(folder);
  const std::string inputs = folder + (s.inputs.dim() == 4 ? "/images.npy" : "/features.npy");
  const std::vector<std::int64_t> shape = s.inputs.sizes().vec();
  if (s.inputs.scalar_type() == torch::kUInt8) {
    const torch::Tensor flat = s.inputs.contiguous();
    write_npy(
        inputs,
        std::span<const std::uint8_t>(flat.data_ptr<std::uint8_t>(), static_cast<std::size_t>(flat.numel())),
        shape);
  } else {
    write_tensor(inputs, s.inputs);
  }
  if (s.votes.defined()) write_tensor(folder + "/counts.npy", s.votes);
  if (s.targets.defined()) write_tensor(folder + "/targets.npy", s.targets);
  if (s.truth.defined()) write_tensor(folder + "/truth.npy", s.truth);
}

inline void write_data(const std::string& folder, const Dataset& d) {
  write_split(folder + "/train", d.train);
  write_split(folder + "/validation", d.validation);
  write_split(folder + "/test", d.test);
}

inline Dataset regression_data(std::uint64_t seed) {
  Dataset d;
  d.task = Task::regression;
  d.outputs = 1;
  torch::manual_seed(seed);
  for (Split* s : {&d.train, &d.validation, &d.test}) {
    s->inputs = torch::randn({200, 4});
    const torch::Tensor noise = torch::randn({200, 1}) * (0.1 + 0.2 * s->inputs.slice(1, 1, 2).abs());
    s->targets = s->inputs.slice(1, 0, 1).sin() + noise;
  }
  d.normalisation = normalisation_of(d.train.inputs);
  return d;
}

/// All numbers of a file.
inline std::vector<double> npy(const std::string& path, std::vector<std::int64_t>* shape = nullptr) {
  const Rows rows(read_npy(path));
  if (shape != nullptr) *shape = rows.shards().front().shape;
  std::vector<double> v(static_cast<std::size_t>(rows.rows() * rows.width()));
  rows.read(0, rows.rows(), v);
  return v;
}

/// A small network on folder/data, three epochs.
inline TrainOptions quick(const Folder& folder, const std::string& out) {
  TrainOptions o;
  o.data = folder / "data";
  o.out = folder / out;
  o.hidden = {8};
  o.epochs = 3;
  o.lr = 0.05;
  o.dropout = 0.2;
  o.device = "cpu";
  o.threads = 1;
  return o;
}

inline TrainOptions data_at(const std::string& folder) {
  TrainOptions o;
  o.data = folder;
  return o;
}

/// The error when these data are loaded; empty: none.
inline std::string complaint(const TrainOptions& o) {
  try {
    (void)load_dataset(o);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace plumb::train::testing
