// State files: eight letters that name the kind, format version, payload length, payload, FNV-1a of the
// payload. Little-endian throughout. One visitor serves both directions: fields are read in the order in
// which they were written.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "plumb/data/check.hpp"
#include "plumb/numeric/exact_sum.hpp"

namespace plumb::detail {

static_assert(std::endian::native == std::endian::little, "state files are written as they lie in memory");

[[nodiscard]] inline std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t h = 0xcbf29ce484222325ull;
  for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return h;
}

struct Writer {
  std::uint32_t format = 0;  ///< of the file, for visitors whose fields came later
  bool sparse = false;       ///< sums without their limbs of zeros
  std::string out;
  template <class T>
  void number(T& x) {
    out.append(reinterpret_cast<const char*>(&x), sizeof x);
  }
  template <class T>
  void size(std::vector<T>& v) {
    std::uint64_t n = v.size();
    number(n);
  }
  void text(std::string& s) {
    std::uint64_t n = s.size();
    number(n);
    out += s;
  }
};

struct Reader {
  std::string_view in;
  const std::string& name;
  std::uint32_t format = 0;
  bool sparse = false;
  [[noreturn]] void fail() const {
    throw InputError(name + ": the state file is damaged; save it again with ⟦save_state⟧");
  }
  template <class T>
  void number(T& x) {
    if (in.size() < sizeof x) fail();
    std::memcpy(&x, in.data(), sizeof x);
    in.remove_prefix(sizeof x);
  }
  void number(bool& x) {
    std::uint8_t b = 0;
    number(b);
    if (b > 1) fail();
    x = b == 1;
  }
  template <class T>
  void size(std::vector<T>& v) {
    std::uint64_t n = 0;
    number(n);
    if (n > in.size())
      fail();  // every element takes at least a byte: no allocation beyond the file's own size
    v.resize(n);
  }
  void text(std::string& s) {
    std::uint64_t n = 0;
    number(n);
    if (n > in.size()) fail();
    s.assign(in.substr(0, n));
    in.remove_prefix(n);
  }
};

/// Sparse: a byte that says which limbs follow, bit 0 the lowest; the others are 0, or with bit 6 all ones.
template <class Io>
void visit(Io& io, ExactSum& s) {
  auto limbs = s.limbs();
  if (!io.sparse) {
    for (auto& limb : limbs) io.number(limb);
  } else {
    const bool negative = limbs.back() == ~std::uint64_t{0};
    std::uint8_t which = negative ? 1 << 6 : 0;
    for (int i = 0; i < ExactSum::kLimbs; ++i)
      if (limbs[i] != (negative ? ~std::uint64_t{0} : 0)) which |= static_cast<std::uint8_t>(1 << i);
    io.number(which);
    for (int i = 0; i < ExactSum::kLimbs; ++i) {
      limbs[i] = (which & 1 << i) != 0 ? limbs[i] : (which & 1 << 6) != 0 ? ~std::uint64_t{0} : 0;
      if ((which & 1 << i) != 0) io.number(limbs[i]);
    }
  }
  s = ExactSum::from_limbs(limbs);
}

/// One after the other: numbers, texts, vectors of these, and whatever has a visit() in its own namespace.
template <class Io, class... Fields>
void fields(Io& io, Fields&... all) {
  const auto one = [&io]<class T>(T& x) {
    if constexpr (std::is_arithmetic_v<T>) {
      io.number(x);
    } else if constexpr (std::is_same_v<T, std::string>) {
      io.text(x);
    } else if constexpr (requires { x.resize(1); }) {
      io.size(x);
      for (auto& element : x) fields(io, element);
    } else {
      visit(io, x);
    }
  };
  (one(all), ...);
}

/// The whole file; `state` is copied, because one visitor serves both directions.
template <class State>
[[nodiscard]] std::string seal_state(std::string_view magic, std::uint32_t format, State state) {
  Writer payload_writer, file;
  payload_writer.format = format;
  fields(payload_writer, state);
  const std::string& payload = payload_writer.out;
  file.out = magic;
  std::uint64_t length = payload.size(), sum = checksum(payload);
  file.number(format);
  file.number(length);
  file.out += payload;
  file.number(sum);
  return std::move(file.out);
}

/// For what two states must agree on.
inline void check_equal(bool equal, const char* what) {
  if (!equal)
    throw InputError(std::string("these states were made with different ") + what +
                     " and cannot be merged; save every shard with the same options");
}

/// The payload, checked, of any format up to `newest`; refers to `bytes`.
[[nodiscard]] inline Reader open_state(std::string_view magic, std::uint32_t newest, std::string_view bytes,
                                       const std::string& name) {
  if (!bytes.starts_with(magic))
    throw InputError(name +
                     ": this is not a Plumb state file; make one with \"plumb evaluate ⟦save_state⟧\"");
  Reader in{bytes.substr(magic.size()), name, 0};
  std::uint32_t format = 0;
  std::uint64_t length = 0;
  in.number(format);
  if (format < 1 || format > newest)
    throw InputError(name + ": the state file has format " + std::to_string(format) +
                     " and this version reads format " + std::to_string(newest) +
                     (newest > 1 ? " and older ones" : "") +
                     "; use the version of Plumb that wrote it, or a newer one");
  in.number(length);
  if (in.in.size() < sizeof(std::uint64_t) || length != in.in.size() - sizeof(std::uint64_t)) in.fail();
  Reader payload{in.in.substr(0, length), name, format};
  in.in.remove_prefix(length);
  std::uint64_t sum = 0;
  in.number(sum);
  if (sum != checksum(payload.in)) in.fail();
  return payload;
}

/// The state of a file; `consistent` is asked because a file may be well-formed and still not be one of ours.
template <class State>
[[nodiscard]] State read_state(std::string_view magic, std::uint32_t format, std::string_view bytes,
                               const std::string& name, bool (*consistent)(const State&)) {
  Reader payload = open_state(magic, format, bytes, name);
  State s;
  fields(payload, s);
  if (!payload.in.empty() || !consistent(s)) payload.fail();
  return s;
}

}  // namespace plumb::detail
