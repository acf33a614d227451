#include "io/inflate.hpp"

#include <algorithm>
#include <array>
#include <new>

#include "plumb/data/check.hpp"

namespace plumb::detail {

InflateStream::InflateStream(std::vector<std::span<const std::byte>> pieces, Packing packing,
                             const std::string& name)
    : pieces_(std::move(pieces)), packing_(packing), name_(name) {
  constexpr int kGzipHeader = 16;  // zlib's way to ask for gzip
  if (inflateInit2(&stream_, MAX_WBITS + (packing == Packing::gzip ? kGzipHeader : 0)) != Z_OK)
    throw std::bad_alloc();
}

bool InflateStream::step(std::span<std::byte>& out) {
  if (ended_) return false;
  while (piece_ < pieces_.size() && pieces_[piece_].empty()) ++piece_;
  if (piece_ == pieces_.size()) throw InputError(name_ + " is damaged: its compressed data end early");
  constexpr std::size_t kMost = std::size_t{1} << 30;  // zlib counts in 32 bits
  std::span<const std::byte>& in = pieces_[piece_];
  const std::size_t given = std::min(in.size(), kMost), room = std::min(out.size(), kMost);
  stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(in.data()));
  stream_.avail_in = given;
  stream_.next_out = reinterpret_cast<Bytef*>(out.data());
  stream_.avail_out = room;
  const int status = inflate(&stream_, Z_NO_FLUSH);
  in = in.subspan(given - stream_.avail_in);
  out = out.subspan(room - stream_.avail_out);
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  if (status == Z_STREAM_END) {
    ended_ = packing_ == Packing::zlib || in.empty();
    if (!ended_ && inflateReset(&stream_) != Z_OK) throw std::bad_alloc();
  } else if (status != Z_OK && !(status == Z_BUF_ERROR && in.empty())) {
    throw InputError(name_ + " is damaged: its compressed data cannot be decompressed");
  }
  return true;
}

void InflateStream::read(std::span<std::byte> out) {
  while (!out.empty())
    if (!step(out)) throw InputError(name_ + " is damaged: its compressed data end early");
}

void InflateStream::skip(std::uint64_t bytes) {
  std::array<std::byte, 4096> scratch;
  for (; bytes > 0; bytes -= std::min<std::uint64_t>(bytes, scratch.size()))
    read(std::span(scratch).first(std::min<std::uint64_t>(bytes, scratch.size())));
}

void InflateStream::finish() {
  std::array<std::byte, 1> more;
  std::span<std::byte> rest = more;
  while (step(rest))
    if (rest.empty())
      throw InputError(name_ + " is damaged: it decompresses to more than its header declares");
}

}  // namespace plumb::detail
