#include "plumb/io/idx.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include "plumb/data/check.hpp"

namespace plumb {
namespace {

constexpr std::int64_t kLargestIdx = std::int64_t{1} << 36, kChunk = 1 << 20;

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), file_(gzopen(path.c_str(), "rb"), gzclose) {
    if (file_ == nullptr) throw InputError("cannot open " + path);
  }
  void read(std::span<std::uint8_t> out) {  // gzread reads plain files as they are
    if (gzread(file_.get(), out.data(), out.size()) != std::ssize(out))
      throw InputError(path_ + " ends before it should, or is damaged");
  }
  std::int64_t word() {
    std::array<std::uint8_t, 4> b{};
    read(b);
    return std::int64_t{b[0]} << 24 | std::int64_t{b[1]} << 16 | std::int64_t{b[2]} << 8 | b[3];
  }
  bool ended() { return gzgetc(file_.get()) == -1; }

 private:
  const std::string& path_;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
};

}  // namespace

IdxBytes read_idx(const std::string& path, int axes) {
  Reader in(path);
  if (const std::int64_t magic = in.word(); magic != 0x800 + axes)
    throw InputError(path + " is not an IDX file of bytes with " + std::to_string(axes) +
                     (axes == 1 ? " axis" : " axes") + ": it begins with the word " + std::to_string(magic) +
                     ", not " + std::to_string(0x800 + axes));
  IdxBytes out;
  std::int64_t left = 1;
  for (int a = 0; a < axes; ++a) {
    const std::int64_t side = in.word();
    out.shape.push_back(side);
    if (side > 0 && left > kLargestIdx / side)
      throw InputError(path + " claims to be of shape " + show_shape(out.shape) + ", which is impossible");
    left *= side;
  }
  while (left > 0) {
    const std::int64_t n = std::min(left, kChunk);
    out.values.resize(out.values.size() + n);
    in.read(std::span(out.values).last(n));
    left -= n;
  }
  if (!in.ended())
    throw InputError(path + " goes on after its " + show_shape(out.shape) + " bytes; it is damaged");
  return out;
}

}  // namespace plumb
