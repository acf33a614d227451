// Two public formats: MNIST's idx files (plain or gzip) and CIFAR-10's binary batches.
#include <filesystem>
#include <fstream>

#include "plumb/data/check.hpp"
#include "plumb/io/idx.hpp"
#include "train/data.hpp"

namespace plumb::train {
namespace {

torch::Tensor idx_bytes(const std::string& base, int axes) {
  const IdxBytes read = read_idx(std::filesystem::exists(base) ? base : base + ".gz", axes);
  return torch::tensor(read.values, torch::kUInt8).reshape(read.shape);
}

}  // namespace

Split read_mnist(const std::string& folder, bool train) {
  const std::string base = folder + (train ? "/train" : "/t10k");
  Split s;
  s.inputs = idx_bytes(base + "-images-idx3-ubyte", 3).unsqueeze(1);
  const torch::Tensor labels = idx_bytes(base + "-labels-idx1-ubyte", 1);
  check_same_rows(base + "-images", s.size(), base + "-labels", labels.size(0));
  if ((labels > 9).any().item<bool>()) throw InputError(base + "-labels-idx1-ubyte holds a label above 9");
  s.votes = votes_of_labels(labels, 10);
  return s;
}

Split read_cifar10(const std::string& folder, bool train) {
  constexpr std::int64_t kRecord = 1 + 3 * 32 * 32;
  std::vector<torch::Tensor> images, labels;
  for (int batch = 1; batch <= (train ? 5 : 1); ++batch) {
    const std::string path =
        folder + (train ? "/data_batch_" + std::to_string(batch) + ".bin" : std::string("/test_batch.bin"));
    if (!std::filesystem::exists(path)) throw InputError("there is no " + path);
    const std::int64_t bytes = std::filesystem::file_size(path);
    if (bytes == 0 || bytes % kRecord != 0)
      throw InputError(path + " is not a CIFAR-10 batch: its size is not a multiple of " +
                       std::to_string(kRecord));
    torch::Tensor t = torch::empty({bytes / kRecord, kRecord}, torch::kUInt8);
    std::ifstream in(path, std::ios::binary);
    if (!in.read(static_cast<char*>(t.data_ptr()), bytes)) throw InputError("cannot read " + path);
    labels.push_back(t.select(1, 0).clone());
    images.push_back(t.slice(1, 1).reshape({-1, 3, 32, 32}));
  }
  Split s;
  s.inputs = torch::cat(images);
  const torch::Tensor all = torch::cat(labels);
  if ((all > 9).any().item<bool>()) throw InputError(folder + " holds a CIFAR-10 label above 9");
  s.votes = votes_of_labels(all, 10);
  return s;
}

}  // namespace plumb::train
