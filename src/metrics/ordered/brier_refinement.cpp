#include "plumb/metrics/ordered/brier_refinement.hpp"

#include "metrics/shared/groups.hpp"

namespace plumb {

namespace {

template <class A>
BrierRefinement brier_refinement_of(const ForecastsView& f) {
  typename A::Mass total{};
  typename A::Area calibration{}, refinement{};
  for (detail::Groups<A> g(f); g.next_or_empty();) {
    const double y = A::hits_value(g.hits) / A::value(g.mass);
    A::add(total, g.mass);
    A::add_area(calibration, g.mass, to_fixed((g.p - y) * (g.p - y)));
    A::add_area(refinement, g.mass, to_fixed(y * (1.0 - y)));
  }
  if (!A::positive(total)) return {no_votes(), no_votes()};
  return {A::area_value(calibration) / A::value(total), A::area_value(refinement) / A::value(total)};
}

}  // namespace

BrierRefinement brier_refinement(const ForecastsView& ascending) {
  return detail::with_counts(ascending, [&]<class A>(A) { return brier_refinement_of<A>(ascending); });
}

}  // namespace plumb
