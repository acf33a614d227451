// Integer bins: what is added to them and how they enter the exact ones.
#pragma once

#include <cstdint>

#include "metrics/streaming/exact_product.hpp"
#include "plumb/metrics/streaming/reliability_table.hpp"
#include "plumb/numeric/fixed_point.hpp"

namespace plumb::detail {

inline constexpr std::uint64_t kWholeCapacity = 0xffffffffu;  ///< mass; squares then sum to less than 2^64

inline void add_hits(IntegerBin& c, std::uint64_t hits) {
  c.hits += hits;
  c.hits_squared += hits * hits;
}

/// An item drawn `times` times with n votes; hits are added apart.
inline void add_mass(IntegerBin& c, std::uint64_t q, std::uint64_t mass, std::uint64_t n) {
  c.p += uint128{mass} * q;
  c.mass += mass;
  c.mass_squared += mass * mass;
  c.items += mass != 0;
  c.votes += mass != 0 ? n : 0;
}

/// `count` items of one vote each, all drawn `times` times; p is the sum of their q.
inline void add_singles(IntegerBin& c, uint128 p, std::uint64_t count, std::uint64_t hits,
                        std::uint64_t times = 1) {
  c.p += times * p;
  c.mass += times * count;
  c.mass_squared += times * times * count;
  c.items += count;
  c.votes += count;
  c.hits += times * hits;
  c.hits_squared += times * times * hits;
}

/// into -= part, but for the hits.
inline void subtract_mass(IntegerBin& into, const IntegerBin& part) {
  into.p -= part.p;
  into.mass -= part.mass;
  into.mass_squared -= part.mass_squared;
  into.items -= part.items;
  into.votes -= part.votes;
}

inline void move_into(Bin& to, IntegerBin& from) {
  if (from.mass == 0) return;
  to.items += from.items;
  to.votes += from.votes;
  to.w.add_scaled(from.mass, 0);
  to.wp.add_scaled(from.p, -kFractionBits);
  to.wy.add_scaled(from.hits, 0);
  to.ww.add_scaled(from.mass_squared, 0);
  to.wwyy.add_scaled(from.hits_squared, 0);
  from = {};
}

/// One item of any weight: n votes of which `hits` (a real number under a null) came true.
inline void add_item(Bin& c, double p, double n, double hits, double weight) {
  const double mass = weight * n;
  if (!(mass > 0)) return;
  const double y = weight * hits;
  add_product(c.ww, mass, mass);
  add_product(c.wwyy, y, y);
  add_product(c.wp, mass, from_fixed(to_fixed(p)));
  c.w.add(mass);
  c.wy.add(y);
  c.items += 1;
  c.votes += static_cast<std::uint64_t>(n);
}

}  // namespace plumb::detail
