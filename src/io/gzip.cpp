#include "io/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <new>

#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

constexpr std::size_t kGzipBlock = std::size_t{1} << 20;  // of unpacked bytes: the size fixes the output

/// One block as raw deflate data that end at a byte, so that blocks can follow each other.
std::vector<std::byte> deflated_block(std::span<const std::byte> bytes, int level, bool last) {
  constexpr int kRaw = -15, kMemory = 8;
  constexpr std::size_t kFlush = 16;  // what ending at a byte may add to zlib's own bound
  z_stream s{};
  if (deflateInit2(&s, level, Z_DEFLATED, kRaw, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  std::vector<std::byte> out(deflateBound(&s, bytes.size()) + kFlush);
  s.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
  s.avail_in = static_cast<uInt>(bytes.size());
  s.next_out = reinterpret_cast<Bytef*>(out.data());
  s.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&s, last ? Z_FINISH : Z_FULL_FLUSH);
  const bool whole = status == (last ? Z_STREAM_END : Z_OK) && s.avail_in == 0;
  out.resize(s.total_out);
  deflateEnd(&s);
  if (!whole) throw std::bad_alloc();
  return out;
}

void append_little(std::vector<std::byte>& to, std::uint32_t x) {
  for (int shift = 0; shift < 32; shift += 8) to.push_back(std::byte(x >> shift & 0xff));
}

}  // namespace

std::vector<std::vector<std::byte>> gzip_pieces(std::initializer_list<std::span<const std::byte>> parts,
                                                int threads, int level) {
  std::vector<std::span<const std::byte>> blocks;
  for (std::span<const std::byte> rest : parts)
    for (; !rest.empty(); rest = rest.subspan(blocks.back().size()))
      blocks.push_back(rest.first(std::min(rest.size(), kGzipBlock)));
  if (blocks.empty()) blocks.emplace_back();
  std::vector<std::vector<std::byte>> out(blocks.size() + 2);
  std::vector<uLong> checks(blocks.size());
  parallel_blocks(std::ssize(blocks), 1, threads, [&](int, std::int64_t i, std::int64_t) {
    out[i + 1] = deflated_block(blocks[i], level, i + 1 == std::ssize(blocks));
    checks[i] =
        crc32(0, reinterpret_cast<const Bytef*>(blocks[i].data()), static_cast<uInt>(blocks[i].size()));
  });
  uLong check = checks[0];
  std::uint64_t size = blocks[0].size();
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    check = crc32_combine(check, checks[i], static_cast<z_off_t>(blocks[i].size()));
    size += blocks[i].size();
  }
  // RFC 1952: magic, deflate, no flags, no time, no hint, an unknown system.
  for (const int x : {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}) out.front().push_back(std::byte(x));
  append_little(out.back(), static_cast<std::uint32_t>(check));
  append_little(out.back(), static_cast<std::uint32_t>(size));
  return out;
}

}  // namespace plumb::detail
