// Philox 4x32-10 on many blocks at once. A 64-bit lane holds one block; the words of its counter are in
// the low halves of four vectors. The high halves hold leftovers, which the 32 x 32 bit product ignores.
#include <algorithm>
#include <array>
#include <stdexcept>

#include "numeric/random_layout.hpp"
#include "numeric/shared/highway.hpp"
#include "plumb/numeric/random.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/random_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plumb::HWY_NAMESPACE {
namespace {

using namespace detail;

#if HWY_TARGET == HWY_SCALAR

void BitsBlock(std::uint64_t seed, Purpose purpose, std::uint32_t replicate, const std::uint64_t* units,
               std::size_t n, std::uint64_t* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = random_bits(seed, purpose, replicate, units[i]);
}

void PoissonBlock(std::uint64_t seed, std::uint32_t replicate, const std::uint64_t* units, std::size_t n,
                  std::uint32_t* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = random_poisson(seed, replicate, units[i]);
}

#else

namespace hn = hwy::HWY_NAMESPACE;
using D64 = hn::ScalableTag<std::uint64_t>;
using D32 = hn::Repartition<std::uint32_t, D64>;
using DI32 = hn::RebindToSigned<D32>;
using V64 = hn::Vec<D64>;
using V32 = hn::Vec<D32>;
constexpr D64 d64{};
constexpr D32 d32{};
constexpr DI32 di32{};
constexpr std::size_t kWidth = hn::MaxLanes(D64{});

class Philox {
 public:
  HWY_INLINE Philox(std::uint64_t seed, std::uint32_t stream, std::uint32_t replicate)
      : replicate_(hn::Set(d64, replicate)), stream_(hn::Set(d64, stream)) {
    std::uint32_t k0 = low_half(seed), k1 = high_half(seed);
    for (int round = 0; round < kPhiloxRounds; ++round, k0 += kPhiloxWeyl0, k1 += kPhiloxWeyl1) {
      key0_[round] = hn::Set(d64, k0);
      key1_[round] = hn::Set(d64, k1);
    }
  }
  // The four words of each block, in the low halves.
  HWY_INLINE void operator()(V64 blocks, V64* w) const {
    const V32 m0 = hn::Set(d32, kPhiloxMultiplier0);
    const V32 m1 = hn::Set(d32, kPhiloxMultiplier1);
    V64 c0 = blocks;
    V64 c1 = hn::ShiftRight<32>(blocks);
    V64 c2 = replicate_;
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
  V64 replicate_, stream_;
  V64 key0_[kPhiloxRounds];
  V64 key1_[kPhiloxRounds];
};

// Two words as one lane: the pair (w[0], w[1]) or (w[2], w[3]).
HWY_INLINE V64 pair_of(V64 first, V64 second) {
  return hn::Or(hn::And(first, hn::Set(d64, 0xffffffff)), hn::ShiftLeft<32>(second));
}

// kWidth blocks from `first` on, in the order from which interleaving a vector of first halves with one of
// second halves (which takes the even lanes to the first vector and the odd ones to the second) restores the
// order of the units.
HWY_INLINE V64 blocks_from(std::uint64_t first) {
  HWY_ALIGN std::uint64_t at[kWidth];
  for (std::size_t k = 0; k < kWidth; ++k) at[k] = k / 2 + k % 2 * (kWidth / 2);
  return hn::Add(hn::Set(d64, first), hn::Load(d64, at));
}
template <class T>
HWY_INLINE void store_halves(V64 first, V64 second, T* out) {
  const hn::Repartition<T, D64> d;
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d64, first, second)), d, out);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d64, first, second)), d, out + hn::MaxLanes(d));
}

// Whether the units are first, first + 1, ..., with `first` the first unit of a block of `share`.
HWY_INLINE bool consecutive(const std::uint64_t* units, std::size_t n, std::size_t share) {
  const V64 step = hn::Iota(d64, 0);
  V64 differ = hn::Zero(d64);
  for (std::size_t i = 0; i < n; i += kWidth) {
    const V64 expected = hn::Add(hn::Set(d64, units[0] + i), step);
    differ = hn::Or(differ, hn::Xor(hn::LoadU(d64, units + i), expected));
  }
  return units[0] % share == 0 && hn::AllTrue(d64, hn::Eq(differ, hn::Zero(d64)));
}

// Walks the units in steps of `kStep`: straight(first unit, at) for consecutive ones, scattered(units, at)
// for others, and a last short step through a padded copy.
template <std::size_t kStep, class T, class Straight, class Scattered>
HWY_INLINE void walk(const std::uint64_t* units, std::size_t n, std::size_t share, T* out, Straight straight,
                     Scattered scattered) {
  std::size_t i = 0;
  for (; i + kStep <= n; i += kStep) {
    if (HWY_LIKELY(consecutive(units + i, kStep, share))) {
      straight(units[i], out + i);
    } else {
      scattered(units + i, out + i);
    }
  }
  if (i == n) return;
  std::uint64_t last[kStep] = {};
  T tail[kStep];
  std::copy(units + i, units + n, last);
  scattered(last, tail);
  std::copy(tail, tail + (n - i), out + i);
}

