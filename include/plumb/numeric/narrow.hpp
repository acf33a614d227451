// Indices and extents are signed (std::int64_t, std::ssize); an index goes into [] as it is, a count into a
// product with double as it is. Where a value must become a smaller type, this is the one place that does it.
#pragma once

#include <cassert>
#include <concepts>
#include <utility>

namespace plumb {

/// The same value in another integer type. The caller knows that it fits; debug builds check.
template <std::integral To, std::integral From>
[[nodiscard]] constexpr To narrow(From value) {
  assert(std::in_range<To>(value));
  return static_cast<To>(value);
}

}  // namespace plumb
