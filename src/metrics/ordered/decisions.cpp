#include "plumb/metrics/ordered/decisions.hpp"

#include "metrics/shared/groups.hpp"

namespace plumb {
namespace {

template <class A>
std::vector<Decision> decisions_of(const ForecastsView& f, std::span<const double> thresholds) {
  std::vector<Decision> out;
  typename A::Mass mass{};
  typename A::Hits hits{};
  const auto cut = [&] {
    out.push_back({thresholds[out.size()], 0, 0, A::value(mass), A::hits_value(hits)});  // so far: below
  };
  for (detail::Groups<A> g(f); g.next_or_empty();) {
    while (out.size() < thresholds.size() && thresholds[out.size()] <= g.p) cut();
    A::add(mass, g.mass);
    A::add(hits, g.hits);
  }
  while (out.size() < thresholds.size()) cut();
  const double all = A::value(mass), all_hits = A::hits_value(hits);
  for (Decision& d : out) d = {d.threshold, all - d.mass, all_hits - d.hits, all, all_hits};
  return out;
}

}  // namespace

std::vector<Decision> decisions(const ForecastsView& ascending, std::span<const double> thresholds) {
  return detail::with_counts(ascending, [&]<class A>(A) { return decisions_of<A>(ascending, thresholds); });
}

}  // namespace plumb
