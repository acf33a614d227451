// libplumb_cuda.so: the interface of plumb/cuda/plugin.hpp. It is long because all memory of the device is owned here,
// and every call says why it failed.
#include "plumb/cuda/plugin.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "cuda/plugin/kernels.cuh"

namespace plumb::cuda {
namespace {

template <int kValue>
using Constant = std::integral_constant<int, kValue>;

constexpr int kLeastMajor = 7;
constexpr std::int64_t kChunkBytes = std::int64_t{64} << 20;  // of the buffers between host and device

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

[[noreturn]] void refuse(cudaError_t code, const std::string& doing) {
  int driver = 0;
  switch (code) {
    case cudaErrorInsufficientDriver:
    case cudaErrorNoDevice:
      if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
        throw std::runtime_error("there is no NVIDIA driver on this machine");
      if (code == cudaErrorNoDevice) throw std::runtime_error("there is no CUDA device on this machine");
      throw std::runtime_error("the NVIDIA driver is too old: it is for CUDA " + version_text(driver) +
                               ", and CUDA " + version_text(CUDART_VERSION) + " or later is needed");
    case cudaErrorMemoryAllocation:
      throw std::runtime_error("the CUDA device ran out of memory while " + doing +
                               "; free some of it, or leave the device out");
    case cudaErrorNoKernelImageForDevice:
      throw std::runtime_error("the plugin has no code for this CUDA device; build it again for it");
    default:
      throw std::runtime_error(std::string("the CUDA device failed while ") + doing + " (" +
                               cudaGetErrorString(code) + ")");
  }
}
void check(cudaError_t code, const char* doing) {
  if (code != cudaSuccess) {
    cudaGetLastError();
    refuse(code, doing);
  }
}

/// Makes a device current, and the previous one again.
class Current {
 public:
  explicit Current(int device) {
    check(cudaGetDevice(&before_), "looking for devices");
    if (before_ != device) check(cudaSetDevice(device), "choosing the device");
    changed_ = before_ != device;
  }
  ~Current() {
    if (changed_) cudaSetDevice(before_);
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

struct DeviceMemory {
  std::byte* at = nullptr;
  explicit DeviceMemory(std::int64_t bytes) {
    check(cudaMalloc(reinterpret_cast<void**>(&at), std::max<std::int64_t>(bytes, 16)), "taking memory");
  }
  ~DeviceMemory() { cudaFree(at); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
};
struct PinnedMemory {
  std::byte* at = nullptr;
  explicit PinnedMemory(std::int64_t bytes) {
    check(cudaMallocHost(reinterpret_cast<void**>(&at), bytes), "taking pinned memory of the host");
  }
  ~PinnedMemory() { cudaFreeHost(at); }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
};

/// One of the two buffers through which rows of the host go: while one is copied and counted, the other
/// is filled.
struct Lane {
  PinnedMemory host{kChunkBytes};
  DeviceMemory device{kChunkBytes};
  cudaStream_t stream = nullptr;
  Lane() { check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream"); }
  ~Lane() { cudaStreamDestroy(stream); }
};

struct Device {
  int number = 0, processors = 0, shared_block = 0, shared_processor = 0, threads_processor = 0;
};
Device device_of(int number) {
  int count = 0, major = 0, minor = 0;
  check(cudaGetDeviceCount(&count), "looking for devices");
  if (number < 0 || number >= count)
    throw std::runtime_error("there is no CUDA device " + std::to_string(number) + "; this machine has " +
                             (count == 1 ? "one, number 0" : std::to_string(count) + ", numbered from 0"));
  Device d;
  d.number = number;
  const auto ask = [&](int& out, cudaDeviceAttr what) {
    check(cudaDeviceGetAttribute(&out, what, number), "asking for the device's properties");
  };
  ask(major, cudaDevAttrComputeCapabilityMajor);
  ask(minor, cudaDevAttrComputeCapabilityMinor);
  if (major < kLeastMajor)
    throw std::runtime_error("the CUDA device is too old: it has compute capability " +
                             std::to_string(major) + "." + std::to_string(minor) + ", and 7.0 is needed");
  ask(d.processors, cudaDevAttrMultiProcessorCount);
  ask(d.shared_block, cudaDevAttrMaxSharedMemoryPerBlockOptin);
  ask(d.shared_processor, cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  ask(d.threads_processor, cudaDevAttrMaxThreadsPerMultiProcessor);
  return d;
}

struct Launch {
  int blocks = 0, threads = 0, shared = 0;
};
/// As many threads as fit a multiprocessor with `bytes` of shared memory for each `share` threads.
Launch launch_for(const Device& d, int most_threads, int least_threads, std::int64_t bytes, int share) {
  Launch best;
  int most = 0;
  for (int threads = most_threads; threads >= least_threads; threads /= 2) {
    const std::int64_t shared = bytes * (threads / share);
    if (shared > d.shared_block) continue;
    const int blocks = static_cast<int>(
        std::min<std::int64_t>(d.shared_processor / (shared + 1024), d.threads_processor / threads));
    if (blocks * threads <= most) continue;
    most = blocks * threads;
    best = {blocks * d.processors, threads, static_cast<int>(shared)};
  }
  if (most == 0)
    throw std::runtime_error("so many bins do not fit the shared memory of the CUDA device; give fewer");
  return best;
}

class Sums {
 public:
  explicit Sums(const PlumbCudaPlan& plan)
      : plan_(plan),
        device_(device_of(plan.device)),
        current_(std::make_unique<Current>(plan.device)),
        count_(word_of(table_count(plan.classes, plan.by_class != 0), plan.bins, 0)),
        words_(count_ * 8),
        values_((std::int64_t{plan.classes} + 1) * 8) {
    begin_words<<<1, 256>>>(words(), count_);
    check(cudaGetLastError(), "starting a kernel");
    check(cudaMemset(values_.at, 0, (std::int64_t{plan.classes} + 1) * 8), "clearing memory");
    check(cudaDeviceSynchronize(), "clearing memory");
    current_.reset();
  }
  ~Sums() {
    try {  // the memory goes back on its own device
      current_ = std::make_unique<Current>(plan_.device);
    } catch (const std::exception&) {
    }
  }
  Sums(const Sums&) = delete;
  Sums& operator=(const Sums&) = delete;

  void add(const PlumbCudaRows& rows) {
    const Current current(plan_.device);
    const std::int64_t wanted = plan_.classes == 2 ? std::min<std::int64_t>(rows.columns, 2) : plan_.classes;
    if (rows.columns != wanted || rows.rows < 0)
      throw std::runtime_error("the predictions have " + std::to_string(rows.columns) +
                               " columns, and the sums are for " + std::to_string(plan_.classes) + " classes");
    columns_ = rows.columns;
    if (rows.rows == 0) return;
    if (rows.on_host != 0) {
      add_from_host(rows);
    } else {
      add_any(rows, static_cast<cudaStream_t>(rows.stream));
    }
    first_row_ += rows.rows;
  }

  void read(std::uint64_t* words, std::int64_t count, PlumbCudaBad* bad, double* bad_values,
            std::int64_t columns) {
    const Current current(plan_.device);
    if (count != count_) throw std::runtime_error("the sums were made for other bins");
    check(cudaDeviceSynchronize(), "counting");
    check(cudaMemcpy(words, words_.at, count * 8, cudaMemcpyDeviceToHost), "reading the sums");
    std::vector<double> values(plan_.classes + 1);
    check(cudaMemcpy(values.data(), values_.at, values.size() * 8, cudaMemcpyDeviceToHost),
          "reading the sums");
    bad->row = words[kBadRow] == kNone ? -1 : static_cast<std::int64_t>(words[kBadRow]);
    bad->label_row = words[kBadLabel] == kNone ? -1 : static_cast<std::int64_t>(words[kBadLabel]);
    bad->columns = columns_;
    bad->label = values[columns_];
    for (std::int64_t j = 0; j < std::min(columns, columns_); ++j) bad_values[j] = values[j];
  }

 private:
  std::uint64_t* words() { return reinterpret_cast<std::uint64_t*>(words_.at); }

  void add_from_host(const PlumbCudaRows& rows) {
    const std::int64_t p_bytes = rows.columns * (rows.probs_type == PLUMB_CUDA_FLOAT ? 4 : 8);
    const std::int64_t y_bytes = rows.labels_type == PLUMB_CUDA_BYTE    ? 1
                                 : rows.labels_type == PLUMB_CUDA_INT ? 4
                                                                      : 8;
    const std::int64_t most = kChunkBytes / (p_bytes + y_bytes) / 64 * 64;
    if (most == 0) throw std::runtime_error("a row of so many classes does not fit the buffers");
    if (!lanes_) lanes_ = std::make_unique<Lane[]>(2);
    const auto* p = static_cast<const std::byte*>(rows.probs);
    const auto* y = static_cast<const std::byte*>(rows.labels);
    const std::int64_t before = first_row_;
    std::int64_t turn = 0;
    for (std::int64_t at = 0; at < rows.rows; at += most, ++turn) {
      Lane& lane = lanes_[turn % 2];
      const std::int64_t n = std::min(most, rows.rows - at);
      check(cudaStreamSynchronize(lane.stream), "counting");
      std::memcpy(lane.host.at, p + at * p_bytes, n * p_bytes);
      std::memcpy(lane.host.at + most * p_bytes, y + at * y_bytes, n * y_bytes);
      const auto copy = [&](std::int64_t offset, std::int64_t bytes) {
        check(cudaMemcpyAsync(lane.device.at + offset, lane.host.at + offset, bytes, cudaMemcpyHostToDevice,
                              lane.stream),
              "copying to the device");
      };
      copy(0, n * p_bytes);
      copy(most * p_bytes, n * y_bytes);
      PlumbCudaRows part = rows;
      part.probs = lane.device.at;
      part.labels = lane.device.at + most * p_bytes;
      part.rows = n;
      first_row_ = before + at;
      add_any(part, lane.stream);
    }
    first_row_ = before;
    for (int i = 0; i < 2; ++i) check(cudaStreamSynchronize(lanes_[i].stream), "counting");
  }

  void add_any(const PlumbCudaRows& rows, cudaStream_t stream) {
    if (rows.probs_type == PLUMB_CUDA_FLOAT) {
      add_of(static_cast<const float*>(rows.probs), rows, stream);
    } else {
      add_of(static_cast<const double*>(rows.probs), rows, stream);
    }
  }
  template <class P>
  void add_of(const P* p, const PlumbCudaRows& rows, cudaStream_t stream) {
    switch (rows.labels_type) {
      case PLUMB_CUDA_BYTE: return add_typed(p, static_cast<const std::uint8_t*>(rows.labels), rows, stream);
      case PLUMB_CUDA_INT: return add_typed(p, static_cast<const std::int32_t*>(rows.labels), rows, stream);
      default: return add_typed(p, static_cast<const std::int64_t*>(rows.labels), rows, stream);
    }
  }

  template <class P, class L>
  void add_typed(const P* p, const L* y, const PlumbCudaRows& rows, cudaStream_t stream) {
    const bool log = plan_.log_loss != 0, classes = plan_.by_class != 0;
    if (plan_.classes == 2) {
      const bool pairs = rows.columns == 2;
      const P* const values = p;
      const auto column = [&](auto work, int cls, int table) {
        run_column<decltype(work)::value>(values, y, rows.rows, rows.columns, pairs, cls, table, stream);
      };
      if (classes) {
        log ? column(Constant<kScores | kLog | kShares>{}, 1, 0) : column(Constant<kScores | kShares>{}, 1, 0);
        column(Constant<kFlip | kShares>{}, 0, 1);
      } else {
        log ? column(Constant<kScores | kLog>{}, 1, 0) : column(Constant<kScores>{}, 1, 0);
      }
    } else {
      log ? run_rows<kLog>(p, y, rows.rows, stream) : run_rows<0>(p, y, rows.rows, stream);
      for (int k = 0; classes && k < plan_.classes; ++k)
        run_column<kShares>(p + k, y, rows.rows, rows.columns, false, k, 1 + k, stream);
    }
    keep_bad<<<1, 128, 0, stream>>>(p, y, rows.rows, first_row_, static_cast<int>(rows.columns), words(),
                                    reinterpret_cast<double*>(values_.at));
    check(cudaGetLastError(), "starting a kernel");
  }
  template <int kWork, class P, class L>
  void run_column(const P* p, const L* y, std::int64_t n, std::int64_t stride, bool pairs, int cls, int table,
                  cudaStream_t stream) {
    const std::int64_t bytes = std::int64_t{plan_.bins} * entry_bytes((kWork & kShares) != 0);
    const Launch launch = launch_for(device_, column_threads(kWork), 32, bytes, 1);
    const auto kernel = column_pass<P, L, kWork>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, launch.shared),
          "preparing a kernel");
    const std::int64_t threads = std::int64_t{launch.blocks} * launch.threads;
    const std::int64_t most = threads * (kThreadRows - 8);  // a multiple of 4
    for (std::int64_t at = 0; at < n; at += most) {
      const std::int64_t now = std::min(most, n - at);
      ColumnRows<P, L> in{p + at * stride, y + at, now, first_row_ + at, stride, pairs, false};
      const auto aligned = [](const void* x, std::size_t bytes_of_four) {
        return reinterpret_cast<std::uintptr_t>(x) % std::min<std::size_t>(bytes_of_four, 16) == 0;
      };
      in.quads = stride == 1 && !pairs && aligned(in.p, 4 * sizeof(P)) && aligned(in.labels, 4 * sizeof(L));
      const std::int64_t needed = (now / (in.quads ? 4 : 1) + launch.threads) / launch.threads;
      const int blocks = static_cast<int>(std::min<std::int64_t>(launch.blocks, needed));
      kernel<<<blocks, launch.threads, launch.shared, stream>>>(
          in, Target{words(), table, plan_.bins, plan_.classes, cls});
      check(cudaGetLastError(), "starting a kernel");
    }
  }

  template <int kWork, class P, class L>
  void run_rows(const P* p, const L* y, std::int64_t n, cudaStream_t stream) {
    const std::int64_t bytes = std::int64_t{plan_.bins} * entry_bytes(false);
    const bool few = plan_.classes <= kMostShort;
    const int share = few ? 1 : kLanes;  // threads of a row
    const Launch launch = launch_for(device_, kRowThreads, 32, bytes, share);
    const auto kernel = few ? short_row_pass<P, L, kWork> : row_pass<P, L, kWork>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, launch.shared),
          "preparing a kernel");
    const std::int64_t groups = launch.threads / share;
    const std::int64_t most = launch.blocks * groups * (kThreadRows - 8);
    for (std::int64_t at = 0; at < n; at += most) {
      const std::int64_t now = std::min(most, n - at);
      const int blocks =
          static_cast<int>(std::min<std::int64_t>(launch.blocks, (now + groups - 1) / groups));
      kernel<<<blocks, launch.threads, launch.shared, stream>>>(
          WideRows<P, L>{p + at * plan_.classes, y + at, now, first_row_ + at},
          Target{words(), 0, plan_.bins, plan_.classes, 0});
      check(cudaGetLastError(), "starting a kernel");
    }
  }

  PlumbCudaPlan plan_;
  Device device_;
  std::unique_ptr<Current> current_;  // while memory is taken or given back
  std::int64_t count_, first_row_ = 0, columns_ = 1;
  DeviceMemory words_, values_;
  std::unique_ptr<Lane[]> lanes_;
};

template <class Body>
int guarded(PlumbCudaError* error, Body body) {
  try {
    body();
    return 0;
  } catch (const std::bad_alloc&) {
    std::snprintf(error->text, sizeof error->text, "there is too little memory");
  } catch (const std::exception& e) {
    std::snprintf(error->text, sizeof error->text, "%s", e.what());
  }
  return 1;
}

int describe(int32_t number, PlumbCudaDevice* out, PlumbCudaError* error) {
  return guarded(error, [&] {
    (void)device_of(number);
    cudaDeviceProp p{};
    check(cudaGetDeviceProperties(&p, number), "asking for the device's properties");
    std::snprintf(out->name, sizeof out->name, "%s", p.name);
    out->major = p.major;
    out->minor = p.minor;
    out->memory = static_cast<int64_t>(p.totalGlobalMem);
    out->runtime = CUDART_VERSION;
    check(cudaDriverGetVersion(&out->driver), "asking for the driver's version");
  });
}
int create(const PlumbCudaPlan* plan, void** sums, PlumbCudaError* error) {
  return guarded(error, [&] { *sums = new Sums(*plan); });
}
int add(void* sums, const PlumbCudaRows* rows, PlumbCudaError* error) {
  return guarded(error, [&] { static_cast<Sums*>(sums)->add(*rows); });
}
int read(void* sums, uint64_t* words, int64_t count, PlumbCudaBad* bad, double* bad_values, int64_t columns,
         PlumbCudaError* error) {
  return guarded(error, [&] { static_cast<Sums*>(sums)->read(words, count, bad, bad_values, columns); });
}
void drop(void* sums) { delete static_cast<Sums*>(sums); }

int allocate(int32_t device, int64_t bytes, void** memory, PlumbCudaError* error) {
  return guarded(error, [&] {
    (void)device_of(device);
    const Current current(device);
    check(cudaMalloc(memory, std::max<int64_t>(bytes, 16)), "taking memory");
  });
}
int copy(int32_t device, void* to, const void* from, int64_t bytes, PlumbCudaError* error) {
  return guarded(error, [&] {
    const Current current(device);
    check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "copying");
  });
}
void release(int32_t device, void* memory) {
  PlumbCudaError ignored;
  guarded(&ignored, [&] {
    const Current current(device);
    cudaFree(memory);
  });
}

#ifndef PLUMB_CUDA_ARCHITECTURES
#define PLUMB_CUDA_ARCHITECTURES ""
#endif
constexpr PlumbCudaPlugin kPlugin{PLUMB_CUDA_ARCHITECTURES, describe, create,   add,  read,
                                  drop,                     allocate, copy, release};

}  // namespace
}  // namespace plumb::cuda

extern "C" {
__attribute__((visibility("default"))) int plumb_plugin_abi() { return PLUMB_CUDA_INTERFACE; }
__attribute__((visibility("default"))) const PlumbCudaPlugin* plumb_cuda_plugin() {
  return &plumb::cuda::kPlugin;
}
}
