#include "plumb/metrics/ordered/atb.hpp"

#include "metrics/shared/groups.hpp"

namespace plumb {
namespace {

template <class A>
void add_residual(typename A::Area& sum, const detail::Groups<A>& g) {
  typename A::Area step = A::area(g.hits);
  A::add_area(step, g.mass, -to_fixed(g.p));
  A::add(sum, step);
}

template <class A>
Estimate atb_of(const ForecastsView& f) {
  typename A::Mass mass{};
  typename A::Area all{};
  for (detail::Groups<A> g(f); g.next_or_empty();) {
    add_residual<A>(all, g);
    A::add(mass, g.mass);
  }
  if (!A::positive(mass)) return no_votes();
  const double total = A::value(mass);
  ExactSum integral;
  typename A::Area below{};
  double from = 0;
  // Between two neighbouring forecasts every threshold cuts at the same place.
  const auto add_until = [&](double to) {
    const double low = A::area_value(below) / total, high = A::area_value(A::minus(all, below)) / total;
    integral.add((to - from) * (low * low + high * high));
    from = to;
  };
  for (detail::Groups<A> g(f); g.next();) {
    add_until(g.p);
    add_residual<A>(below, g);
  }
  add_until(1);
  return integral.value();
}

}  // namespace

Estimate atb(const ForecastsView& ascending) {
  return detail::with_residuals(ascending, [&]<class A>(A) { return atb_of<A>(ascending); });
}

}  // namespace plumb
