#include "available_memory.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

namespace plumb::cli {
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

}  // namespace

std::int64_t available_memory() {
  const auto kilobytes = number_in("/proc/meminfo", "MemAvailable:");
  std::int64_t bytes = kilobytes.value_or(0) * 1024;
  const auto most = number_in("/sys/fs/cgroup/memory.max", "");
  const auto used = number_in("/sys/fs/cgroup/memory.current", "");
  if (most && used) {
    // Pages of files can be given up.
    const std::int64_t files = number_in("/sys/fs/cgroup/memory.stat", "file").value_or(0);
    const std::int64_t left = std::max<std::int64_t>(1, *most - *used + files);
    bytes = bytes > 0 ? std::min(bytes, left) : left;
  }
  return bytes;
}

}  // namespace plumb::cli
