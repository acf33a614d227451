// Philox 4x32-10 over many units at once. A 64-bit lane holds one unit; the words of its counter stand in the
// low halves of four vectors and the high halves hold leftovers, which the 32 x 32 bit product ignores.
#include <algorithm>
#include <array>
#include <stdexcept>

#include "numeric/highway.hpp"
#include "numeric/random_layout.hpp"
#include "plumb/numeric/random.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/random_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plumb::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR

void BitsBlock(std::uint64_t seed, Purpose purpose, std::uint32_t replicate, const std::uint64_t* units,
               std::size_t n, std::uint64_t* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = random_bits(seed, purpose, replicate, units[i]);
}

void PoissonBlock(std::uint64_t seed, std::uint32_t replicate, const std::uint64_t* units, std::size_t n,
                  std::uint32_t* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = random_poisson(seed, replicate, units[i]);
}

void Poisson4Block(std::uint64_t seed, std::uint32_t group, const std::uint64_t* units, std::size_t n,
                   std::uint8_t* out) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto words = philox_block(seed, word_stream(Purpose::kBootstrap), group, units[i]);
    for (std::size_t j = 0; j < 4; ++j) out[j * n + i] = static_cast<std::uint8_t>(poisson_of(words[j]));
  }
}

#else

namespace hn = hwy::HWY_NAMESPACE;
using D64 = hn::ScalableTag<std::uint64_t>;
using D32 = hn::Repartition<std::uint32_t, D64>;
using DI32 = hn::RebindToSigned<D32>;
using DI64 = hn::RebindToSigned<D64>;
using V64 = hn::Vec<D64>;
using V32 = hn::Vec<D32>;
constexpr D64 d64{};
constexpr D32 d32{};
constexpr DI32 di32{};
constexpr std::size_t kUnits64 = hn::MaxLanes(D64{});
constexpr std::size_t kUnits32 = hn::MaxLanes(D32{});

class Philox {
 public:
  HWY_INLINE Philox(std::uint64_t seed, std::uint32_t stream, std::uint32_t group)
      : group_(hn::Set(d64, group)), stream_(hn::Set(d64, stream)) {
    std::uint32_t k0 = low_half(seed);
    std::uint32_t k1 = high_half(seed);
    for (int round = 0; round < kPhiloxRounds; ++round, k0 += kPhiloxWeyl0, k1 += kPhiloxWeyl1) {
      key0_[round] = hn::Set(d64, k0);
      key1_[round] = hn::Set(d64, k1);
    }
  }
  // The four words of each unit's block, in the low halves.
  HWY_INLINE void operator()(V64 units, V64* w) const {
    const V32 m0 = hn::Set(d32, kPhiloxMultiplier0);
    const V32 m1 = hn::Set(d32, kPhiloxMultiplier1);
    V64 c0 = units;
    V64 c1 = hn::ShiftRight<32>(units);
    V64 c2 = group_;
    V64 c3 = stream_;
    for (int round = 0; round < kPhiloxRounds; ++round) {
      const V64 p0 = hn::MulEven(hn::BitCast(d32, c0), m0);
      const V64 p1 = hn::MulEven(hn::BitCast(d32, c2), m1);
      c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p1), c1), key0_[round]);
      c1 = p1;
      c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p0), c3), key1_[round]);
      c3 = p0;
    }
    w[0] = c0;
    w[1] = c1;
    w[2] = c2;
    w[3] = c3;
  }

 private:
  V64 group_;
  V64 stream_;
  V64 key0_[kPhiloxRounds];
  V64 key1_[kPhiloxRounds];
};

// Unsigned order as signed order.
HWY_INLINE hn::Vec<DI32> flipped(V32 x) { return hn::BitCast(di32, hn::Xor(x, hn::Set(d32, 0x80000000))); }

