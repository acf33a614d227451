#include "plumb/uncertainty/thresholds.hpp"

#include <cmath>
#include <limits>

#include "metrics/shared/groups.hpp"
#include "plumb/metrics/ordered/risk_coverage.hpp"

namespace plumb {
namespace {

using Down = detail::Direction;

// From the most certain item on: a run of equal values is either taken whole or not at all, and the
// threshold that takes it is the value of the next run.
template <class A>
Thresholds thresholds_of(const ForecastsView& f, std::span<const double> targets) {
  typename A::Mass total{};
  for (detail::Groups<A> g(f); g.next();) A::add(total, g.mass);
  Thresholds out;
  typename A::Mass kept{};
  typename A::Hits kept_hits{};
  double previous = -std::numeric_limits<double>::infinity();
  for (const double target : targets) {
    Threshold t;
    t.target = target;
    typename A::Mass mass{}, best_mass{};
    typename A::Hits hits{}, best_hits{};
    double best = 0;
    bool found = false, pending = false;  // pending: the runs so far qualify, their threshold comes next
    double last = 0;
    detail::Groups<A, Down::down> g(f);
    while (g.next()) {
      const double y = 0.0 - g.p;
      if (y < previous) continue;
      if (pending) best = std::isinf(y) ? std::numeric_limits<double>::max() : y;
      pending = false;
      if (std::isinf(y) && y > 0) break;  // no finite threshold lies above it
      A::add(mass, g.mass);
      A::add(hits, g.hits);
      last = y;
      if (A::hits_value(hits) / A::value(mass) >= target) {
        pending = found = true;
        best_mass = mass;
        best_hits = hits;
        t.accuracy = A::hits_value(hits) / A::value(mass);
      }
    }
    if (pending) best = value_above(last);
    if (found) {
      t.value = best;
      t.share = A::value(best_mass) / A::value(total);
      previous = best;
      A::add(kept, best_mass);
      A::add(kept_hits, best_hits);
      t.kept_share = A::value(kept) / A::value(total);
      t.kept_accuracy = A::hits_value(kept_hits) / A::value(kept);
    }
    out.cuts.push_back(t);
  }
  typename A::Mass rest{};
  typename A::Hits right{};
  for (detail::Groups<A> g(f); g.next();) {
    if (0.0 - g.p < previous) continue;
    A::add(rest, g.mass);
    A::add(right, g.hits);
  }
  out.rest_share = A::value(rest) / A::value(total);
  if (A::positive(rest)) out.rest_accuracy = A::hits_value(right) / A::value(rest);
  return out;
}

}  // namespace

double value_above(double y) {
  const double up = std::nextafter(y, std::numeric_limits<double>::infinity());
  return std::isinf(up) ? std::numeric_limits<double>::max() : up;
}

Thresholds find_thresholds(const ForecastsView& confidence, std::span<const double> targets) {
  return detail::with_counts(confidence, [&]<class A>(A) { return thresholds_of<A>(confidence, targets); });
}

std::vector<DeferralPoint> deferral(const ForecastsView& confidence, int points) {
  const std::vector<RiskCoveragePoint> curve = risk_coverage_curve(confidence, points);
  std::vector<DeferralPoint> out;
  for (std::size_t i = curve.size(); i > 0; --i) {
    const RiskCoveragePoint& c = curve[i - 1];
    out.push_back({1 - c.coverage, 0.0 - c.score, 1 - c.risk});
  }
  return out;
}

}  // namespace plumb
