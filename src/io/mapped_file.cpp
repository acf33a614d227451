#include "plumb/io/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>

#include "io/text.hpp"
#include "plumb/data/check.hpp"

namespace plumb {
namespace {

class Descriptor {
 public:
  explicit Descriptor(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

// A signal handler may not allocate or lock:
// mappings lie in fixed slots, and `begin` is set last and cleared first.
struct Mapping {
  std::atomic<bool> taken{false};
  std::atomic<const std::byte*> begin{nullptr};
  std::size_t size = 0;
  const char* path = nullptr;
};
std::array<Mapping, 4096> g_mappings;

/// -1 when all slots are taken: the file has no name then in mapped_path().
int register_mapping(const std::byte* begin, std::size_t size, const char* path) {
  for (int i = 0; i < std::ssize(g_mappings); ++i) {
    Mapping& m = g_mappings[i];
    if (m.taken.exchange(true)) continue;
    m.size = size;
    m.path = path;
    m.begin = begin;
    return i;
  }
  return -1;
}

}  // namespace

const char* mapped_path(const void* address) noexcept {
  const auto* const at = static_cast<const std::byte*>(address);
  for (const Mapping& m : g_mappings) {
    const std::byte* const begin = m.begin;
    if (begin != nullptr && at >= begin && at < begin + m.size) return m.path;
  }
  return nullptr;
}

MappedFile::MappedFile(std::string path) : path_(std::move(path)) {}

MappedFile::~MappedFile() {
  if (slot_ >= 0) {
    g_mappings[slot_].begin = nullptr;
    g_mappings[slot_].taken = false;
  }
  if (mapping_ != nullptr) ::munmap(mapping_, bytes_.size());
}

std::shared_ptr<const MappedFile> MappedFile::standard_input() {
  // Once for all flags: `-:p` and `-:y` are columns of one table.
  static std::mutex once;
  static std::shared_ptr<MappedFile> kept;
  const std::lock_guard lock(once);
  if (kept) return kept;
  if (::isatty(STDIN_FILENO) != 0)
    throw InputError("- reads standard input, which is a terminal here; pipe a table into the command");
  std::shared_ptr<MappedFile> result(new MappedFile(std::string(kStandardInputName)));
  result->read_all(STDIN_FILENO);
  if (result->bytes_.empty()) throw InputError(std::string(kStandardInputName) + " gave no data");
  kept = std::move(result);
  return kept;
}

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path) {
  if (path == kStandardInput) return standard_input();
  struct stat info {};
  // Checked before opening: opening a terminal or a device may block or have side effects.
  if (::stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) throw InputError(path + " does not exist");
    throw InputError(path + " cannot be opened: " + detail::system_reason(errno));
  }
  if (S_ISDIR(info.st_mode))
    throw InputError(path + " is a directory; name the files in it, or give a quoted pattern such as \"" +
                     path + (path.ends_with('/') ? "" : "/") + "*.npy\"");
  if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode))
    throw InputError(path + " is a device, not a file of data");
  const Descriptor file(path);
  if (file.get() < 0) throw InputError(path + " cannot be opened: " + detail::system_reason(errno));
  if (::fstat(file.get(), &info) != 0)
    throw InputError(path + " cannot be read: " + detail::system_reason(errno));

  std::shared_ptr<MappedFile> result(new MappedFile(path));
  if (S_ISREG(info.st_mode)) {
    if (info.st_size == 0) throw InputError(path + " is empty (0 bytes)");
    result->map(file.get(), info.st_size);
  } else {
    result->read_all(file.get());
    if (result->bytes_.empty())
      throw InputError(path +
                       " gave no data (a pipe can be read only once; save it to a file to use it again)");
  }
  return result;
}

void MappedFile::map(int fd, std::size_t size) {
  void* at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (at == MAP_FAILED) throw InputError(path_ + " cannot be mapped: " + detail::system_reason(errno));
  mapping_ = at;
  bytes_ = {static_cast<const std::byte*>(at), size};
  slot_ = register_mapping(bytes_.data(), size, path_.c_str());
}

void MappedFile::read_all(int fd) {
  constexpr std::size_t kStep = std::size_t{1} << 20;
  std::size_t used = 0;
  for (;;) {
    if (copy_.size() < used + kStep) copy_.resize(std::max(used + kStep, copy_.size() * 2));
    const ssize_t got = ::read(fd, copy_.data() + used, copy_.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw InputError(path_ + " cannot be read: " + detail::system_reason(errno));
    if (got == 0) break;
    used += got;
  }
  copy_.resize(used);
  copy_.shrink_to_fit();
  bytes_ = copy_;
}

}  // namespace plumb