// How many of kPoisson[from], ..., kPoisson[to - 1] each word reaches.
HWY_INLINE V32 count_reached(V32 words, int from, int to) {
  const auto x = flipped(words);
  auto count = hn::Zero(di32);
  for (int k = from; k < to; ++k) {
    const auto reached = hn::Gt(x, flipped(hn::Set(d32, kPoisson[k] - 1)));
    count = hn::Sub(count, hn::VecFromMask(di32, reached));
  }
  return hn::BitCast(d32, count);
}

// Six of ten thousand weights exceed 5: the upper thresholds are looked at only when some word in sight needs
// them.
constexpr int kCommon = 5;
constexpr int kAll = static_cast<int>(std::size(kPoisson));
HWY_INLINE bool any_rare(V32 words) {
  return !hn::AllFalse(di32, hn::Gt(flipped(words), flipped(hn::Set(d32, kPoisson[kCommon] - 1))));
}

void BitsBlock(std::uint64_t seed, Purpose purpose, std::uint32_t replicate, const std::uint64_t* units,
               std::size_t n, std::uint64_t* out) {
  const Philox philox(seed, pair_stream(purpose), replicate / 2);
  const auto bits = [&](const std::uint64_t* from) HWY_ATTR {
    V64 w[4];
    philox(hn::LoadU(d64, from), w);
    const bool second = replicate % 2 == 1;
    const V64 low = hn::And(second ? w[2] : w[0], hn::Set(d64, 0xffffffff));
    return hn::Or(hn::ShiftLeft<32>(second ? w[3] : w[1]), low);
  };
  std::size_t i = 0;
  for (; i + kUnits64 <= n; i += kUnits64) hn::StoreU(bits(units + i), d64, out + i);
  if (i == n) return;
  std::uint64_t tail[kUnits64] = {};
  std::copy(units + i, units + n, tail);
  hn::StoreU(bits(tail), d64, tail);
  std::copy(tail, tail + (n - i), out + i);
}

// The words of kUnits32 units, in their order: words[j] belongs to replicate j of the group.
HWY_INLINE void words_of(const Philox& philox, const std::uint64_t* units, V32* words) {
  V64 a[4];
  V64 b[4];
  philox(hn::LoadU(d64, units), a);
  philox(hn::LoadU(d64, units + kUnits64), b);
  for (int j = 0; j < 4; ++j) words[j] = hn::ConcatEven(d32, hn::BitCast(d32, b[j]), hn::BitCast(d32, a[j]));
}

void PoissonBlock(std::uint64_t seed, std::uint32_t replicate, const std::uint64_t* units, std::size_t n,
                  std::uint32_t* out) {
  const Philox philox(seed, word_stream(Purpose::kBootstrap), replicate / 4);
  const auto weights = [&](const std::uint64_t* from) HWY_ATTR {
    V32 words[4];
    words_of(philox, from, words);
    HWY_ALIGN std::uint32_t all[4 * kUnits32];
    for (std::size_t j = 0; j < 4; ++j) hn::Store(words[j], d32, all + j * kUnits32);
    const V32 mine = hn::Load(d32, all + replicate % 4 * kUnits32);
    V32 count = count_reached(mine, 0, kCommon);
    if (HWY_UNLIKELY(any_rare(mine))) count = hn::Add(count, count_reached(mine, kCommon, kAll));
    return count;
  };
  std::size_t i = 0;
  for (; i + kUnits32 <= n; i += kUnits32) hn::StoreU(weights(units + i), d32, out + i);
  if (i == n) return;
  std::uint64_t last[kUnits32] = {};
  std::uint32_t tail[kUnits32];
  std::copy(units + i, units + n, last);
  hn::StoreU(weights(last), d32, tail);
  std::copy(tail, tail + (n - i), out + i);
}

