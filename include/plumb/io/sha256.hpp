// SHA-256 (FIPS 180-4), so that a report can say which input it was made from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace plumb {

class Sha256 {
 public:
  void update(std::span<const std::byte> bytes);
  /// The digest in 64 hexadecimal digits; the state may be updated further.
  [[nodiscard]] std::string hex() const;

 private:
  void blocks(const std::byte* at, std::size_t count);
  void block(const std::byte* at);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> pending_{};
  std::uint64_t length_ = 0;
};

[[nodiscard]] std::string sha256(std::span<const std::byte> bytes);
/// Of a file's content, read in blocks; an empty file is allowed. Throws InputError when it cannot be read.
[[nodiscard]] std::string sha256_file(const std::string& path);

}  // namespace plumb
