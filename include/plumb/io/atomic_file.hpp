// An output file that appears complete or not at all: written under a temporary name beside its target,
// renamed at the end.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

class AtomicFile {
 public:
  /// Creates the temporary file, and removes those that killed processes left in the same folder. A target
  /// that exists and is not a regular file (/dev/null, a pipe) is written directly. Here and below, a failure
  /// of the system (no such directory, disk full) is an InputError with path and reason.
  explicit AtomicFile(std::string path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();  ///< removes the temporary file unless committed

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  /// Flushes everything to disk. For several files, settle all and then commit each, so that a full disk
  /// leaves none of them.
  void settle();
  /// Settles and renames. Nothing may be written afterwards.
  void commit();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void flush();
  void write_now(std::span<const std::byte> bytes);
  void abandon() noexcept;
  [[noreturn]] void fail(int error);

  std::string path_;       // as given, for messages
  std::string target_;     // symbolic links resolved
  std::string temporary_;  // empty when written directly
  std::vector<std::byte> buffer_;
  int fd_ = -1;
  int slot_ = -1;  // in the list that remove_unfinished_files() reads
};

/// Where a file of this name would be written: absolute, symbolic links followed even when the file behind
/// them is not there yet. Two names are one file when their targets are the same.
[[nodiscard]] std::string output_target(const std::string& path);

/// Removes the temporary files of all unfinished AtomicFiles.
/// Safe in a signal handler that then ends the process.
void remove_unfinished_files() noexcept;

/// Writes a small file at once.
void write_file(const std::string& path, std::string_view text);

}  // namespace plumb
