// Two public formats: MNIST's idx files (plain or gzip) and CIFAR-10's binary batches.
#include <zlib.h>

#include <filesystem>

#include "plumb/data/check.hpp"
#include "train/data.hpp"

namespace plumb::train {
namespace {

// gzread reads plain files as well.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), file_(gzopen(path.c_str(), "rb")) {
    if (file_ == nullptr) throw InputError("cannot open " + path);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { gzclose(file_); }
  void read(void* out, std::size_t bytes) {
    auto* at = static_cast<unsigned char*>(out);
    while (bytes > 0) {
      const int n = gzread(file_, at, static_cast<unsigned>(std::min<std::size_t>(bytes, 1u << 30)));
      if (n <= 0) throw InputError(path_ + " ends before it should, or is damaged");
      at += n;
      bytes -= static_cast<std::size_t>(n);
    }
  }
  std::int64_t big_endian() {
    unsigned char b[4];
    read(b, 4);
    return (std::int64_t{b[0]} << 24) | (b[1] << 16) | (b[2] << 8) | b[3];
  }

 private:
  std::string path_;
  gzFile file_;
};

torch::Tensor read_idx(const std::string& base, int axes) {
  const std::string path = std::filesystem::exists(base) ? base : base + ".gz";
  Reader in(path);
  const std::int64_t magic = in.big_endian();
  if (magic != 0x800 + axes)
    throw InputError(path + " is not an idx file of bytes with " + counted(axes, "axis") +
                     " (its first word is " + std::to_string(magic) + ")");
  std::vector<std::int64_t> shape;
  std::int64_t total = 1;
  for (int i = 0; i < axes; ++i) {
    shape.push_back(in.big_endian());
    total *= shape.back();
    if (shape.back() < 1 || total > (std::int64_t{1} << 33))
      throw InputError(path + " claims an impossible size");
  }
  torch::Tensor t = torch::empty(shape, torch::kUInt8);
  in.read(t.data_ptr(), static_cast<std::size_t>(total));
  return t;
}

}  // namespace

Split read_mnist(const std::string& folder, bool train) {
  const std::string base = folder + (train ? "/train" : "/t10k");
  Split s;
  s.inputs = read_idx(base + "-images-idx3-ubyte", 3).unsqueeze(1);
  const torch::Tensor labels = read_idx(base + "-labels-idx1-ubyte", 1);
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
    const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
    if (bytes == 0 || bytes % kRecord != 0)
      throw InputError(path + " is not a CIFAR-10 batch: its size is no multiple of " +
                       std::to_string(kRecord));
    torch::Tensor t = torch::empty({bytes / kRecord, kRecord}, torch::kUInt8);
    Reader(path).read(t.data_ptr(), static_cast<std::size_t>(bytes));
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
