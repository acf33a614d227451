#include "plumb/io/png.hpp"

#include <zlib.h>

#include <stdexcept>

namespace plumb {
namespace {

void put_u32(std::string& out, std::uint32_t x) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(x >> shift & 0xff);
}

const Bytef* bytes_of(const std::string& s) { return reinterpret_cast<const Bytef*>(s.data()); }

void put_chunk(std::string& out, const std::string& type, const std::string& body) {
  put_u32(out, static_cast<std::uint32_t>(body.size()));
  const std::string checked = type + body;
  out += checked;
  put_u32(out, static_cast<std::uint32_t>(crc32(0, bytes_of(checked), static_cast<uInt>(checked.size()))));
}

}  // namespace

std::string encode_png(std::span<const std::uint8_t> pixels, int height, int width, int channels) {
  const char colour = channels == 1 ? 0 : channels == 3 ? 2 : 6;
  const auto line = static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
  if (pixels.size() != line * static_cast<std::size_t>(height) || (colour == 6 && channels != 4))
    throw std::logic_error("a PNG of other size than its pixels");
  std::string raw;
  for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y) {
    raw += '\0';  // the line as it is
    raw.append(reinterpret_cast<const char*>(pixels.data()) + y * line, line);
  }
  uLongf size = compressBound(static_cast<uLong>(raw.size()));
  std::string packed(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size, bytes_of(raw), static_cast<uLong>(raw.size()),
                Z_BEST_COMPRESSION) != Z_OK)
    throw std::bad_alloc();
  packed.resize(size);
  std::string head;
  put_u32(head, static_cast<std::uint32_t>(width));
  put_u32(head, static_cast<std::uint32_t>(height));
  head += std::string{8, colour, 0, 0, 0};  // bits; deflate, no filter of its own, not interlaced
  std::string out = "\x89PNG\r\n\x1a\n";
  put_chunk(out, "IHDR", head);
  put_chunk(out, "IDAT", packed);
  put_chunk(out, "IEND", "");
  return out;
}

}  // namespace plumb
