// A library to preload (LD_PRELOAD) that makes the system fail at a chosen call, so that tests see what a
// program does then. PLUMB_FAULT is "KIND:N", for the N-th call counted from 1:
//   ENOSPC, EIO, EINTR   this call fails with that error
//   KILL, INT, TERM      the process gets that signal before the call
//   short                every read and write moves at most N bytes (no call is counted)
//   count                nothing fails
// Calls are counted that a program makes to write a file: open to write, write, fsync, close of a written
// file, rename, unlink. Terminals, pipes and devices are left alone. PLUMB_FAULT_LOG names a file to which
// the number of calls is appended at exit.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

enum class Kind { none, error, signal, brief };
struct Plan {
  Kind kind = Kind::none;
  int value = 0;
  long at = 0;
};

Plan read_plan() {
  const char* const text = std::getenv("PLUMB_FAULT");
  const char* const colon = text == nullptr ? nullptr : std::strchr(text, ':');
  if (colon == nullptr) return {};
  const long at = std::atol(colon + 1);
  const auto is = [&](const char* name) {
    return std::strncmp(text, name, colon - text) == 0 && std::strlen(name) == std::size_t(colon - text);
  };
  if (is("ENOSPC")) return {Kind::error, ENOSPC, at};
  if (is("EIO")) return {Kind::error, EIO, at};
  if (is("EINTR")) return {Kind::error, EINTR, at};
  if (is("KILL")) return {Kind::signal, SIGKILL, at};
  if (is("INT")) return {Kind::signal, SIGINT, at};
  if (is("TERM")) return {Kind::signal, SIGTERM, at};
  if (is("short")) return {Kind::brief, 0, at};
  return {};
}

std::atomic<long> g_calls{0};

const Plan& plan() {
  static const Plan made = read_plan();
  return made;
}

/// Counts a call, and fails it or raises the signal when it is the chosen one.
bool fails() {
  const long call = ++g_calls;
  const Plan& p = plan();
  if (call != p.at) return false;
  if (p.kind == Kind::signal) raise(p.value);
  if (p.kind != Kind::error) return false;
  errno = p.value;
  return true;
}

bool regular(int fd) {
  struct stat info {};
  const int kept = errno;
  const bool yes = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  errno = kept;
  return yes;
}

bool written(int fd) { return regular(fd) && (::fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY; }

std::size_t allowed(int fd, std::size_t size) {
  return plan().kind == Kind::brief && regular(fd) ? std::min<std::size_t>(size, plan().at) : size;
}

template <class F>
F* next(const char* name) {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

struct AtExit {
  ~AtExit() {
    const char* const log = std::getenv("PLUMB_FAULT_LOG");
    if (log == nullptr) return;
    const int fd = next<int(const char*, int, ...)>("open")(log, O_WRONLY | O_CREAT | O_APPEND, 0666);
    char text[32];
    const int size = std::snprintf(text, sizeof text, "%ld\n", g_calls.load());
    if (fd >= 0) next<ssize_t(int, const void*, std::size_t)>("write")(fd, text, size);
  }
} g_at_exit;

int open_file(const char* name, const char* path, int flags, mode_t mode) {
  if ((flags & O_ACCMODE) != O_RDONLY && std::strncmp(path, "/dev/", 5) != 0 &&
      std::strncmp(path, "/proc/", 6) != 0 && fails())
    return -1;
  return next<int(const char*, int, ...)>(name)(path, flags, mode);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_file("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_file("open64", path, flags, mode);
}

ssize_t write(int fd, const void* data, std::size_t size) {
  if (regular(fd) && fails()) return -1;
  return next<ssize_t(int, const void*, std::size_t)>("write")(fd, data, allowed(fd, size));
}

ssize_t pwrite(int fd, const void* data, std::size_t size, off_t at) {
  if (regular(fd) && fails()) return -1;
  return next<ssize_t(int, const void*, std::size_t, off_t)>("pwrite")(fd, data, allowed(fd, size), at);
}

ssize_t writev(int fd, const iovec* parts, int count) {
  if (regular(fd) && fails()) return -1;
  return next<ssize_t(int, const iovec*, int)>("writev")(fd, parts, count);
}

ssize_t read(int fd, void* data, std::size_t size) {
  return next<ssize_t(int, void*, std::size_t)>("read")(fd, data, allowed(fd, size));
}

ssize_t pread(int fd, void* data, std::size_t size, off_t at) {
  return next<ssize_t(int, void*, std::size_t, off_t)>("pread")(fd, data, allowed(fd, size), at);
}

int fsync(int fd) {
  if (written(fd) && fails()) return -1;
  return next<int(int)>("fsync")(fd);
}

int close(int fd) {
  if (written(fd) && fails()) {
    const int why = errno;
    next<int(int)>("close")(fd);
    errno = why;
    return -1;
  }
  return next<int(int)>("close")(fd);
}

int rename(const char* from, const char* to) {
  if (fails()) return -1;
  return next<int(const char*, const char*)>("rename")(from, to);
}

int unlink(const char* path) {
  if (plan().kind != Kind::error && fails()) return -1;
  return next<int(const char*)>("unlink")(path);
}

}  // extern "C"
