// Times libplumb_cuda.so on data in the memory of the device, with the limit (reading the data) in the same
// run:  nvcc -O3 -arch=native -I include -o bench_gpu bench/gpu/bench.cu -ldl && ./bench_gpu libplumb_cuda.so
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "plumb/cuda/plugin.hpp"

namespace {

void check(cudaError_t code) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(code));
  std::exit(1);
}

__device__ std::uint64_t mixed(std::uint64_t x) {
  x *= 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}
/// Uniform p, one in 1,000 of them tiny and one in 100,000 equal to 1; labels from p^2.
__global__ void fill_binary(float* p, std::uint8_t* y, std::size_t n) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const std::uint64_t x = mixed(i + 1);
    float u = static_cast<float>(x >> 40) * (1.0f / 16777216.0f);
    const float v = static_cast<float>(x & 0xffffff) * (1.0f / 16777216.0f);
    if (i % 1000 == 7) u *= 1e-9f;
    if (i % 100000 == 3) u = 1.0f;
    p[i] = u;
    y[i] = v < u * u;
  }
}
__global__ void fill_rows(float* p, std::uint8_t* y, std::int32_t* wide, std::size_t rows, int classes) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < rows;
       i += std::size_t{gridDim.x} * blockDim.x) {
    float sum = 0;
    for (int k = 0; k < classes; ++k) {
      const float u = static_cast<float>(mixed(i * classes + k + 1) >> 40) * (1.0f / 16777216.0f) + 1e-7f;
      sum += p[i * classes + k] = u * u * u * u;
    }
    for (int k = 0; k < classes; ++k) p[i * classes + k] /= sum;
    wide[i] = static_cast<std::int32_t>(mixed(i + 77) % classes);
    if (classes <= 256) y[i] = static_cast<std::uint8_t>(wide[i]);
  }
}
__global__ void read_all(const uint4* a, std::size_t n, const uint4* b, std::size_t m, unsigned* out) {
  unsigned sum = 0;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += stride) {
    const uint4 v = __ldcs(a + i);
    sum += v.x ^ v.y ^ v.z ^ v.w;
  }
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < m; i += stride) {
    const uint4 v = __ldcs(b + i);
    sum += v.x ^ v.y ^ v.z ^ v.w;
  }
  if (sum == 12345) *out = sum;
}

template <class T>
T* device_memory(std::size_t n) {
  T* out = nullptr;
  check(cudaMalloc(&out, n * sizeof(T)));
  return out;
}

/// Milliseconds of one run: the median and the least of many.
void report(const char* what, const std::function<void()>& run, double bytes, int runs = 21) {
  cudaEvent_t a, b;
  check(cudaEventCreate(&a));
  check(cudaEventCreate(&b));
  for (int i = 0; i < 3; ++i) run();
  std::vector<float> ms(runs);
  for (float& t : ms) {
    check(cudaEventRecord(a));
    run();
    check(cudaEventRecord(b));
    check(cudaEventSynchronize(b));
    check(cudaEventElapsedTime(&t, a, b));
  }
  check(cudaGetLastError());
  std::sort(ms.begin(), ms.end());
  std::printf("%-64s %8.3f ms (least %.3f), %5.0f GB/s\n", what, ms[runs / 2], ms[0],
              bytes / ms[runs / 2] / 1e6);
  std::fflush(stdout);
}

const PlumbCudaPlugin* plugin = nullptr;

