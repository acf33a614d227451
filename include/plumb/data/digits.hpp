// Whole numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace plumb {

/// "12,345".
[[nodiscard]] std::string thousands(std::int64_t n);

}  // namespace plumb
