// Memory for what is unpacked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>

#include "plumb/data/check.hpp"

namespace plumb::detail {

/// Memory of its own, aligned for every type (make_shared would align it for bytes).
inline std::shared_ptr<std::byte[]> aligned_memory(std::uint64_t n, const std::string& name) {
  try {
    return std::shared_ptr<std::byte[]>(new std::byte[std::max<std::uint64_t>(n, 1)]);
  } catch (const std::bad_alloc&) {
    throw InputError(name + " needs " + std::to_string(n) + " bytes of memory, more than is available");
  }
}

}  // namespace plumb::detail
