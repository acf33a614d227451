#include "metrics/kernel/box_kernels.hpp"

#include "metrics/kernel/chebyshev.hpp"
#include "numeric/highway.hpp"
#include "plumb/numeric/fixed_point.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/kernel/box_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plumb::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = HWY_CAPPED(double, 4);
using DI = hn::RebindToSigned<D>;
using DU = hn::RebindToUnsigned<D>;
using V = hn::Vec<D>;
using VI = hn::Vec<DI>;
constexpr D d{};
constexpr DI di{};
constexpr DU du{};
constexpr std::size_t kWidth = hn::MaxLanes(D{});
constexpr std::size_t kGroups = 4 / kWidth;  // vectors that make up four lanes
constexpr double kMagic =
    6755399441055744.0;  // 1.5 * 2^52: adding it rounds to whole numbers (numeric/fixed_point.hpp)

// Four lanes; scale * T_k for k = 4 j .. 4 j + 3 is in row[j]. A power of two changes no digit.
struct Four {
  V part[kGroups];
};
struct Values {
  Four row[4];
};

HWY_INLINE V scaled(const double* c, std::size_t g, double scale) {
  return hn::Mul(hn::LoadU(d, c + g * kWidth), hn::Set(d, scale));
}

// The constants of one group of lanes, kept in registers over a loop.
struct Horner {
  V low3[kGroups], low2[kGroups], low1[kGroups], low0[kGroups];
  V turn4[kGroups], turn3[kGroups], turn2[kGroups], turn1[kGroups], turn0[kGroups];
  HWY_INLINE explicit Horner(double scale) {
    for (std::size_t g = 0; g < kGroups; ++g) {
      low3[g] = scaled(kLow3, g, scale), low2[g] = scaled(kLow2, g, scale);
      low1[g] = scaled(kLow1, g, scale), low0[g] = scaled(kLow0, g, scale);
      turn4[g] = scaled(kTurn4, g, scale), turn3[g] = scaled(kTurn3, g, scale),
      turn2[g] = scaled(kTurn2, g, scale);
      turn1[g] = scaled(kTurn1, g, scale), turn0[g] = scaled(kTurn0, g, scale);
    }
  }
  HWY_INLINE void operator()(double t, Values& v) const {
    const V x = hn::Set(d, t);
    const V w = hn::Mul(x, x);
    const V one = hn::Set(d, 1.0);
    const V t4 = hn::Add(hn::Mul(hn::Set(d, 8.0), hn::Mul(w, hn::Sub(w, one))), one);
    const V twice = hn::Add(t4, t4);
    for (std::size_t g = 0; g < kGroups; ++g) {
      V low = hn::Add(hn::Mul(low3[g], x), low2[g]);
      low = hn::Add(hn::Mul(low, x), low1[g]);
      low = hn::Add(hn::Mul(low, x), low0[g]);
      V turn = hn::Add(hn::Mul(turn4[g], x), turn3[g]);
      turn = hn::Add(hn::Mul(turn, x), turn2[g]);
      turn = hn::Add(hn::Mul(turn, x), turn1[g]);
      turn = hn::Add(hn::Mul(turn, x), turn0[g]);
      v.row[0].part[g] = low;
      v.row[1].part[g] = hn::Sub(hn::Mul(twice, low), turn);
      v.row[2].part[g] = hn::Sub(hn::Mul(twice, v.row[1].part[g]), low);
      v.row[3].part[g] = hn::Sub(hn::Mul(twice, v.row[2].part[g]), v.row[1].part[g]);
    }
  }
};

HWY_INLINE VI rounded(V x) {
  return hn::Sub(hn::BitCast(di, hn::Add(x, hn::Set(d, kMagic))), hn::BitCast(di, hn::Set(d, kMagic)));
}

HWY_INLINE void add_to(std::int64_t* at, VI x) { hn::StoreU(hn::Add(hn::LoadU(di, at), x), di, at); }

// x * m modulo 2^64, m < 2^32.
HWY_INLINE VI times(VI x, std::uint32_t m) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(di, static_cast<std::int64_t>(static_cast<std::uint64_t>(hn::GetLane(x)) * m));
#else
  const hn::Repartition<std::uint32_t, D> d32;
  const auto factor = hn::BitCast(d32, hn::Set(du, m));
  const auto low = hn::MulEven(hn::BitCast(d32, x), factor);
  const auto high = hn::MulEven(hn::BitCast(d32, hn::ShiftRight<32>(hn::BitCast(du, x))), factor);
  return hn::BitCast(di, hn::Add(low, hn::ShiftLeft<32>(high)));
#endif
}

