// The directory of a zip archive (APPNOTE 6.3, with zip64), read from its end and never trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace plumb::detail {

struct ZipEntry {
  std::string name;
  std::uint16_t method = 0;  ///< 0 stored, 8 deflated
  std::uint16_t flags = 0;
  std::uint32_t crc = 0;
  std::uint64_t compressed = 0;
  std::uint64_t size = 0;  ///< when unpacked, as the directory claims
  std::uint64_t offset = 0;
};

/// `name` is the archive's, for messages.
[[nodiscard]] std::vector<ZipEntry> zip_directory(std::span<const std::byte> bytes, const std::string& name);
/// The packed bytes of an entry. Refuses what is encrypted or packed in another way than 0 and 8.
[[nodiscard]] std::span<const std::byte> zip_payload(std::span<const std::byte> bytes, const ZipEntry& entry,
                                                     const std::string& name);

}  // namespace plumb::detail
