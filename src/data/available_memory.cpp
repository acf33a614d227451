#include "plumb/data/available_memory.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

namespace plumb {
namespace {

/// The number after `name` in a file of "name number" lines; the first number for an empty name.
std::optional<std::int64_t> number_in(const char* path, const std::string& name) {
  std::ifstream file(path);
  std::string word;
  std::int64_t value = 0;
  if (name.empty()) return file >> value ? std::optional(value) : std::nullopt;
  while (file >> word)
    if (word == name && file >> value) return value;
  return std::nullopt;
}

/// What a limit on the data of the process (ulimit -d) leaves it; 0 without one. Mapped files do not count.
std::int64_t left_of_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return 0;
  const auto most = static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, std::int64_t{1} << 62));
  return std::max<std::int64_t>(1, most - number_in("/proc/self/status", "VmData:").value_or(0) * 1024);
}

}  // namespace

std::int64_t available_memory() {
  const auto kilobytes = number_in("/proc/meminfo", "MemAvailable:");
  std::int64_t bytes = kilobytes.value_or(0) * 1024;
  const auto most = number_in("/sys/fs/cgroup/memory.max", "");
  const auto used = number_in("/sys/fs/cgroup/memory.current", "");
  if (most && used) {
    // Pages of files can be dropped.
    const std::int64_t files = number_in("/sys/fs/cgroup/memory.stat", "file").value_or(0);
    const std::int64_t left = std::max<std::int64_t>(1, *most - *used + files);
    bytes = bytes > 0 ? std::min(bytes, left) : left;
  }
  if (const std::int64_t left = left_of_limit(); left > 0) bytes = bytes > 0 ? std::min(bytes, left) : left;
  return bytes;
}

}  // namespace plumb
