#include "train/claim.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace plumb::train {

Claim::Claim(std::string path) : path_(std::move(path)) {
  for (;;) {
    fd_ = ::open(path_.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
    if (fd_ < 0 || ::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
      held_ = fd_ < 0 || errno != EWOULDBLOCK;  // without locks there is no way to wait
      return;
    }
    // The previous owner may have removed the file between the two calls; this lock is then on a
    // deleted file.
    struct stat mine {
    }, there{};
    if (::fstat(fd_, &mine) == 0 && ::stat(path_.c_str(), &there) == 0 && mine.st_ino == there.st_ino) {
      held_ = locked_ = true;
      return;
    }
    ::close(fd_);
  }
}

Claim::~Claim() {
  if (locked_) ::unlink(path_.c_str());
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace plumb::train
