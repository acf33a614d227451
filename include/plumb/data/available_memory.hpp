// How much memory a run may take.
#pragma once

#include <cstdint>

namespace plumb {

/// Bytes that the system says are available, or what the control group or the limit of the process on its
/// data (ulimit -d) leaves if that is lower; 0 if unknown.
[[nodiscard]] std::int64_t available_memory();

}  // namespace plumb
