// A CUDA device and arrays in its memory. The plugin libplumb_cuda.so is loaded when it is first needed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/data/array.hpp"

namespace plumb::cuda {

struct DeviceInfo {
  std::string name;
  int major = 0, minor = 0;   ///< compute capability
  std::int64_t memory = 0;    ///< bytes
  std::string driver;         ///< the version of CUDA that the driver is for: "13.0"
  std::string architectures;  ///< what the plugin has machine code for
};

/// InputError says in one sentence what is missing: the plugin, a driver, the device, or that one is too old.
[[nodiscard]] DeviceInfo device_info(int device = 0);
/// That sentence, or "" when the device can be used.
[[nodiscard]] std::string what_is_missing(int device = 0);

/// Numbers in the memory of a device, in C order. They must stay while work on them is under way.
struct DeviceArray {
  DType dtype = DType::f32;
  const void* data = nullptr;
  std::vector<std::int64_t> shape;
  std::string name;  ///< what messages call it
};
/// `memory` refers to the memory of the device.
template <class T>
[[nodiscard]] DeviceArray device_array(std::span<const T> memory, std::vector<std::int64_t> shape,
                                       std::string name) {
  return {plumb::detail::dtype_of<T>(), memory.data(), std::move(shape), std::move(name)};
}

/// A copy in the memory of a device, for programs that do not use CUDA themselves.
class DeviceCopy {
 public:
  DeviceCopy(const void* host, std::int64_t bytes, int device = 0);
  [[nodiscard]] const void* data() const { return memory_.get(); }

 private:
  std::shared_ptr<void> memory_;
};

}  // namespace plumb::cuda
