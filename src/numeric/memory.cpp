#include "plumb/numeric/memory.hpp"

#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace plumb {

void prefer_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#ifdef __linux__
  constexpr std::size_t kWorthwhile = std::size_t{4} << 20;  // two huge pages, so that at least one is whole
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  if (bytes < kWorthwhile) return;
  // Only whole huge pages inside the array: memory next to it is not affected.
  const std::size_t skip = -reinterpret_cast<std::uintptr_t>(data) % kHugePage;
  const std::size_t length = (bytes - skip) / kHugePage * kHugePage;
  // A refusal costs nothing but time.
  static_cast<void>(madvise(static_cast<std::byte*>(data) + skip, length, MADV_HUGEPAGE));
#endif
}

}  // namespace plumb