void AddSingle(const std::uint32_t* box, const double* t, const double* hits, std::size_t count,
               std::int64_t* narrow) {
  const Horner horner(kFixedOne);
  Values v;
  for (std::size_t i = 0; i < count; ++i) {
    horner(t[i], v);
    std::int64_t* at = narrow + kNarrowOfBox * box[i] + (hits[i] != 0.0 ? kMoments : 0);
    for (std::size_t j = 0; j < 4; ++j) {
      for (std::size_t g = 0; g < kGroups; ++g) add_to(at + 4 * j + g * kWidth, rounded(v.row[j].part[g]));
    }
  }
}

void AddWhole(const std::uint32_t* box, const double* t, const std::uint32_t* misses,
              const std::uint32_t* hits, std::size_t count, std::int64_t* narrow) {
  const Horner horner(kFixedOne);
  Values v;
  for (std::size_t i = 0; i < count; ++i) {
    if (misses[i] + hits[i] == 0) continue;
    horner(t[i], v);
    std::int64_t* at = narrow + kNarrowOfBox * box[i];
    for (std::size_t j = 0; j < 4; ++j) {
      for (std::size_t g = 0; g < kGroups; ++g) {
        const VI q = rounded(v.row[j].part[g]);
        std::int64_t* place = at + 4 * j + g * kWidth;
        if (misses[i] != 0) add_to(place, times(q, misses[i]));
        if (hits[i] != 0) add_to(place + kMoments, times(q, hits[i]));
      }
    }
  }
}

void AddReal(const std::uint32_t* box, const double* t, const double* y, const std::uint32_t* votes,
             std::size_t count, std::int64_t* narrow) {
  const Horner horner(kFixedOne);
  Values v;
  for (std::size_t i = 0; i < count; ++i) {
    if (votes[i] == 0) continue;
    horner(t[i], v);
    const V mean = hn::Set(d, y[i]);
    std::int64_t* at = narrow + kNarrowOfBox * box[i];
    for (std::size_t j = 0; j < 4; ++j) {
      for (std::size_t g = 0; g < kGroups; ++g) {
        const VI hit = rounded(hn::Mul(v.row[j].part[g], mean));
        const VI miss = hn::Sub(rounded(v.row[j].part[g]), hit);
        std::int64_t* place = at + 4 * j + g * kWidth;
        add_to(place, times(miss, votes[i]));
        add_to(place + kMoments, times(hit, votes[i]));
      }
    }
  }
}

HWY_INLINE double dot(const Values& v, const double* c) {
  HWY_ALIGN double lane[4];
  for (std::size_t g = 0; g < kGroups; ++g) {
    const double* at = c + g * kWidth;
    V s = hn::Mul(v.row[0].part[g], hn::LoadU(d, at));
    s = hn::Add(s, hn::Mul(v.row[1].part[g], hn::LoadU(d, at + 4)));
    s = hn::Add(s, hn::Mul(v.row[2].part[g], hn::LoadU(d, at + 8)));
    s = hn::Add(s, hn::Mul(v.row[3].part[g], hn::LoadU(d, at + 12)));
    hn::Store(s, d, lane + g * kWidth);
  }
  return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

void EvaluateSeries(const std::uint32_t* row, const double* t, const double* coefficient, std::size_t count,
                    double* first, double* second) {
  const Horner horner(1.0);
  Values v;
  for (std::size_t i = 0; i < count; ++i) {
    horner(t[i], v);
    const double* c = coefficient + std::size_t{2 * kMoments} * row[i];
    first[i] = dot(v, c);
    second[i] = dot(v, c + kMoments);
  }
}

}  // namespace
}  // namespace plumb::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb {

HWY_EXPORT(AddSingle);
HWY_EXPORT(AddWhole);
HWY_EXPORT(AddReal);
HWY_EXPORT(EvaluateSeries);

void add_single(const std::uint32_t* box, const double* t, const double* hits, std::size_t count,
                std::int64_t* narrow) {
  HWY_DYNAMIC_DISPATCH(AddSingle)(box, t, hits, count, narrow);
}
void add_whole(const std::uint32_t* box, const double* t, const std::uint32_t* misses,
               const std::uint32_t* hits, std::size_t count, std::int64_t* narrow) {
  HWY_DYNAMIC_DISPATCH(AddWhole)(box, t, misses, hits, count, narrow);
}
void add_real(const std::uint32_t* box, const double* t, const double* y, const std::uint32_t* votes,
              std::size_t count, std::int64_t* narrow) {
  HWY_DYNAMIC_DISPATCH(AddReal)(box, t, y, votes, count, narrow);
}
void evaluate_series(const std::uint32_t* row, const double* t, const double* coefficient, std::size_t count,
                     double* first, double* second) {
  HWY_DYNAMIC_DISPATCH(EvaluateSeries)(row, t, coefficient, count, first, second);
}

}  // namespace plumb
#endif
