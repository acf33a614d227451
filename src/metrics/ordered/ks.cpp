#include "plumb/metrics/ordered/ks.hpp"

#include <algorithm>

#include "metrics/ordered/groups.hpp"

namespace plumb {

namespace {

template <class A>
Estimate ks_of(const ForecastsView& f) {
  typename A::Mass total{};
  typename A::Area residual{};
  auto high = A::ordered(residual);
  auto low = high;
  for (ordered::Groups<A> g(f); g.next();) {
    A::add(total, g.mass);
    A::add(residual, A::area(g.hits));
    A::add_area(residual, g.mass, -to_fixed(g.p));
    high = std::max(high, A::ordered(residual));
    low = std::min(low, A::ordered(residual));
  }
  if (!A::positive(total)) return Estimate::undefined(std::string(kNoVotes));
  return A::area_value(std::max(high, -low)) / A::value(total);
}

}  // namespace

Estimate ks(const ForecastsView& ascending) {
  return ordered::with_residuals(ascending, [&]<class A>(A) { return ks_of<A>(ascending); });
}

}  // namespace plumb