void Poisson4Block(std::uint64_t seed, std::uint32_t group, const std::uint64_t* units, std::size_t n,
                   std::uint8_t* out) {
  const Philox philox(seed, word_stream(Purpose::kBootstrap), group);
  const hn::Rebind<std::uint8_t, D32> d8;
  const auto weights = [&](const std::uint64_t* from, std::uint8_t* to, std::size_t stride) HWY_ATTR {
    V32 words[4];
    V32 count[4];
    words_of(philox, from, words);
    for (int j = 0; j < 4; ++j) count[j] = count_reached(words[j], 0, kCommon);
    const V32 largest = hn::Max(hn::Max(words[0], words[1]), hn::Max(words[2], words[3]));
    if (HWY_UNLIKELY(any_rare(largest))) {
      for (int j = 0; j < 4; ++j) count[j] = hn::Add(count[j], count_reached(words[j], kCommon, kAll));
    }
    for (std::size_t j = 0; j < 4; ++j) hn::StoreU(hn::U8FromU32(count[j]), d8, to + j * stride);
  };
  std::size_t i = 0;
  for (; i + kUnits32 <= n; i += kUnits32) weights(units + i, out + i, n);
  if (i == n) return;
  std::uint64_t last[kUnits32] = {};
  std::uint8_t tail[4 * kUnits32];
  std::copy(units + i, units + n, last);
  weights(last, tail, kUnits32);
  for (std::size_t j = 0; j < 4; ++j) std::copy_n(tail + j * kUnits32, n - i, out + j * n + i);
}

#endif

}  // namespace
}  // namespace plumb::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb {

HWY_EXPORT(BitsBlock);
HWY_EXPORT(PoissonBlock);
HWY_EXPORT(Poisson4Block);

namespace {

void check_sizes(std::size_t expected, std::size_t out) {
  if (expected != out) throw std::invalid_argument("units and output of a random fill differ in size");
}

// Random bits by the buffer, for what is read off them one at a time.
template <class Use>
void for_each_bits(std::uint64_t seed, Purpose purpose, std::uint32_t replicate,
                   std::span<const std::uint64_t> units, Use use) {
  std::array<std::uint64_t, 512> bits;
  for (std::size_t i = 0; i < units.size(); i += bits.size()) {
    const std::size_t n = std::min(bits.size(), units.size() - i);
    fill_bits(seed, purpose, replicate, units.subspan(i, n), std::span(bits).first(n));
    for (std::size_t j = 0; j < n; ++j) use(i + j, bits[j]);
  }
}

}  // namespace

void fill_bits(std::uint64_t seed, Purpose purpose, std::uint32_t replicate,
               std::span<const std::uint64_t> units, std::span<std::uint64_t> out) {
  check_sizes(units.size(), out.size());
  HWY_DYNAMIC_DISPATCH(BitsBlock)(seed, purpose, replicate, units.data(), units.size(), out.data());
}

void fill_poisson(std::uint64_t seed, std::uint32_t replicate, std::span<const std::uint64_t> units,
                  std::span<std::uint32_t> out) {
  check_sizes(units.size(), out.size());
  HWY_DYNAMIC_DISPATCH(PoissonBlock)(seed, replicate, units.data(), units.size(), out.data());
}

void fill_poisson4(std::uint64_t seed, std::uint32_t group, std::span<const std::uint64_t> units,
                   std::span<std::uint8_t> out) {
  check_sizes(4 * units.size(), out.size());
  HWY_DYNAMIC_DISPATCH(Poisson4Block)(seed, group, units.data(), units.size(), out.data());
}

void fill_uniform(std::uint64_t seed, Purpose purpose, std::uint32_t replicate,
                  std::span<const std::uint64_t> units, std::span<double> out) {
  check_sizes(units.size(), out.size());
  for_each_bits(seed, purpose, replicate, units,
                [&](std::size_t i, std::uint64_t b) { out[i] = uniform_of(b); });
}

void fill_signs(std::uint64_t seed, std::uint32_t replicate, std::span<const std::uint64_t> units,
                std::span<std::int8_t> out) {
  check_sizes(units.size(), out.size());
  const std::uint32_t bit = replicate % 64;
  for_each_bits(seed, Purpose::kNullSigns, replicate / 64, units,
                [&](std::size_t i, std::uint64_t b) { out[i] = static_cast<std::int8_t>(sign_of(b, bit)); });
}

}  // namespace plumb
#endif
