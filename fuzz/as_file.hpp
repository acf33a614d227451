// Bytes as a file that exists only in memory, for readers that take a path.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <string>

namespace plumb {

class AsFile {
 public:
  AsFile(const unsigned char* data, std::size_t size) : file_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    for (std::size_t done = 0; done < size;) {
      const ssize_t wrote = ::write(file_, data + done, size - done);
      if (wrote <= 0) break;
      done += static_cast<std::size_t>(wrote);
    }
  }
  AsFile(const AsFile&) = delete;
  AsFile& operator=(const AsFile&) = delete;
  ~AsFile() { ::close(file_); }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

}  // namespace plumb
