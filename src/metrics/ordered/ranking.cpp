#include "plumb/metrics/ordered/ranking.hpp"

#include "metrics/shared/groups.hpp"
#include "metrics/shared/unit_weight.hpp"

namespace plumb {

namespace {

template <class A>
Estimate why_unranked(const typename A::Hits& hits, const typename A::Mass& misses) {
  if (!A::positive(hits) && !A::positive(misses)) return Estimate::undefined(kNoVotes);
  return Estimate::undefined(A::positive(hits) ? detail::kNoMisses : detail::kNoHits);
}

// Twice the mass of (hit, miss) pairs in which the hit stands higher, ties once: all of it in
// exact arithmetic.
template <class A>
Estimate auroc_of(const ForecastsView& f) {
  typename A::Hits hits{};
  typename A::Mass below{};  // misses of lower score
  typename A::Pairs twice{};
  for (detail::Groups<A> g(f); g.next_or_empty();) {
    const typename A::Mass misses = g.misses();
    typename A::Mass counted = below;
    A::add(below, misses);
    A::add(counted, below);
    A::add_pairs(twice, g.hits, counted);
    A::add(hits, g.hits);
  }
  if (!A::positive(hits) || !A::positive(below)) return why_unranked<A>(hits, below);
  typename A::Pairs all{};
  A::add_pairs(all, hits, below);
  return 0.5 * A::pairs_value(twice) / A::pairs_value(all);
}

template <class A>
Estimate auprc_of(const ForecastsView& f) {
  typename A::Mass mass{};
  typename A::Hits hits{};
  typename A::Area sum{};
  for (detail::Groups<A, detail::Direction::down> g(f); g.next_or_empty();) {
    A::add(mass, g.mass);
    A::add(hits, g.hits);
    A::add_area(sum, g.hits, to_fixed(A::hits_value(hits) / A::value(mass)));
  }
  if (!A::positive(hits)) return why_unranked<A>(hits, mass);
  return A::area_value(sum) / A::hits_value(hits);
}

}  // namespace

Estimate auroc(const ForecastsView& ascending) {
  return detail::by_unit_weight(ascending, [](const ForecastsView& f) {
    return detail::with_counts(f, [&]<class A>(A) { return auroc_of<A>(f); });
  });
}

Estimate auprc(const ForecastsView& ascending) {
  return detail::by_unit_weight(ascending, [](const ForecastsView& f) {
    return detail::with_counts(f, [&]<class A>(A) { return auprc_of<A>(f); });
  });
}

}  // namespace plumb
