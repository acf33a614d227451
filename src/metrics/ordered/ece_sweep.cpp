// The monotonic sweep: for each number of bins B only the ends of the bins are looked up, in sums kept
// every 64 items, so that B costs O(B log N) and the memory is a fraction of the column.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "metrics/shared/groups.hpp"
#include "plumb/metrics/ordered/equal_mass.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb {

namespace {

using detail::Direction;
using detail::Groups;

template <class A>
struct BinSums {
  typename A::Mass mass{};
  typename A::Hits hits{};
  typename A::Area p{};
  void add(const ForecastsView& f, std::size_t i) {
    typename A::Mass m{};
    A::add_mass(m, f, i);
    A::add(mass, m);
    A::add_hits(hits, f, i);
    A::add_area(p, m, to_fixed(f.p[i]));
  }
  [[nodiscard]] BinSums minus(const BinSums& o) const {
    return {A::minus(mass, o.mass), A::minus(hits, o.hits), A::minus(p, o.p)};
  }
};

// A place in the column and the sums of all items before it.
template <class A>
struct Place {
  std::size_t at = 0;
  BinSums<A> before;
};

template <class A>
class Sweep {
 public:
  explicit Sweep(const ForecastsView& ascending) : f_(ascending) {
    kept_.reserve(f_.size() / kStride + 1);
    for (std::size_t i = 0; i < f_.size(); ++i) {
      if (i % kStride == 0) kept_.push_back(total_);
      total_.add(f_, i);
    }
  }
  [[nodiscard]] const BinSums<A>& total() const { return total_; }

  /// Visits the sums of the bins in use among `bins`, from the bin that holds mass `from` on, until
  /// visit(sums, mass before the bin's end) returns false.
  template <class Visit>
  void visit_bins(std::int64_t bins, const typename A::Mass& from, Visit visit) const {
    std::int64_t bin = bin_of(bins, from);
    Place<A> start;
    if (bin > 0) advance(start, typename A::Reach(bin, bins, total_.mass));
    while (true) {
      Place<A> end = start;
      if (bin + 1 < bins) {
        advance(end, typename A::Reach(bin + 1, bins, total_.mass));
      } else {
        end = {f_.size(), total_};
      }
      if (!visit(end.before.minus(start.before), end.before.mass)) return;
      if (end.before.mass == total_.mass) return;
      bin = bin_of(bins, end.before.mass);
      start = end;
    }
  }

 private:
  static constexpr std::size_t kStride = 64;

  [[nodiscard]] std::int64_t bin_of(std::int64_t bins, const typename A::Mass& below) const {
    return std::min(bins - 1, A::bin(bins, below, total_.mass));
  }
  [[nodiscard]] Place<A> place(std::size_t at) const {
    if (at == f_.size()) return {at, total_};
    Place<A> q{at - at % kStride, kept_[at / kStride]};
    while (q.at < at) q.before.add(f_, q.at++);
    return q;
  }
  // To the first distinct p whose mass below reaches the next bin.
  void advance(Place<A>& q, const typename A::Reach& reach) const {
    const auto walk = [&] {
      do {
        if (reach(q.before.mass) || q.at == f_.size()) return true;
        q.before.add(f_, q.at++);
      } while (q.at % kStride != 0);
      return reach(q.before.mass);
    };
    if (!walk()) {
      const auto first = kept_.begin() + std::min(q.at / kStride, kept_.size());
      const auto beyond =
          std::partition_point(first, kept_.end(), [&](const BinSums<A>& s) { return !reach(s.mass); });
      q = place((std::max(first, beyond - 1) - kept_.begin()) * kStride);
      while (q.at < f_.size() && !reach(q.before.mass)) q.before.add(f_, q.at++);
    }
    if (q.at > 0 && q.at < f_.size() && f_.p[q.at] == f_.p[q.at - 1]) q = place(end_of_ties(q.at));
  }
  // The end of the run of p[i]: doubling steps, then bisection.
  [[nodiscard]] std::size_t end_of_ties(std::size_t i) const {
    std::size_t low = i, step = 1;
    while (low + step < f_.size() && f_.p[low + step] == f_.p[i]) {
      low += step;
      step *= 2;
    }
    const auto begin = f_.p.begin() + low;
    const auto end = f_.p.begin() + std::min(low + step, f_.size());
    return std::upper_bound(begin, end, f_.p[i]) - f_.p.begin();
  }

