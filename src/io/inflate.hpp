// Unpacks zlib and gzip streams piece by piece, exactly as many bytes as are asked for.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace plumb::detail {

enum class Packing { zlib, gzip };

/// A packed byte expands to at most this many: a larger claim is false and is refused without allocating.
inline constexpr std::uint64_t kMostInflation = 1032;

class InflateStream {
 public:
  /// `pieces` follow each other; gzip may have several members, one after the other. `name` is for messages
  /// and must stay alive.
  InflateStream(std::vector<std::span<const std::byte>> pieces, Packing packing, const std::string& name);
  InflateStream(const InflateStream&) = delete;
  InflateStream& operator=(const InflateStream&) = delete;
  ~InflateStream() { inflateEnd(&stream_); }

  /// Fills `out`; InputError when the data are damaged or end before.
  void read(std::span<std::byte> out);
  void skip(std::uint64_t bytes);
  /// Nothing may follow the last byte asked for; checksums are compared here.
  void finish();

 private:
  /// Fills as much of `out` as one call can; false at the end of the stream.
  bool step(std::span<std::byte>& out);

  z_stream stream_{};
  std::vector<std::span<const std::byte>> pieces_;
  std::size_t piece_ = 0;
  Packing packing_;
  const std::string& name_;
  bool ended_ = false;
};

}  // namespace plumb::detail
