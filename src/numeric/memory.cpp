#include "plumb/numeric/memory.hpp"

#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "plumb/numeric/parallel.hpp"

namespace plumb {

void prefer_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#ifdef __linux__
  constexpr std::size_t kWorthwhile = std::size_t{4} << 20;  // two huge pages, so that at least one is whole
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  if (bytes < kWorthwhile) return;
  // Only whole huge pages inside the array: memory next to it is not affected.
  const std::size_t skip = -reinterpret_cast<std::uintptr_t>(data) % kHugePage;
  const std::size_t length = (bytes - skip) / kHugePage * kHugePage;
  // If the request fails, only speed is lost.
  static_cast<void>(madvise(static_cast<std::byte*>(data) + skip, length, MADV_HUGEPAGE));
#endif
}

void hand_out([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes, [[maybe_unused]] int threads) {
#if defined(__linux__) && defined(MADV_POPULATE_WRITE)
  constexpr std::int64_t kPart = std::int64_t{4} << 20;
  const std::size_t page = sysconf(_SC_PAGESIZE);
  if (resolve_threads(threads) == 1 || bytes < 4 * static_cast<std::size_t>(kPart)) return;
  const std::size_t skip = -reinterpret_cast<std::uintptr_t>(data) % page;
  std::byte* const first = static_cast<std::byte*>(data) + skip;
  parallel_blocks(static_cast<std::int64_t>((bytes - skip) / page * page), kPart, threads,
                  [&](int, std::int64_t begin, std::int64_t end) {
                    static_cast<void>(madvise(first + begin, end - begin, MADV_POPULATE_WRITE));
                  });
#endif
}

}  // namespace plumb
