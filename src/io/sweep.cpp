#include "io/sweep.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>

namespace plumb::detail {
namespace {

constexpr std::string_view kMark = ".plumb-", kEnd = ".tmp";

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_unfinished_name(std::string_view name) {
  const std::size_t mark = name.rfind(kMark);
  if (!name.starts_with('.') || !name.ends_with(kEnd) || mark == std::string_view::npos) return false;
  std::string_view numbers = name.substr(mark + kMark.size());
  numbers.remove_suffix(std::min(kEnd.size(), numbers.size()));
  const std::size_t dash = numbers.find('-');
  return dash != std::string_view::npos && all_digits(numbers.substr(0, dash)) &&
         all_digits(numbers.substr(dash + 1));
}

/// The system releases the lock of a process when it ends, on every machine that shares the folder.
void remove_if_left(int folder, const char* name) {
  const int fd = ::openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return;
  struct stat info {};
  if (::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && ::flock(fd, LOCK_EX | LOCK_NB) == 0)
    ::unlinkat(folder, name, 0);
  ::close(fd);
}

}  // namespace

std::string unfinished_name(const std::string& base, int process, unsigned serial) {
  return "." + base + std::string(kMark) + std::to_string(process) + "-" + std::to_string(serial) +
         std::string(kEnd);
}

void sweep_unfinished(const std::string& folder) {
  constexpr int kMostEntries = 100'000;  // of a folder that would take long to read
  static std::mutex guard;
  static std::set<std::string> seen;
  {
    const std::lock_guard lock(guard);
    if (!seen.insert(folder).second) return;
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.empty() ? "." : folder.c_str()),
                                                 ::closedir);
  if (open == nullptr) return;
  for (int i = 0; i < kMostEntries; ++i) {
    const dirent* const entry = ::readdir(open.get());
    if (entry == nullptr) return;
    if (is_unfinished_name(entry->d_name)) remove_if_left(::dirfd(open.get()), entry->d_name);
  }
}

}  // namespace plumb::detail
