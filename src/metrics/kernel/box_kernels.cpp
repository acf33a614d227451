#include "metrics/kernel/box_kernels.hpp"

#include <algorithm>

#include "metrics/kernel/chebyshev.hpp"
#include "numeric/shared/highway.hpp"
#include "plumb/numeric/fixed_point.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/kernel/box_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plumb::detail::HWY_NAMESPACE {
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

// Lanes are forecasts here. Box numbers are computed in double, where they are exact, and truncated to
// integers at the end.
HWY_INLINE void locate_lanes(const BetaTable& table, const double* p, std::uint32_t* box, double* alpha_out) {
  const V one = hn::Set(d, 1.0);
  const V x = hn::LoadU(d, p);
  const V rest = hn::Sub(one, x);
  const auto upper = hn::Gt(x, hn::Set(d, 0.5));
  V alpha = hn::IfThenElse(upper, rest, x);
  alpha = hn::Mul(hn::IfThenElse(hn::Lt(alpha, hn::Set(d, table.least)), hn::Set(d, table.least), alpha),
                  hn::Set(d, table.n));
  const V root = hn::Sqrt(alpha);
  V even = hn::Mul(hn::Sub(hn::Add(root, root), hn::Set(d, 2.0)), hn::Set(d, table.per_step));
  even = hn::Add(hn::IfThenElse(hn::Gt(even, hn::Set(d, table.last_even)), hn::Set(d, table.last_even), even),
                 hn::Set(d, table.octaves));
  // The exponent as a double: its bits under those of 2^52.
  constexpr double kTwo52 = 4503599627370496.0;
  const auto biased = hn::Or(hn::ShiftRight<52>(hn::BitCast(du, alpha)), hn::BitCast(du, hn::Set(d, kTwo52)));
  V octave = hn::Sub(hn::Set(d, kTwo52 + 1022.0), hn::BitCast(d, biased));
  const V first = hn::Set(d, table.first_octave);
  const V last = hn::Set(d, table.octaves - 1.0);
  octave = hn::IfThenElse(hn::Lt(octave, first), first, octave);
  octave = hn::IfThenElse(hn::Gt(octave, last), last, octave);
  V b = hn::IfThenElse(hn::Lt(alpha, hn::Set(d, table.first_even)), octave, even);
  b = hn::Add(b, hn::IfThenElseZero(upper, hn::Set(d, table.boxes)));
  const hn::Rebind<std::int32_t, D> d32;
  hn::StoreU(hn::DemoteTo(d32, b), d32, reinterpret_cast<std::int32_t*>(box));
  hn::StoreU(alpha, d, alpha_out);
}

