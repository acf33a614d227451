// NIfTI and PNG files for tests, made byte by byte.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>

#include "unit/io/files.hpp"

namespace plumb {

struct NiftiType {
  int code, bytes;
  const char* name;
};
inline constexpr NiftiType kNiftiTypes[] = {
    {2, 1, "uint8"},  {4, 2, "int16"},    {8, 4, "int32"},    {16, 4, "float32"}, {64, 8, "float64"},
    {256, 1, "int8"}, {512, 2, "uint16"}, {768, 4, "uint32"}, {1024, 8, "int64"}, {1280, 8, "uint64"}};

inline std::string gzipped(const std::string& bytes) {
  std::string out(bytes.size() + 1024, '\0');
  z_stream s{};
  deflateInit2(&s, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
  s.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  s.avail_in = static_cast<uInt>(bytes.size());
  s.next_out = reinterpret_cast<Bytef*>(out.data());
  s.avail_out = static_cast<uInt>(out.size());
  deflate(&s, Z_FINISH);
  out.resize(s.total_out);
  deflateEnd(&s);
  return out;
}

struct NiftiFile {
  int version = 1;
  bool big = false;
  NiftiType type = kNiftiTypes[0];
  std::vector<std::int64_t> shape;
  std::vector<double> values;  ///< x fastest
  double slope = 0, intercept = 0;
  std::array<double, 3> voxel{1, 1, 1}, quaternion{}, offset_mm{};
  double turn = 1;
  int qform = 0, sform = 0;
  std::array<double, 12> rows{};
  std::size_t extension = 0;  ///< bytes between header and voxels

  template <class T>
  void put(std::string& out, std::size_t at, T x) const {
    char raw[sizeof(T)];
    std::memcpy(raw, &x, sizeof x);
    if (big) std::reverse(raw, raw + sizeof x);
    if (out.size() < at + sizeof x) out.resize(at + sizeof x);
    std::memcpy(out.data() + at, raw, sizeof x);
  }
  void real(std::string& out, std::size_t first, std::size_t second, int i, double x) const {
    if (version == 1) put(out, first + 4 * i, static_cast<float>(x));
    if (version == 2) put(out, second + 8 * i, x);
  }
  void extent(std::string& out, int i, std::int64_t n) const {
    if (version == 1) put(out, 40 + 2 * i, static_cast<std::int16_t>(n));
    if (version == 2) put(out, 16 + 8 * i, n);
  }
  [[nodiscard]] std::string bytes() const {
    const std::size_t size = version == 1 ? 348 : 540, begin = size + 4 + extension;
    std::string out(begin, '\0');
    put(out, 0, static_cast<std::int32_t>(size));
    if (version == 1) std::memcpy(out.data() + 344, "n+1", 4);
    if (version == 2) std::memcpy(out.data() + 4, "n+2\0\r\n\x1a\n", 8);
    extent(out, 0, std::ssize(shape));
    for (int i = 0; i < std::ssize(shape); ++i) extent(out, i + 1, shape[i]);
    put(out, version == 1 ? 70 : 12, static_cast<std::int16_t>(type.code));
    put(out, version == 1 ? 72 : 14, static_cast<std::int16_t>(8 * type.bytes));
    if (version == 1) put(out, 108, static_cast<float>(begin));
    if (version == 2) put(out, 168, static_cast<std::int64_t>(begin));
    real(out, 112, 176, 0, slope);
    real(out, 112, 176, 1, intercept);
    real(out, 76, 104, 0, turn);
    for (int i = 0; i < 3; ++i) {
      real(out, 76, 104, i + 1, voxel[i]);
      real(out, 256, 352, i, quaternion[i]);
      real(out, 256, 352, i + 3, offset_mm[i]);
    }
    for (int i = 0; i < 12; ++i) real(out, 280, 400, i, rows[i]);
    if (version == 1) put(out, 252, static_cast<std::int16_t>(qform));
    if (version == 1) put(out, 254, static_cast<std::int16_t>(sform));
    if (version == 2) put(out, 344, qform);
    if (version == 2) put(out, 348, sform);
    for (const double x : values) add(out, x);
    return out;
  }
  void add(std::string& out, double x) const {
    const std::string name = type.name;
    const std::size_t at = out.size();
    if (name == "float32") put(out, at, static_cast<float>(x));
    if (name == "float64") put(out, at, x);
    if (name.starts_with("float")) return;
    if (type.bytes == 1) put(out, at, static_cast<std::uint8_t>(x));
    if (type.bytes == 2) put(out, at, static_cast<std::uint16_t>(x));
    if (type.bytes == 4) put(out, at, static_cast<std::uint32_t>(x));
    if (type.bytes == 8) put(out, at, static_cast<std::uint64_t>(x));
  }
};

/// A PNG file from its lines as they are packed, each with its filter byte.
inline std::string png_file(std::uint32_t width, std::uint32_t height, int depth, int colour,
                            const std::string& lines, std::size_t piece = 1000, int interlace = 0) {
  const auto big = [](std::uint32_t x) {
    std::string out;
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(x >> shift);
    return out;
  };
  std::string out = "\x89PNG\r\n\x1a\n";
  const auto chunk = [&](const std::string& type, const std::string& body) {
    const std::string checked = type + body;
    out += big(static_cast<std::uint32_t>(body.size())) + checked +
           big(static_cast<std::uint32_t>(
               crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size()))));
  };
  std::string packed(lines.size() + 200, '\0');
  uLongf size = packed.size();
  compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(lines.data()),
           lines.size());
  packed.resize(size);
  chunk("IHDR", big(width) + big(height) + static_cast<char>(depth) + static_cast<char>(colour) +
                    std::string(2, '\0') + static_cast<char>(interlace));
  if (colour == 3) chunk("PLTE", std::string(9, 'x'));
  for (std::size_t at = 0; at < packed.size(); at += piece) chunk("IDAT", packed.substr(at, piece));
  chunk("IEND", "");
  return out;
}

}  // namespace plumb
