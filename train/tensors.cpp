#include "train/tensors.hpp"

#include <cstring>

#include "plumb/data/check.hpp"
#include "plumb/io/npy.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb::train {

torch::Tensor tensor_of(const Rows& rows) {
  std::vector<std::int64_t> shape = rows.shards().front().shape;
  shape[0] = rows.rows();
  const bool bytes = rows.shards().front().dtype == DType::u8;
  torch::Tensor out = torch::empty(shape, bytes ? torch::kUInt8 : torch::kFloat32);
  const std::int64_t width = rows.width(), n = rows.rows();
  // By blocks, so that a file of images is never in memory as doubles.
  const std::int64_t block =
      std::max<std::int64_t>(1, (std::int64_t{1} << 20) / std::max<std::int64_t>(width, 1));
  std::vector<double> buffer;
  for (std::int64_t begin = 0; begin < n; begin += block) {
    const std::int64_t end = std::min(n, begin + block), count = (end - begin) * width;
    if (const auto* p = bytes ? rows.contiguous<std::uint8_t>(begin, end) : nullptr; p != nullptr) {
      std::memcpy(out.data_ptr<std::uint8_t>() + begin * width, p, count);
      continue;
    }
    buffer.resize(count);
    rows.read(begin, end, buffer);
    if (bytes) {
      std::copy(buffer.begin(), buffer.end(), out.data_ptr<std::uint8_t>() + begin * width);
    } else {
      std::copy(buffer.begin(), buffer.end(), out.data_ptr<float>() + begin * width);
    }
  }
  return out;
}

std::vector<double> doubles_of(const torch::Tensor& t) {
  const torch::Tensor flat = t.detach().to(torch::kCPU, torch::kFloat64).contiguous();
  const auto* p = flat.data_ptr<double>();
  return {p, p + flat.numel()};
}

void write_tensor(const std::string& path, const torch::Tensor& t) {
  const torch::Tensor flat = t.detach().to(torch::kCPU, torch::kFloat32).contiguous();
  write_npy(path, std::span(flat.data_ptr<float>(), flat.numel()), flat.sizes());
}

void write_doubles(const std::string& path, const torch::Tensor& t) {
  write_npy(path, doubles_of(t), t.sizes());
}

std::uint64_t seed_for(std::uint64_t seed, std::string_view what, std::int64_t a, std::int64_t b) {
  return hash_name(std::to_string(seed) + ":" + std::string(what) + ":" + std::to_string(a) + ":" +
                   std::to_string(b));
}

void seed_torch(std::uint64_t seed) { torch::manual_seed(seed); }

torch::Tensor permutation(std::uint64_t seed, std::int64_t n) {
  torch::Tensor order = torch::arange(n, torch::kLong);
  auto* p = order.data_ptr<std::int64_t>();
  RandomStream random(seed, Purpose::sample);
  for (std::int64_t i = n - 1; i > 0; --i) std::swap(p[i], p[random.below(i + 1)]);
  return order;
}

torch::Tensor rows_of(const torch::Tensor& t) {
  if (t.dim() != 4) return t;
  return t.permute({0, 2, 3, 1}).reshape({-1, t.size(1)});
}

torch::Device device_of(const std::string& name) {
  const bool has = torch::cuda::is_available();
  if (name == "cuda" && !has)
    throw InputError("⟦device⟧ cuda was requested, but this LibTorch sees no CUDA device; use ⟦device⟧ cpu");
  return torch::Device(has && name != "cpu" ? torch::kCUDA : torch::kCPU);
}

torch::Tensor laid_out(const torch::Tensor& x) {
  return x.is_cuda() && x.dim() == 4 ? x.contiguous(torch::MemoryFormat::ChannelsLast) : x;
}

void place(torch::nn::Module& net, torch::Device device) {
  net.to(device);
  for (torch::Tensor& p : net.parameters()) p.set_data(laid_out(p.data()));
}

void set_up_torch(std::int64_t threads, torch::Device device) {
  torch::set_num_threads(resolve_threads(narrow<int>(threads)));
  at::globalContext().setDeterministicAlgorithms(device.is_cpu(), /*warn_only=*/true);
}

}  // namespace plumb::train
