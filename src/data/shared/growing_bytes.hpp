// Memory whose size is known only at the end, such as the decoded columns of a stream of batches. All of it
// together stays below a fixed budget; the rest is in unnamed temporary files, mapped as a .npy is,
// which the system may write out and forget.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plumb/data/array.hpp"

namespace plumb::detail {

/// Bytes that all growing memory of the process may keep outside of files.
inline constexpr std::size_t kMemoryBudget = std::size_t{64} << 20;

class GrowingBytes {
 public:
  /// `most`: bytes that stay in memory; 0: what the budget leaves.
  explicit GrowingBytes(std::size_t most = 0) : most_(most) {}
  GrowingBytes(const GrowingBytes&) = delete;
  GrowingBytes& operator=(const GrowingBytes&) = delete;
  ~GrowingBytes();

  /// Where the new bytes begin; what was there may have moved. Throws std::bad_alloc, and InputError when
  /// neither the file nor memory has room.
  std::byte* grow(std::size_t more) {
    if (more > capacity_ - size_) reserve(size_ + more);
    size_ += more;
    return data_ + size_ - more;
  }
  /// Nothing will be added; the file keeps only what is used and no longer counts among the open ones.
  void close();
  [[nodiscard]] std::byte* data() { return data_; }
  [[nodiscard]] const std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool in_file() const { return mapped_; }

 private:
  void reserve(std::size_t wanted);
  [[nodiscard]] bool fits_budget(std::size_t wanted) const;
  void grow_memory(std::size_t wanted);
  [[nodiscard]] int grow_file(std::size_t wanted);  // errno
  void back_to_memory(std::size_t wanted, int error);
  void forget();

  std::byte* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0, most_;
  int file_ = -1;
  bool mapped_ = false, no_file_ = false;
};

/// Numbers that come one after the other.
template <class T>
class GrowingNumbers {
 public:
  void push_back(T value) { std::memcpy(bytes_->grow(sizeof value), &value, sizeof value); }
  /// Room for `count` more, to be filled by the caller.
  T* grow(std::size_t count) { return reinterpret_cast<T*>(bytes_->grow(count * sizeof(T))); }
  [[nodiscard]] Array take(std::vector<std::int64_t> shape, std::string name) && {
    bytes_->close();
    const std::span<const T> all(reinterpret_cast<const T*>(bytes_->data()), bytes_->size() / sizeof(T));
    Array a = view_of(all, std::move(shape), std::move(name));
    a.owner = std::move(bytes_);
    return a;
  }

 private:
  std::shared_ptr<GrowingBytes> bytes_ = std::make_shared<GrowingBytes>();
};

}  // namespace plumb::detail