void LocateBeta(const BetaTable& table, const double* p, std::size_t count, std::uint32_t* box, double* t) {
  std::size_t i = 0;
  for (; i + kWidth <= count; i += kWidth) locate_lanes(table, p + i, box + i, t + i);
  if (i < count) {
    double p_tail[kWidth] = {}, t_tail[kWidth];
    std::uint32_t box_tail[kWidth];
    std::copy(p + i, p + count, p_tail);
    locate_lanes(table, p_tail, box_tail, t_tail);
    std::copy(box_tail, box_tail + (count - i), box + i);
    std::copy(t_tail, t_tail + (count - i), t + i);
  }
  for (i = 0; i < count; ++i) {
    const double* place = table.place + std::size_t{2} * box[i];
    t[i] = (t[i] - place[0]) * place[1];
  }
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

void AddHits(const std::uint32_t* box, const double* t, const std::uint32_t* hits, std::size_t count,
             std::size_t draws, std::int64_t* narrow) {
  const Horner horner(kFixedOne);
  Values v;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t* mine = hits + i * draws;
    std::uint32_t any = 0;
    for (std::size_t s = 0; s < draws; ++s) any |= mine[s];
    if (any == 0) continue;
    horner(t[i], v);
    VI q[4 * kGroups];
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t g = 0; g < kGroups; ++g) q[j * kGroups + g] = rounded(v.row[j].part[g]);
    std::int64_t* at = narrow + draws * kMoments * box[i];
    for (std::size_t s = 0; s < draws; ++s, at += kMoments) {
      if (mine[s] == 0) continue;
      if (mine[s] == 1) {
        for (std::size_t j = 0; j < 4 * kGroups; ++j) add_to(at + j * kWidth, q[j]);
      } else {
        for (std::size_t j = 0; j < 4 * kGroups; ++j) add_to(at + j * kWidth, times(q[j], mine[s]));
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

void EvaluateDraws(const std::uint32_t* row, const double* t, const double* coefficient, std::size_t count,
                   std::size_t draws, double* out, std::size_t stride) {
  const Horner horner(1.0);
  Values v;
  for (std::size_t i = 0; i < count; ++i) {
    horner(t[i], v);
    const double* c = coefficient + kMoments * draws * row[i];
    for (std::size_t s = 0; s < draws; ++s) out[s * stride + i] = dot(v, c + s * kMoments);
  }
}

// The sixteen coefficients fill the lanes;
// the moments follow each other, so that no sum depends on the width.
using Wide = HWY_CAPPED(double, 8);
using VW = hn::Vec<Wide>;
constexpr Wide wide{};
constexpr std::size_t kWideLanes = hn::MaxLanes(Wide{});
constexpr std::size_t kVectors = kMoments / kWideLanes;

template <std::size_t kSets>
HWY_INLINE void Apply(const Block& block, const Series* const* moments, Series* const* target) {
  VW sum[kSets][kVectors];
  for (std::size_t s = 0; s < kSets; ++s) {
    for (std::size_t v = 0; v < kVectors; ++v)
      sum[s][v] = hn::LoadU(wide, target[s]->data() + v * kWideLanes);
  }
  for (std::size_t k = 0; k < kMoments; ++k) {
    const double* entry = block.entry[k].data();
    VW moment[kSets];
    for (std::size_t s = 0; s < kSets; ++s) moment[s] = hn::Set(wide, (*moments[s])[k]);
    for (std::size_t v = 0; v < kVectors; ++v) {
      const VW e = hn::LoadU(wide, entry + v * kWideLanes);
      for (std::size_t s = 0; s < kSets; ++s) sum[s][v] = hn::Add(sum[s][v], hn::Mul(e, moment[s]));
    }
  }
  for (std::size_t s = 0; s < kSets; ++s) {
    for (std::size_t v = 0; v < kVectors; ++v)
      hn::StoreU(sum[s][v], wide, target[s]->data() + v * kWideLanes);
  }
}

void ApplyOne(const Block& block, const Series* const* moments, Series* const* target) {
  Apply<1>(block, moments, target);
}
void ApplyTwo(const Block& block, const Series* const* moments, Series* const* target) {
  Apply<2>(block, moments, target);
}

void ApplySets(const Block& block, const Series* moments, Series* target, std::size_t sets) {
  std::size_t s = 0;
  for (; s + 4 <= sets; s += 4) {
    const Series* from[] = {moments + s, moments + s + 1, moments + s + 2, moments + s + 3};
    Series* to[] = {target + s, target + s + 1, target + s + 2, target + s + 3};
    Apply<4>(block, from, to);
  }
  for (; s < sets; ++s) {
    const Series* from[] = {moments + s};
    Series* to[] = {target + s};
    Apply<1>(block, from, to);
  }
}

void MultiplyGrids(const Grid& a, const Grid& b, Grid& out) {
  for (std::size_t i = 0; i < kMoments; ++i) {
    VW sum[kVectors];
    for (VW& s : sum) s = hn::Zero(wide);
    for (std::size_t m = 0; m < kMoments; ++m) {
      const VW factor = hn::Set(wide, a[i][m]);
      for (std::size_t v = 0; v < kVectors; ++v)
        sum[v] = hn::Add(sum[v], hn::Mul(factor, hn::LoadU(wide, b[m].data() + v * kWideLanes)));
    }
    for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(sum[v], wide, out[i].data() + v * kWideLanes);
  }
}

}  // namespace
}  // namespace plumb::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::detail {

HWY_EXPORT(LocateBeta);
HWY_EXPORT(AddSingle);
HWY_EXPORT(AddWhole);
HWY_EXPORT(AddReal);
HWY_EXPORT(EvaluateSeries);
HWY_EXPORT(ApplyOne);
HWY_EXPORT(ApplyTwo);
HWY_EXPORT(AddHits);
HWY_EXPORT(EvaluateDraws);
HWY_EXPORT(ApplySets);
HWY_EXPORT(MultiplyGrids);

void locate_beta(const BetaTable& table, const double* p, std::size_t count, std::uint32_t* box, double* t) {
  HWY_DYNAMIC_DISPATCH(LocateBeta)(table, p, count, box, t);
}
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
void add_hits(const std::uint32_t* box, const double* t, const std::uint32_t* hits, std::size_t count,
              std::size_t draws, std::int64_t* narrow) {
  HWY_DYNAMIC_DISPATCH(AddHits)(box, t, hits, count, draws, narrow);
}
void evaluate_draws(const std::uint32_t* row, const double* t, const double* coefficient, std::size_t count,
                    std::size_t draws, double* out, std::size_t stride) {
  HWY_DYNAMIC_DISPATCH(EvaluateDraws)(row, t, coefficient, count, draws, out, stride);
}
void multiply_grids(const Grid& a, const Grid& b, Grid& out) {
  HWY_DYNAMIC_DISPATCH(MultiplyGrids)(a, b, out);
}
void apply_block(const Block& block, const Series* moments, Series* target, std::size_t sets) {
  HWY_DYNAMIC_DISPATCH(ApplySets)(block, moments, target, sets);
}
void apply_block(const Block& block, const Series& moments, Series& target) {
  const Series* from[] = {&moments};
  Series* to[] = {&target};
  HWY_DYNAMIC_DISPATCH(ApplyOne)(block, from, to);
}
void apply_block(const Block& block, const Series& first, const Series& second, Series& first_target,
                 Series& second_target) {
  const Series* from[] = {&first, &second};
  Series* to[] = {&first_target, &second_target};
  HWY_DYNAMIC_DISPATCH(ApplyTwo)(block, from, to);
}

}  // namespace plumb::detail
#endif
