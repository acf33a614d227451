// A file's bytes, mapped into memory and never copied; a pipe is read to its end instead.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// The path that means standard input, and what messages call it. A file of that name is "./-".
inline constexpr std::string_view kStandardInput = "-", kStandardInputName = "standard input";

class MappedFile {
 public:
  /// Standard input is read once; later calls give the same bytes. Throws InputError, naming the path, for
  /// what is missing, empty, a directory, a device or not readable.
  [[nodiscard]] static std::shared_ptr<const MappedFile> open(const std::string& path);

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

 private:
  explicit MappedFile(std::string path);
  [[nodiscard]] static std::shared_ptr<const MappedFile> standard_input();
  void map(int fd, std::size_t size);
  void read_all(int fd);

  std::string path_;
  std::span<const std::byte> bytes_;
  void* mapping_ = nullptr;
  int slot_ = -1;                // in the list that mapped_path() reads
  std::vector<std::byte> copy_;  // what a pipe gave
};

/// The path of the mapped file that holds this address, or null. Reading a part that was removed after
/// mapping raises SIGBUS; the program's handler, in which this is safe, can name the file.
[[nodiscard]] const char* mapped_path(const void* address) noexcept;

}  // namespace plumb
