#include "plumb/cuda/device.hpp"

#include <mutex>

#include "cuda/plugin_calls.hpp"
#include "plumb/io/plugin.hpp"

namespace plumb::cuda {

const PlumbCudaPlugin& plugin() {
  // Tried again where it failed: the search path may have changed.
  static std::mutex mutex;
  static const PlumbCudaPlugin* loaded = nullptr;
  const std::scoped_lock lock(mutex);
  if (loaded == nullptr) {
    const Plugin file("cuda", PLUMB_CUDA_INTERFACE,
                      {"a CUDA device", "build Plumb where nvcc is found (docs/gpu.md)"});
    loaded = file.function<const PlumbCudaPlugin*()>("plumb_cuda_plugin")();
  }
  return *loaded;
}

DeviceInfo device_info(int device) {
  PlumbCudaDevice d{};
  call(plugin().describe, device, &d);
  return {d.name,
          d.major,
          d.minor,
          d.memory,
          std::to_string(d.driver / 1000) + "." + std::to_string(d.driver % 1000 / 10),
          plugin().architectures};
}

std::string what_is_missing(int device) {
  try {
    (void)device_info(device);
    return "";
  } catch (const InputError& e) {
    return e.what();
  }
}

DeviceCopy::DeviceCopy(const void* host, std::int64_t bytes, int device) {
  void* memory = nullptr;
  call(plugin().allocate, device, bytes, &memory);
  memory_ = std::shared_ptr<void>(memory, [device](void* m) { plugin().release(device, m); });
  call(plugin().copy, device, memory, host, bytes);
}

}  // namespace plumb::cuda