void BitsBlock(std::uint64_t seed, Purpose purpose, std::uint32_t replicate, const std::uint64_t* units,
               std::size_t n, std::uint64_t* out) {
  const Philox philox(seed, pair_stream(purpose), replicate);
  constexpr std::size_t kStep = 4 * kWidth;
  walk<kStep>(
      units, n, 2, out,
      [&](std::uint64_t first, std::uint64_t* to) HWY_ATTR {
        for (std::size_t g = 0; g < kStep; g += 2 * kWidth) {
          V64 w[4];
          philox(blocks_from((first + g) / 2), w);
          store_halves(pair_of(w[0], w[1]), pair_of(w[2], w[3]), to + g);
        }
      },
      [&](const std::uint64_t* from, std::uint64_t* to) HWY_ATTR {
        for (std::size_t g = 0; g < kStep; g += kWidth) {
          V64 w[4];
          const V64 unit = hn::LoadU(d64, from + g);
          philox(hn::ShiftRight<1>(unit), w);
          const auto odd = hn::TestBit(unit, hn::Set(d64, 1));
          hn::StoreU(hn::IfThenElse(odd, pair_of(w[2], w[3]), pair_of(w[0], w[1])), d64, to + g);
        }
      });
}

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

// Six of ten thousand weights exceed 5:
// the upper thresholds are compared only when some word of the vector needs them.
template <std::size_t kVectors>
HWY_INLINE void count_all(const V64* pairs, V64* counts) {
  constexpr int kCommon = 5;
  V32 words[kVectors];
  V32 largest = hn::Zero(d32);
  for (std::size_t g = 0; g < kVectors; ++g) {
    words[g] = hn::BitCast(d32, pairs[g]);
    largest = hn::Max(largest, words[g]);
    counts[g] = hn::BitCast(d64, count_reached(words[g], 0, kCommon));
  }
  const auto rare = hn::Gt(flipped(largest), flipped(hn::Set(d32, kPoisson[kCommon] - 1)));
  if (HWY_LIKELY(hn::AllFalse(di32, rare))) return;
  for (std::size_t g = 0; g < kVectors; ++g) {
    const V32 more = count_reached(words[g], kCommon, static_cast<int>(std::size(kPoisson)));
    counts[g] = hn::BitCast(d64, hn::Add(hn::BitCast(d32, counts[g]), more));
  }
}

void PoissonBlock(std::uint64_t seed, std::uint32_t replicate, const std::uint64_t* units, std::size_t n,
                  std::uint32_t* out) {
  const Philox philox(seed, word_stream(Purpose::bootstrap), replicate);
  constexpr std::size_t kStep = 8 * kWidth;  // two vectors of blocks, four units per block
  walk<kStep>(
      units, n, 4, out,
      [&](std::uint64_t first, std::uint32_t* to) HWY_ATTR {
        V64 pairs[4];
        V64 counts[4];
        for (std::size_t g = 0; g < 2; ++g) {
          V64 w[4];
          philox(blocks_from(first / 4 + g * kWidth), w);
          pairs[2 * g] = pair_of(w[0], w[1]);
          pairs[2 * g + 1] = pair_of(w[2], w[3]);
        }
        count_all<4>(pairs, counts);
        store_halves(counts[0], counts[1], to);
        store_halves(counts[2], counts[3], to + kStep / 2);
      },
      [&](const std::uint64_t* from, std::uint32_t* to) HWY_ATTR {
        for (std::size_t at = 0; at < kStep; at += 2 * kWidth) {
          V64 word[2];
          for (std::size_t g = 0; g < 2; ++g) {
            V64 w[4];
            const V64 unit = hn::LoadU(d64, from + at + g * kWidth);
            philox(hn::ShiftRight<2>(unit), w);
            const auto odd = hn::TestBit(unit, hn::Set(d64, 1));
            const auto upper = hn::TestBit(unit, hn::Set(d64, 2));
            word[g] = hn::IfThenElse(upper, hn::IfThenElse(odd, w[3], w[2]), hn::IfThenElse(odd, w[1], w[0]));
          }
          const V64 packed =
              hn::BitCast(d64, hn::ConcatEven(d32, hn::BitCast(d32, word[1]), hn::BitCast(d32, word[0])));
          V64 count[1];
          count_all<1>(&packed, count);
          hn::StoreU(hn::BitCast(d32, count[0]), d32, to + at);
        }
      });
}

#endif

}  // namespace
}  // namespace plumb::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb {

using namespace detail;

HWY_EXPORT(BitsBlock);
HWY_EXPORT(PoissonBlock);

namespace {

void check_sizes(std::size_t units, std::size_t out) {
  if (units != out) throw std::invalid_argument("units and output of a random fill differ in size");
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

void fill_uniform(std::uint64_t seed, Purpose purpose, std::uint32_t replicate,
                  std::span<const std::uint64_t> units, std::span<double> out) {
  check_sizes(units.size(), out.size());
  std::array<std::uint64_t, 512> bits;
  for (std::size_t i = 0; i < units.size(); i += bits.size()) {
    const std::size_t n = std::min(bits.size(), units.size() - i);
    fill_bits(seed, purpose, replicate, units.subspan(i, n), std::span(bits).first(n));
    for (std::size_t j = 0; j < n; ++j) out[i + j] = uniform_of(bits[j]);
  }
}

}  // namespace plumb
#endif