struct Sums {
  void* at = nullptr;
  Sums(int classes, int log_loss, int by_class) {
    const PlumbCudaPlan plan{0, classes, 15, log_loss, by_class};
    PlumbCudaError error{};
    if (plugin->create(&plan, &at, &error) != 0) {
      std::fprintf(stderr, "%s\n", error.text);
      std::exit(1);
    }
  }
  ~Sums() { plugin->drop(at); }
  void add(const PlumbCudaRows& rows) const {
    PlumbCudaError error{};
    if (plugin->add(at, &rows, &error) != 0) {
      std::fprintf(stderr, "%s\n", error.text);
      std::exit(1);
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: bench_gpu libplumb_cuda.so [rows]\n"), 2;
  void* file = dlopen(argv[1], RTLD_NOW);
  if (file == nullptr) return std::fprintf(stderr, "%s\n", dlerror()), 1;
  plugin = reinterpret_cast<const PlumbCudaPlugin* (*)()>(dlsym(file, "plumb_cuda_plugin"))();
  PlumbCudaDevice device{};
  PlumbCudaError error{};
  if (plugin->describe(0, &device, &error) != 0) return std::fprintf(stderr, "%s\n", error.text), 1;
  std::printf("%s, compute capability %d.%d, driver for CUDA %d.%d, built with CUDA %d.%d\n", device.name,
              device.major, device.minor, device.driver / 1000, device.driver % 1000 / 10,
              device.runtime / 1000, device.runtime % 1000 / 10);
  unsigned* spare = device_memory<unsigned>(1);
  const auto read = [&](const char* what, const void* a, std::size_t a_bytes, const void* b,
                        std::size_t b_bytes) {
    const auto run = [&] {
      read_all<<<132 * 16, 256>>>(static_cast<const uint4*>(a), a_bytes / 16, static_cast<const uint4*>(b),
                                  b_bytes / 16, spare);
    };
    report(what, run, static_cast<double>(a_bytes + b_bytes));
  };

  {
    const std::size_t n = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000000000;
    auto* p = device_memory<float>(n);
    auto* y = device_memory<std::uint8_t>(n);
    fill_binary<<<2048, 512>>>(p, y, n);
    check(cudaDeviceSynchronize());
    const double bytes = static_cast<double>(n) * 5;
    std::printf("%zu forecasts, float32 and uint8\n", n);
    read("  reading alone", p, 4 * n, y, n);
    const PlumbCudaRows rows{p, y, PLUMB_CUDA_FLOAT, PLUMB_CUDA_BYTE, static_cast<std::int64_t>(n), 1, 0, nullptr};
    const Sums scores(2, 0, 0), logs(2, 1, 0), all(2, 1, 1);
    report("  table, Brier score, accuracy (ECE, MCE, counts)", [&] { scores.add(rows); }, bytes);
    report("  with the log-loss", [&] { logs.add(rows); }, bytes);
    report("  all sums of a state", [&] { all.add(rows); }, bytes);
    read("  reading alone, again", p, 4 * n, y, n);
    check(cudaFree(p));
    check(cudaFree(y));
  }
  for (const auto& [n, classes] : {std::pair<std::size_t, int>{10000000, 10}, {50000, 1000}, {10000, 1000}}) {
    auto* p = device_memory<float>(n * classes);
    auto* y = device_memory<std::uint8_t>(n);
    auto* wide = device_memory<std::int32_t>(n);
    fill_rows<<<2048, 256>>>(p, y, wide, n, classes);
    check(cudaDeviceSynchronize());
    const bool bytes_enough = classes <= 256;
    const double bytes = static_cast<double>(n) * (4.0 * classes + (bytes_enough ? 1 : 4));
    std::printf("%zu x %d, float32\n", n, classes);
    read("  reading alone", p, 4 * n * classes, wide, n * (bytes_enough ? 1 : 4));
    const PlumbCudaRows rows{p,
                             bytes_enough ? static_cast<const void*>(y) : wide,
                             PLUMB_CUDA_FLOAT,
                             bytes_enough ? PLUMB_CUDA_BYTE : PLUMB_CUDA_INT,
                             static_cast<std::int64_t>(n),
                             classes,
                             0,
                             nullptr};
    const Sums scores(classes, 0, 0), logs(classes, 1, 0), all(classes, 1, 1);
    report("  top label: table, Brier score, accuracy", [&] { scores.add(rows); }, bytes);
    report("  with the log-losses", [&] { logs.add(rows); }, bytes);
    report("  all sums of a state (class-wise)", [&] { all.add(rows); }, bytes, 5);
    check(cudaDeviceSynchronize());
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; ++i) logs.add(rows);
    const std::chrono::duration<double, std::micro> host = std::chrono::steady_clock::now() - start;
    check(cudaDeviceSynchronize());
    const std::chrono::duration<double, std::micro> done = std::chrono::steady_clock::now() - start;
    std::printf("  an update with the log-losses: %.1f microseconds of the host, %.1f until it is done\n",
                host.count() / 100, done.count() / 100);
    check(cudaFree(p));
    check(cudaFree(y));
    check(cudaFree(wide));
  }
}
