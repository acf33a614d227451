// The walk over distinct p that all ordered estimators share:
// equal p are one group, and groups without mass are not seen.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "metrics/shared/arithmetic.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {

enum class Direction { up, down };

/// `while (g.next())` visits the distinct p of an ascending column, from the least on or from
/// the greatest on.
template <class A, Direction D = Direction::up>
class Groups {
 public:
  explicit Groups(const ForecastsView& ascending) : f_(ascending) {}

  double p = 0;
  typename A::Mass mass{};  ///< sum of w n
  typename A::Hits hits{};  ///< sum of w h

  bool next() {
    while (next_or_empty())
      if (A::positive(mass)) return true;
    return false;
  }
  /// Groups without mass are seen too. For plain sums, to which they add nothing (a mean 0/0 times mass 0 is
  /// 0 in fixed point): in a resample a third of the items have no mass, and a branch on that costs more than
  /// the rest of the walk.
  bool next_or_empty() {
    const std::size_t n = f_.size();
    if (seen_ == n) return false;
    p = f_.p[at(seen_)];
    mass = {};
    hits = {};
    do {
      A::add_mass(mass, f_, at(seen_));
      A::add_hits(hits, f_, at(seen_));
      ++seen_;
    } while (seen_ < n && f_.p[at(seen_)] == p);
    return true;
  }
  [[nodiscard]] typename A::Mass misses() const { return A::minus(mass, hits); }

 private:
  [[nodiscard]] std::size_t at(std::size_t i) const { return D == Direction::up ? i : f_.size() - 1 - i; }
  ForecastsView f_;
  std::size_t seen_ = 0;
};

/// The ends of stretches of a column that no group of equal p crosses, for one thread each.
[[nodiscard]] inline std::vector<std::size_t> stretch_ends(const ForecastsView& ascending) {
  constexpr std::size_t kRows = 1 << 16;
  std::vector<std::size_t> ends;
  const auto p = ascending.p;
  for (std::size_t at = 0; at < p.size(); ends.push_back(at)) {
    at = std::min(at + kRows, p.size());
    at = std::upper_bound(p.begin() + static_cast<std::ptrdiff_t>(at), p.end(), p[at - 1]) - p.begin();
  }
  return ends;
}

/// walk(stretch's number, its part of the column) for all of them, on several threads.
template <class Walk>
void each_stretch(const ForecastsView& ascending, std::span<const std::size_t> ends, int threads, Walk walk) {
  parallel_blocks(std::ssize(ends), 1, threads, [&](int, std::int64_t s, std::int64_t) {
    const std::size_t begin = s == 0 ? 0 : ends[s - 1];
    walk(s, ascending.slice(begin, ends[s] - begin));
  });
}

inline constexpr const char* kNoHits = "there are no hits: no vote is for the event";
inline constexpr const char* kNoMisses = "there are no misses: every vote is for the event";

}  // namespace plumb::detail
