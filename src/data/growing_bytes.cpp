#include "data/shared/growing_bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <new>
#include <system_error>

#include "plumb/data/available_memory.hpp"
#include "plumb/data/check.hpp"

namespace plumb::detail {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kSmall = std::size_t{64} << 10;  // not worth a file
constexpr std::size_t kLeastStep = std::size_t{1} << 20, kMostStep = std::size_t{64} << 20;

std::atomic<std::size_t> in_memory = 0;

std::string spool_folder() {
  const char* const given = std::getenv("TMPDIR");
  return given == nullptr || *given == 0 ? "/var/tmp" : given;
}

/// An unnamed temporary file; -1 where the folder takes none.
int open_nameless() {
  const int file = ::open(spool_folder().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  std::string name = spool_folder() + "/plumb-XXXXXX";  // file systems without O_TMPFILE
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

GrowingBytes::~GrowingBytes() { forget(); }

void GrowingBytes::forget() {
  if (mapped_) {
    ::munmap(data_, capacity_);
  } else {
    std::free(data_);
    in_memory -= capacity_;
  }
  if (file_ >= 0) ::close(file_);
  data_ = nullptr;
  capacity_ = 0;
  file_ = -1;
  mapped_ = false;
}

bool GrowingBytes::fits_budget(std::size_t wanted) const {
  if (most_ != 0) return wanted <= most_;
  return wanted <= kSmall || in_memory - capacity_ + wanted <= kMemoryBudget;
}

void GrowingBytes::reserve(std::size_t wanted) {
  if (no_file_ || (!mapped_ && fits_budget(wanted))) return grow_memory(wanted);
  if (const int error = grow_file(wanted); error != 0) back_to_memory(wanted, error);
}

void GrowingBytes::grow_memory(std::size_t wanted) {
  // Blocks of this size are moved by their pages, and pages that were never touched take no memory.
  // Growth is never by the requested amount alone: copying a block each time would take quadratic time.
  const std::size_t others = in_memory - capacity_;
  const std::size_t most = no_file_     ? std::numeric_limits<std::size_t>::max()
                           : most_ != 0 ? most_
                                        : std::max(kSmall, kMemoryBudget - std::min(kMemoryBudget, others));
  wanted = std::max(wanted, std::min(most, std::max(capacity_ * 2, kPage)));
  void* const at = std::realloc(data_, wanted);
  if (at == nullptr) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(at);
  in_memory += wanted - capacity_;
  capacity_ = wanted;
}

int GrowingBytes::grow_file(std::size_t wanted) {
  if (file_ < 0 && (file_ = open_nameless()) < 0) return errno;
  wanted = std::max(wanted, capacity_ + std::clamp(capacity_ / 4, kLeastStep, kMostStep));
  // Reserved, since a page that does not fit on the disk would otherwise end the process later on.
  if (const int error = ::posix_fallocate(file_, 0, static_cast<off_t>(wanted)); error != 0) return error;
  void* const at = mapped_ ? ::mremap(data_, capacity_, wanted, MREMAP_MAYMOVE)
                           : ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (at == MAP_FAILED) return errno;
  if (!mapped_) {
    if (size_ > 0) std::memcpy(at, data_, size_);
    std::free(data_);
    in_memory -= capacity_;
  }
  data_ = static_cast<std::byte*>(at);
  capacity_ = wanted;
  mapped_ = true;
  // What has been written is read again only at the end.
  ::madvise(data_, size_ / kPage * kPage, MADV_DONTNEED);
  return 0;
}

/// Without a file, memory is used as long as there is plenty.
void GrowingBytes::back_to_memory(std::size_t wanted, int error) {
  const std::int64_t available = available_memory();
  if (available > 0 && wanted > static_cast<std::size_t>(available) / 2)
    throw InputError(fmt::format(
        "the decoded columns take {} bytes, which fit neither in memory nor in {} ({}); set TMPDIR to a folder with more room",
        wanted, spool_folder(), std::generic_category().message(error)));
  no_file_ = true;
  if (!mapped_) {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
    return grow_memory(wanted);
  }
  auto* const at = static_cast<std::byte*>(std::malloc(wanted));
  if (at == nullptr) throw std::bad_alloc();
  std::memcpy(at, data_, size_);
  forget();
  data_ = at;
  capacity_ = wanted;
  in_memory += wanted;
}

void GrowingBytes::close() {
  if (file_ < 0) return;
  const std::size_t used = std::max(kPage, (size_ + kPage - 1) / kPage * kPage);
  if (mapped_ && used < capacity_) {
    if (::mremap(data_, capacity_, used, 0) != MAP_FAILED) capacity_ = used;
    if (::ftruncate(file_, static_cast<off_t>(capacity_)) != 0) errno = 0;  // only takes more of the disk
  }
  ::madvise(data_, size_ / kPage * kPage, MADV_DONTNEED);
  ::close(file_);
  file_ = -1;
}

}  // namespace plumb::detail
