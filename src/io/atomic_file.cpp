#include "plumb/io/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "io/text.hpp"
#include "plumb/data/check.hpp"

namespace plumb {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 18;

// A signal handler may not allocate or lock: the names lie in fixed slots, `live` is set last and cleared
// first.
struct Slot {
  std::atomic<bool> taken{false}, live{false};
  char path[PATH_MAX] = {};
};
std::array<Slot, 16> g_slots;

int register_temporary(const std::string& path) {
  for (int i = 0; i < std::ssize(g_slots) && path.size() < PATH_MAX; ++i) {
    if (g_slots[i].taken.exchange(true)) continue;
    std::memcpy(g_slots[i].path, path.c_str(), path.size() + 1);
    g_slots[i].live = true;
    return i;
  }
  return -1;  // more than sixteen at once: these are removed by their destructors only
}

void release_temporary(int slot) noexcept {
  if (slot < 0) return;
  g_slots[slot].live = false;
  g_slots[slot].taken = false;
}

std::string resolved(const std::string& path) {
  char* const real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  std::string s(real);
  std::free(real);
  return s;
}

}  // namespace

void remove_unfinished_files() noexcept {
  for (Slot& s : g_slots)
    if (s.live) ::unlink(s.path);
}

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), target_(path_) {
  struct stat info {};
  const bool exists = ::stat(path_.c_str(), &info) == 0;
  if (path_.empty()) throw InputError("an output file needs a name");
  if (exists && S_ISDIR(info.st_mode)) throw InputError("cannot write " + path_ + ": it is a directory");
  buffer_.reserve(kBuffer);
  if (exists && !S_ISREG(info.st_mode)) {
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) fail(errno);
    return;
  }
  if (exists) {
    target_ = resolved(path_);
    // rename() would replace even a file that its owner made read-only.
    if (::access(target_.c_str(), W_OK) != 0) fail(errno);
  }
  const std::filesystem::path whole(target_);
  // room for the rest within the system's limit
  const std::string base = whole.filename().string().substr(0, 100);
  for (unsigned attempt = 0; fd_ < 0; ++attempt) {
    static std::atomic<unsigned> serial{0};
    const std::string name =
        "." + base + "." + std::to_string(::getpid()) + "-" + std::to_string(serial++) + ".tmp";
    temporary_ = (whole.parent_path() / name).string();
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ >= 0) break;
    const int error = errno;
    if (error == EEXIST && attempt < 1000) continue;  // left by an earlier process of this number
    temporary_.clear();
    if (error == ENOENT || error == ENOTDIR)
      throw InputError("cannot write " + path_ + ": its directory does not exist");
    fail(error);
  }
  slot_ = register_temporary(temporary_);
  if (exists && ::fchmod(fd_, info.st_mode & 07777) != 0) fail(errno);
}

AtomicFile::~AtomicFile() { abandon(); }

void AtomicFile::abandon() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
  release_temporary(slot_);
  slot_ = -1;
}

void AtomicFile::fail(int error) {
  abandon();
  throw InputError("cannot write " + path_ + ": " + detail::system_reason(error));
}

void AtomicFile::put(std::span<const std::byte> bytes) {
  if (fd_ < 0) throw std::logic_error("AtomicFile: " + path_ + " is written after its end");
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(errno);
    bytes = bytes.subspan(n);
  }
}

void AtomicFile::flush() {
  put(buffer_);
  buffer_.clear();
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  if (buffer_.size() + bytes.size() > kBuffer) flush();
  if (bytes.size() >= kBuffer) return put(bytes);
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void AtomicFile::write(std::string_view text) { write(std::as_bytes(std::span(text))); }

void AtomicFile::settle() {
  flush();
  // Pipes and devices have nothing to bring to a disk and say so with these.
  if (::fsync(fd_) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP) fail(errno);
}

void AtomicFile::commit() {
  if (fd_ < 0) throw std::logic_error("AtomicFile: " + path_ + " is committed twice");
  settle();
  const int fd = fd_;
  fd_ = -1;
  if (::close(fd) != 0 && errno != EINTR) fail(errno);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
  release_temporary(slot_);
  slot_ = -1;
  // The new name itself should outlive a power cut; where the directory cannot be synced the file is still
  // whole.
  const std::string parent = std::filesystem::path(target_).parent_path().string();
  const int dir = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir >= 0) {
    ::fsync(dir);
    ::close(dir);
  }
}

void write_file(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace plumb
