// Packs bytes as one gzip file. The bytes do not depend on threads or on the time.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

namespace plumb::detail {

/// Pieces that follow each other: a header without time or name, blocks packed independently of each other,
/// the checksum: one member, as some programs read no more. `parts` follow each other too. `level` is zlib's;
/// voxels of probabilities gain little from more than 1.
[[nodiscard]] std::vector<std::vector<std::byte>> gzip_pieces(
    std::initializer_list<std::span<const std::byte>> parts, int threads, int level = 1);

}  // namespace plumb::detail
