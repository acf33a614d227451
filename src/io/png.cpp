#include "plumb/io/png.hpp"

#include <zlib.h>

#include <stdexcept>

namespace plumb {
namespace {

void append_u32(std::string& out, std::uint32_t x) {
  for (int shift = 24; shift >= 0; shift -= 8) out += x >> shift & 0xff;
}

const Bytef* bytes_of(const std::string& s) { return reinterpret_cast<const Bytef*>(s.data()); }

void append_chunk(std::string& out, const std::string& type, const std::string& body) {
  append_u32(out, body.size());
  const std::string checked = type + body;
  out += checked;
  append_u32(out, crc32(0, bytes_of(checked), checked.size()));
}

}  // namespace

std::string encode_png(std::span<const std::uint8_t> pixels, int height, int width, int channels) {
  const char colour = channels == 1 ? 0 : channels == 3 ? 2 : 6;
  const std::int64_t line = std::int64_t{width} * channels;
  if (std::ssize(pixels) != line * height || (colour == 6 && channels != 4))
    throw std::logic_error("a PNG of other size than its pixels");
  std::string raw;
  for (int y = 0; y < height; ++y) {
    raw += '\0';  // the line as it is
    raw.append(reinterpret_cast<const char*>(pixels.data()) + y * line, line);
  }
  uLongf size = compressBound(raw.size());
  std::string packed(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size, bytes_of(raw), raw.size(),
                Z_BEST_COMPRESSION) != Z_OK)
    throw std::bad_alloc();
  packed.resize(size);
  std::string head;
  append_u32(head, width);
  append_u32(head, height);
  head += std::string{8, colour, 0, 0, 0};  // bits; deflate, no filter of its own, not interlaced
  std::string out = "\x89PNG\r\n\x1a\n";
  append_chunk(out, "IHDR", head);
  append_chunk(out, "IDAT", packed);
  append_chunk(out, "IEND", "");
  return out;
}

}  // namespace plumb
