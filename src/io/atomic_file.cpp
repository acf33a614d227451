#include "plumb/io/atomic_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>

#include "io/sweep.hpp"
#include "io/text.hpp"
#include "plumb/data/check.hpp"

namespace plumb {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 18;

// A signal handler may not allocate or lock:
// the names lie in fixed slots, `live` is set last and cleared first.
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

/// A new file that this process holds locked, so that no sweep removes it. -1 with errno: EAGAIN when a sweep
/// was faster.
int create_locked(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return fd;
  // Some file systems have no locks: what is left there by a killed run stays.
  const bool locked = ::flock(fd, LOCK_EX | LOCK_NB) == 0;
  struct stat info {};
  const bool gone = (!locked && errno == EWOULDBLOCK) || ::fstat(fd, &info) != 0 || info.st_nlink == 0;
  if (!gone) return fd;
  ::close(fd);
  errno = EAGAIN;
  return -1;
}

}  // namespace

std::string output_target(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int kMostLinks = 40;  // the system's own limit
  std::error_code error;
  fs::path at = fs::absolute(path, error);
  if (error) return path;
  for (int links = 0; links < kMostLinks && fs::is_symlink(fs::symlink_status(at, error)); ++links) {
    const fs::path to = fs::read_symlink(at, error);
    if (error) return path;
    at = to.is_absolute() ? to : at.parent_path() / to;
  }
  const fs::path folder = fs::canonical(at.parent_path(), error);
  return (error ? at.lexically_normal() : folder / at.filename()).string();
}

void remove_unfinished_files() noexcept {
  for (Slot& s : g_slots)
    if (s.live) ::unlink(s.path);
}

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), target_(path_) {
  struct stat info {};
  const bool exists = ::stat(path_.c_str(), &info) == 0;
  const int why = errno;
  if (path_.empty()) throw InputError("an output file needs a name");
  if (path_ == "-") throw InputError("this output is a file; give it a name instead of -");
  if (!exists && why == ELOOP) fail(why);
  if (exists && S_ISDIR(info.st_mode)) throw InputError("cannot write " + path_ + ": it is a directory");
  buffer_.reserve(kBuffer);
  if (exists && !S_ISREG(info.st_mode)) {
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) fail(errno);
    return;
  }
  // Behind a symbolic link, also one whose file is not there yet.
  std::error_code ignored;
  if (std::filesystem::is_symlink(std::filesystem::symlink_status(path_, ignored)))
    target_ = output_target(path_);
  // rename() would replace even a file that its owner made read-only.
  if (exists && ::access(target_.c_str(), W_OK) != 0) fail(errno);
  const std::filesystem::path target(target_);
  // room for the rest within the system's limit
  const std::string base = target.filename().string().substr(0, 100);
  detail::sweep_unfinished(target.parent_path().string());
  for (unsigned attempt = 0; fd_ < 0; ++attempt) {
    static std::atomic<unsigned> serial{0};
    const std::string name = detail::unfinished_name(base, ::getpid(), serial++);
    temporary_ = (target.parent_path() / name).string();
    fd_ = create_locked(temporary_);
    if (fd_ >= 0) break;
    const int error = errno;
    // Left by an earlier process of this number, or swept before it was locked.
    if ((error == EEXIST || error == EAGAIN) && attempt < 1000) continue;
    temporary_.clear();
    const std::filesystem::path folder = target.parent_path();
    if (error == ENOTDIR)
      throw InputError("cannot write " + path_ + ": " + folder.string() +
                       " is not a directory; give another name");
    if (error == ENOENT && !std::filesystem::exists(folder, ignored))
      throw InputError("cannot write " + path_ + ": its directory does not exist; create it first");
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

void AtomicFile::write_now(std::span<const std::byte> bytes) {
  if (fd_ < 0) throw std::logic_error("AtomicFile: " + path_ + " is written after its end");
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(errno);
    bytes = bytes.subspan(n);
  }
}

void AtomicFile::flush() {
  write_now(buffer_);
  buffer_.clear();
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  if (buffer_.size() + bytes.size() > kBuffer) flush();
  if (bytes.size() >= kBuffer) return write_now(bytes);
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void AtomicFile::write(std::string_view text) { write(std::as_bytes(std::span(text))); }

void AtomicFile::settle() {
  flush();
  // Pipes and devices cannot be synced and report these errors.
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
  // Syncs the directory, so that the new name survives a power failure; if that fails the file is
  // still complete.
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