  ForecastsView f_;
  std::vector<BinSums<A>> kept_;  // before item 0, 64, 128, ...
  BinSums<A> total_;
};

template <class A>
typename A::Mean mean_of(const auto& s) {
  return A::mean(s.hits, s.mass);
}

// Where bin means can fall at all, as the mass below the first and the last distinct p of that stretch.
template <class A>
struct Window {
  typename A::Mass first, last;
};
// Groups before the stretch all have the least mean, groups after it the greatest:
// neither stands in a pair out of order.
template <class A>
Window<A> narrow_window(const ForecastsView& f, const typename A::Mass& total) {
  std::optional<typename A::Mean> least, greatest;
  for (Groups<A> g(f); g.next();) {
    const auto m = mean_of<A>(g);
    if (!least || A::less(m, *least)) least = m;
    if (!greatest || A::less(*greatest, m)) greatest = m;
  }
  Window<A> w{{}, total};
  for (Groups<A> g(f); g.next() && !A::less(*least, mean_of<A>(g));) A::add(w.first, g.mass);
  for (Groups<A, Direction::down> g(f); g.next();) {
    w.last = A::minus(w.last, g.mass);
    if (A::less(mean_of<A>(g), *greatest)) break;
  }
  return w;
}

// Means of y that rise over the distinct p themselves rise over any bins made of them.
template <class A>
bool rises_over_groups(const ForecastsView& f) {
  std::optional<typename A::Mean> previous;
  for (Groups<A> g(f); g.next();) {
    const auto m = mean_of<A>(g);
    if (previous && A::less(m, *previous)) return false;
    previous = m;
  }
  return true;
}

template <class A>
bool rises_over_bins(const Sweep<A>& sweep, std::int64_t bins, const Window<A>& window) {
  std::optional<typename A::Mean> previous;
  bool rises = true;
  sweep.visit_bins(bins, window.first, [&](const BinSums<A>& s, const typename A::Mass& end) {
    const auto m = mean_of<A>(s);
    rises = !previous || !A::less(m, *previous);
    previous = m;
    return rises && !A::positive(A::minus(end, window.last));
  });
  return rises;
}

// The largest B, at most the number of distinct p, up to which all bin means rise.
template <class A>
std::int64_t most_bins(const ForecastsView& f, const Sweep<A>& sweep) {
  // Nearly separated data rise up to very large B; from here on it pays to look only where means can fall.
  constexpr std::int64_t kFar = 256;
  std::int64_t bins = 0, distinct = 0;
  Groups<A> g(f);
  if (rises_over_groups<A>(f)) {
    while (g.next()) ++distinct;
    return distinct;
  }
  Window<A> window{{}, sweep.total().mass};
  do {
    if (++bins == kFar) window = narrow_window<A>(f, sweep.total().mass);
    while (distinct <= bins && g.next()) ++distinct;  // as far as needed
  } while (bins < distinct && rises_over_bins(sweep, bins + 1, window));
  return bins;
}

template <class A>
Estimate ece_sweep_of(const ForecastsView& f, int* bins_used) {
  const Sweep<A> sweep(f);
  const BinSums<A>& total = sweep.total();
  const bool any = A::positive(total.mass);
  const std::int64_t bins = any ? most_bins(f, sweep) : 0;
  if (bins_used != nullptr)
    *bins_used = narrow<int>(std::min<std::int64_t>(bins, std::numeric_limits<int>::max()));
  if (!any) return no_votes();
  typename A::Area sum{};
  sweep.visit_bins(bins, typename A::Mass{}, [&](const BinSums<A>& s, const typename A::Mass&) {
    A::add(sum, A::absolute(A::minus(A::area(s.hits), s.p)));
    return true;
  });
  return A::area_value(sum) / A::value(total.mass);
}

}  // namespace

Estimate ece_sweep(const ForecastsView& ascending, int* bins_used) {
  return detail::with_residuals(ascending, [&]<class A>(A) { return ece_sweep_of<A>(ascending, bins_used); });
}

}  // namespace plumb
