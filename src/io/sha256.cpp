#include "plumb/io/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <fstream>
#include <vector>

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "io/text.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/mapped_file.hpp"

namespace plumb {
namespace {

// First 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2).
constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(const std::byte* at) {
  return std::to_integer<std::uint32_t>(at[0]) << 24 | std::to_integer<std::uint32_t>(at[1]) << 16 |
         std::to_integer<std::uint32_t>(at[2]) << 8 | std::to_integer<std::uint32_t>(at[3]);
}

}  // namespace

#ifdef __x86_64__
namespace {

/// Whether the processor has the SHA instructions (and SSE 4.1, which come with them).
bool has_sha() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_SSE4_1) == 0) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
}

/// Four rounds at a time in hardware; the state as the instructions want it: A B E F and C D G H.
__attribute__((target("sha,sse4.1"))) void sha_blocks(std::uint32_t* state, const std::byte* at,
                                                      std::size_t count) {
  const __m128i turn = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);  // to little endian
  const auto load = [](const void* from) __attribute__((target("sha,sse4.1"))) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
  };
  const __m128i cdab = _mm_shuffle_epi32(load(state), 0xb1), efgh = _mm_shuffle_epi32(load(state + 4), 0x1b);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
  for (; count > 0; --count, at += 64) {
    const __m128i before0 = abef, before1 = cdgh;
    __m128i w[4];
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {
      __m128i& now = w[i % 4];
      if (i < 4) {
        now = _mm_shuffle_epi8(load(at + std::ptrdiff_t{16} * i), turn);
      } else {
        const __m128i& last = w[(i + 3) % 4];
        const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(now, w[(i + 1) % 4]),
                                          _mm_alignr_epi8(last, w[(i + 2) % 4], 4));
        now = _mm_sha256msg2_epu32(sum, last);
      }
      const __m128i added = _mm_add_epi32(now, load(kRound.data() + std::ptrdiff_t{4} * i));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, added);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(added, 0x0e));
    }
    abef = _mm_add_epi32(abef, before0);
    cdgh = _mm_add_epi32(cdgh, before1);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state), _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

}  // namespace
#endif

void Sha256::blocks(const std::byte* at, std::size_t count) {
#ifdef __x86_64__
  static const bool hardware = has_sha();
  if (hardware) return sha_blocks(state_.data(), at, count);
#endif
  for (; count > 0; --count, at += 64) block(at);
}

void Sha256::block(const std::byte* at) {
  std::array<std::uint32_t, 64> w;
  for (std::size_t t = 0; t < 16; ++t) w[t] = big_endian(at + 4 * t);
  for (std::size_t t = 16; t < 64; ++t) {
    const std::uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRound[t] + w[t];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> step = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state_[i] += step[i];
}

void Sha256::update(std::span<const std::byte> bytes) {
  std::size_t held = length_ % 64;
  length_ += bytes.size();
  if (held > 0) {
    const std::size_t take = std::min(bytes.size(), 64 - held);
    std::copy_n(bytes.begin(), take, pending_.begin() + held);
    bytes = bytes.subspan(take);
    if (held + take < 64) return;
    blocks(pending_.data(), 1);
  }
  blocks(bytes.data(), bytes.size() / 64);
  bytes = bytes.subspan(bytes.size() / 64 * 64);
  std::copy(bytes.begin(), bytes.end(), pending_.begin());
}

std::string Sha256::hex() const {
  Sha256 last = *this;
  std::vector<std::byte> padding((length_ % 64 < 56 ? 56 : 120) - length_ % 64 + 8);
  padding[0] = std::byte{0x80};
  for (std::size_t i = 0; i < 8; ++i)
    padding[padding.size() - 1 - i] = static_cast<std::byte>((length_ * 8) >> (8 * i));
  last.update(padding);
  std::string s;
  for (const std::uint32_t v : last.state_)
    for (int shift = 28; shift >= 0; shift -= 4) s += "0123456789abcdef"[(v >> shift) & 15];
  return s;
}

std::string sha256(std::span<const std::byte> bytes) {
  Sha256 s;
  s.update(bytes);
  return s.hex();
}

std::string sha256_file(const std::string& path) {
  if (path == kStandardInput) return sha256(MappedFile::open(path)->bytes());
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(path + " cannot be opened: " + detail::system_reason(errno));
  Sha256 s;
  std::vector<char> block(std::size_t{1} << 18);
  while (in.read(block.data(), block.size()) || in.gcount() > 0)
    s.update(std::as_bytes(std::span(block.data(), in.gcount())));
  if (in.bad()) throw InputError(path + " cannot be read: " + detail::system_reason(errno));
  return s.hex();
}

}  // namespace plumb
