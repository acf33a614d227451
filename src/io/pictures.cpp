#include "plumb/io/pictures.hpp"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "plumb/data/check.hpp"
#include "plumb/io/mapped_file.hpp"

namespace plumb {
namespace {

std::string base64(std::string_view bytes) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 3; ++j)
      three = three << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j)
      out += i + j <= bytes.size() ? kLetters[three >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

/// The image type for a browser, from the first bytes and never from the name; empty: not an image.
std::string kind_of(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return "png";
  if (bytes.starts_with("\xff\xd8\xff")) return "jpeg";
  if (bytes.starts_with("GIF87a") || bytes.starts_with("GIF89a")) return "gif";
  if (bytes.starts_with("RIFF") && bytes.substr(0, 12).ends_with("WEBP")) return "webp";
  return "";
}

std::string uri(const std::string& kind, std::string_view bytes) {
  return "data:image/" + kind + ";base64," + base64(bytes);
}

bool is_channels(std::int64_t c) { return c == 1 || c == 3 || c == 4; }

/// The mean of the source pixels that a pixel of the smaller picture covers, at least in part.
struct Span {
  std::int64_t begin, end;
};
Span covered(std::int64_t at, std::int64_t small, std::int64_t large) {
  return {at * large / small, ((at + 1) * large + small - 1) / small};
}

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

std::string png_uri(std::string_view png) { return uri("png", png); }

Pictures::Pictures(Rows rows, std::string table)
    : rows_(std::move(rows)), folder_(std::filesystem::path(table).parent_path().string()) {
  if (rows_.is_text()) {
    if (rows_.width() != 1)
      throw InputError(rows_.name() + ": pictures are one column of paths, not " +
                       std::to_string(rows_.width()));
    return;
  }
  const std::vector<std::int64_t>& shape = rows_.shards().front().shape;
  if (shape.size() == 3) {
    height_ = shape[1];
    width_ = shape[2];
  } else if (shape.size() == 4 && (is_channels(shape[1]) || is_channels(shape[3]))) {
    channels_last_ = !is_channels(shape[1]);
    channels_ = channels_last_ ? shape[3] : shape[1];
    height_ = channels_last_ ? shape[1] : shape[2];
    width_ = channels_last_ ? shape[2] : shape[3];
  } else {
    throw InputError(
        rows_.name() + " is " + show_shape(shape) +
        "; pictures are N x height x width, N x channels x height x width or N x height x width x channels with 1, 3 or 4 channels, or a column of file names");
  }
}

std::string Pictures::data_uri(std::int64_t row) const {
  return rows_.is_text() ? from_file(row) : from_array(row);
}

std::string Pictures::from_array(std::int64_t row) const {
  std::vector<double> x(rows_.width());
  rows_.read(row, row + 1, x);
  double low = INFINITY, high = -INFINITY;
  for (const double v : x) {
    if (!std::isfinite(v)) continue;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  if (rows_.shards().front().dtype == DType::u8) {
    low = 0;
    high = 255;
  } else if (low >= 0 && high <= 1) {
    low = 0;
    high = 1;
  }
  const double scale = high > low ? 255 / (high - low) : 0;
  const auto value = [&](std::int64_t r, std::int64_t c, std::int64_t k) {
    const std::int64_t at =
        channels_last_ ? (r * width_ + c) * channels_ + k : (k * height_ + r) * width_ + c;
    const double v = x[at];
    return std::isfinite(v) ? (v - low) * scale : 0;
  };
  const std::int64_t longer = std::max(height_, width_);
  const std::int64_t most = std::min<std::int64_t>(longer, kThumbnailPixels);
  const std::int64_t height = std::max<std::int64_t>(1, height_ * most / longer),
                     width = std::max<std::int64_t>(1, width_ * most / longer);
  std::vector<std::uint8_t> pixels;
  for (std::int64_t r = 0; r < height; ++r)
    for (std::int64_t c = 0; c < width; ++c)
      for (std::int64_t k = 0; k < channels_; ++k) {
        const Span down = covered(r, height, height_), across = covered(c, width, width_);
        double sum = 0;
        for (std::int64_t i = down.begin; i < down.end; ++i)
          for (std::int64_t j = across.begin; j < across.end; ++j) sum += value(i, j, k);
        const double count = (down.end - down.begin) * (across.end - across.begin);
        pixels.push_back(std::clamp(sum / count + 0.5, 0.0, 255.0));
      }
  return uri("png", encode_png(pixels, height, width, channels_));
}

std::string Pictures::from_file(std::int64_t row) const {
  namespace fs = std::filesystem;
  const fs::path named = rows_.text(row), beside = fs::path(folder_) / named;
  std::error_code ignored;
  const fs::path path = fs::exists(beside, ignored) ? beside : named;
  if (!fs::is_regular_file(path, ignored))
    throw InputError(rows_.where(row) + ": there is no picture " + named.string() +
                     "; paths are relative to the folder of the table or to the current folder");
  const auto file = MappedFile::open(path.string());
  const std::string_view bytes{reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()};
  const std::string kind = kind_of(bytes);
  if (kind.empty())
    throw InputError(rows_.where(row) + ": " + path.string() +
                     " is not a PNG, JPEG, GIF or WebP file, which are the formats that a page can show");
  return bytes.size() > kMostPictureBytes ? "" : uri(kind, bytes);
}

}  // namespace plumb
