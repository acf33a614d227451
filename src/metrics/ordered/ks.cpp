#include "plumb/metrics/ordered/ks.hpp"

#include <algorithm>

#include "metrics/ordered/groups.hpp"

namespace plumb {

namespace {

template <class A>
Estimate ks_of(const ForecastsView& f) {
  typename A::Mass total{};
  typename A::Area residual{};
  auto largest = A::magnitude(residual);
  for (ordered::Groups<A> g(f); g.next();) {
    A::add(total, g.mass);
    A::add(residual, A::area(g.hits));
    A::add_area(residual, g.mass, -to_fixed(g.p));
    largest = std::max(largest, A::magnitude(residual));
  }
  if (!A::positive(total)) return Estimate::undefined(std::string(kNoVotes));
  return A::area_value(largest) / A::value(total);
}

}  // namespace

Estimate ks(const ForecastsView& ascending) {
  return ordered::with_residuals(ascending, [&]<class A>(A) { return ks_of<A>(ascending); });
}

}  // namespace plumb
