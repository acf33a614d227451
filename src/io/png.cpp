// PNG (ISO/IEC 15948): signature, chunks with checksums, one zlib stream of filtered lines.
#include "plumb/io/png.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "io/inflate.hpp"
#include "io/memory.hpp"
#include "plumb/data/check.hpp"

namespace plumb {
namespace {

using PngBytes = std::span<const std::byte>;

[[noreturn]] void damaged_png(const std::string& name, const std::string& what) {
  throw InputError(name + " is a damaged PNG file: " + what);
}

std::uint32_t png_word(PngBytes bytes, std::size_t at) {
  std::uint32_t x = 0;
  for (std::size_t i = 0; i < 4; ++i) x = x << 8 | std::to_integer<std::uint32_t>(bytes[at + i]);
  return x;
}

struct Picture {
  std::int64_t width = 0, height = 0;
  int depth = 8;
  std::vector<PngBytes> packed;  ///< the pieces of the stream, in order
  [[nodiscard]] std::int64_t line_bytes() const { return (width * depth + 7) / 8; }
};

Picture png_header(PngBytes body, const std::string& name) {
  if (body.size() != 13) damaged_png(name, "its header has " + std::to_string(body.size()) + " bytes");
  Picture p;
  p.width = png_word(body, 0);
  p.height = png_word(body, 4);
  p.depth = std::to_integer<int>(body[8]);
  const int colour = std::to_integer<int>(body[9]), interlace = std::to_integer<int>(body[12]);
  constexpr std::int64_t kMost = 0x7fffffff;
  if (p.width < 1 || p.height < 1 || p.width > kMost || p.height > kMost)
    damaged_png(name, "its size is " + std::to_string(p.width) + " x " + std::to_string(p.height));
  if (colour == 2 || colour == 4 || colour == 6)
    throw InputError(
        name +
        " is a PNG file with colours or opacity, and a number for each pixel is needed; save it as greyscale or with a palette");
  const bool known = p.depth == 1 || p.depth == 2 || p.depth == 4 || p.depth == 8 || p.depth == 16;
  if ((colour != 0 && colour != 3) || !known || (colour == 3 && p.depth == 16) || body[10] != std::byte{0} ||
      body[11] != std::byte{0} || interlace > 1)
    damaged_png(name, "its header is invalid");
  if (interlace == 1)
    throw InputError(name + " is an interlaced PNG file, which cannot be read; save it without interlacing");
  return p;
}

Picture png_chunks(PngBytes bytes, const std::string& name) {
  constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kSignature)) throw InputError(name + " is not a PNG file");
  Picture out;
  for (std::size_t at = kSignature.size();;) {
    if (bytes.size() - at < 12) damaged_png(name, "it ends early");
    const std::size_t size = png_word(bytes, at);
    if (size > bytes.size() - at - 12) damaged_png(name, "it ends early");
    const std::string_view type = text.substr(at + 4, 4);
    const PngBytes checked = bytes.subspan(at + 4, size + 4), body = checked.subspan(4);
    if (crc32_z(0, reinterpret_cast<const Bytef*>(checked.data()), checked.size()) !=
        png_word(bytes, at + 8 + size))
      damaged_png(name, "a checksum does not match");
    const bool first = at == kSignature.size();
    if (first != (type == "IHDR")) damaged_png(name, "its header is not where it should be");
    if (first) out = png_header(body, name);
    if (type == "IDAT") out.packed.push_back(body);
    if (type == "IEND") return out;
    at += size + 12;
  }
}

std::uint8_t paeth(int a, int b, int c) {
  const int p = a + b - c, to_a = std::abs(p - a), to_b = std::abs(p - b), to_c = std::abs(p - c);
  if (to_a <= to_b && to_a <= to_c) return static_cast<std::uint8_t>(a);
  return static_cast<std::uint8_t>(to_b <= to_c ? b : c);
}

/// Takes the filter off a line; `above` is the line before, `step` the bytes of a pixel.
void unfilter(int filter, std::span<std::uint8_t> line, std::span<const std::uint8_t> above, std::size_t step,
              const std::string& name) {
  if (filter > 4) damaged_png(name, "a line has filter " + std::to_string(filter));
  for (std::size_t i = 0; i < line.size(); ++i) {
    const int a = i >= step ? line[i - step] : 0, b = above[i], c = i >= step ? above[i - step] : 0;
    const int guess[] = {0, a, b, (a + b) / 2, paeth(a, b, c)};
    line[i] = static_cast<std::uint8_t>(line[i] + guess[filter]);
  }
}

}  // namespace

Array parse_png(PngBytes bytes, const std::string& name) {
  const Picture p = png_chunks(bytes, name);
  const std::int64_t line = p.line_bytes();
  std::uint64_t packed = 0;
  for (const PngBytes piece : p.packed) packed += piece.size();
  if (static_cast<std::uint64_t>(line + 1) > (packed + 1) * detail::kMostInflation / p.height)
    damaged_png(name, "its header declares " + std::to_string(p.width) + " x " + std::to_string(p.height) +
                          " pixels, more than the file can hold");
  const std::int64_t pixel = p.depth == 16 ? 2 : 1;
  const auto kept = detail::aligned_memory(p.width * p.height * pixel, name);
  detail::InflateStream in(p.packed, detail::Packing::zlib, name);
  std::vector<std::uint8_t> now(line), above(line);
  auto* out = reinterpret_cast<std::uint8_t*>(kept.get());
  for (std::int64_t y = 0; y < p.height; ++y) {
    std::byte filter{};
    in.read({&filter, 1});
    in.read(std::as_writable_bytes(std::span(now)));
    unfilter(std::to_integer<int>(filter), now, above, pixel, name);
    if (p.depth >= 8) {
      out = std::copy(now.begin(), now.end(), out);
    } else {
      for (std::int64_t x = 0; x < p.width; ++x)
        *out++ = now[x * p.depth / 8] >> (8 - p.depth - x * p.depth % 8) & ((1 << p.depth) - 1);
    }
    std::swap(now, above);
  }
  in.finish();
  Array a;
  a.dtype = p.depth == 16 ? DType::u16 : DType::u8;
  a.swapped = p.depth == 16;  // the file has the high byte first
  a.shape = {p.height, p.width};
  a.strides = {p.width * pixel, pixel};
  a.data = kept.get();
  a.owner = kept;
  a.name = name;
  return a;
}

}  // namespace plumb
