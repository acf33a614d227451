// How much memory a run may take.
#pragma once

#include <cstdint>

namespace plumb::cli {

/// Bytes that the system says are available, less where a control group allows less; 0 where nothing is told.
[[nodiscard]] std::int64_t available_memory();

}  // namespace plumb::cli
