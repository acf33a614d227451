#include "plumb/metrics/ordered/risk_coverage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "metrics/shared/groups.hpp"
#include "plumb/numeric/elementary.hpp"

namespace plumb {

namespace {

using Down = detail::Direction;

// x - log(1 + x), x >= 0, to a few units in the last place also where the two nearly cancel.
double x_less_log1p(double x) {
  constexpr double kSeriesBelow = 0.125;
  constexpr int kTerms = 20;  // 0.125^18 < 2^-53
  if (x >= kSeriesBelow) return x - log_portable(1.0 + x);
  double s = 0;
  for (int k = kTerms; k >= 2; --k) s = 1.0 / k - x * s;  // 1/2 - x/3 + x^2/4 - ...
  return x * x * s;
}

// sum_{j=1}^{misses} j / (hits + j): the risks of W votes sorted by correctness, one point per vote. Up to
// kDirect terms with the roundings of the walk below, so that a perfect ranking has an excess of exactly 0;
// the rest by Euler-Maclaurin, whose next term is below 1e-20.
double ideal_risks(double hits, double misses) {
  constexpr double kDirect = 1048576;
  int128 sum = 0;
  double j = 1;
  for (; j <= misses && j <= kDirect; ++j) sum += to_fixed(j / (hits + j));
  const double direct = detail::Whole::area_value(sum), done = j - 1;
  const double left = misses - done;
  if (left <= 0) return direct;
  const double x = left / (hits + done), excess = x_less_log1p(x);
  const double integral = (hits + done) * excess + done * (x - excess);
  const auto risk = [&](double k) { return k / (hits + k); };
  const auto slope = [&](double k) { return hits / ((hits + k) * (hits + k)); };
  return direct + integral + (risk(misses) - risk(done)) / 2 + (slope(misses) - slope(done)) / 12;
}

// The weight of which all others are multiples, so that votes can be counted by it; 0: there is none.
double unit_weight(const ForecastsView& f) {
  constexpr double kRounding = 0x1p-40;  // weights of k / 3 are multiples of 1/3 but for this
  if (!f.whole_counts) return 0;
  if (f.weight.empty()) return 1;
  double least = std::numeric_limits<double>::infinity();
  for (const double w : f.weight)
    if (w > 0) least = std::min(least, w);
  const bool multiples = std::all_of(f.weight.begin(), f.weight.end(), [&](double w) {
    const double times = w / least;
    return std::fabs(times - std::nearbyint(times)) <= kRounding * times;
  });
  return multiples ? least : 0;
}

double ideal_aurc(double hits, double misses, double unit) {
  const bool countable = unit > 0;
  if (countable && unit != 1) {
    hits = std::nearbyint(hits / unit);
    misses = std::nearbyint(misses / unit);
  }
  const double mass = hits + misses;
  if (misses <= 0) return 0.0;
  if (hits <= 0) return 1.0;
  return countable ? ideal_risks(hits, misses) / mass : hits / mass * x_less_log1p(misses / hits);
}

template <class A>
RiskCoverage risk_coverage_of(const ForecastsView& f) {
  typename A::Mass mass{}, misses{};
  typename A::Area risks{};
  typename A::Pairs twice{};
  for (detail::Groups<A, Down::down> g(f); g.next_or_empty();) {
    typename A::Mass both = misses;
    A::add(misses, g.misses());
    A::add(both, misses);
    A::add(mass, g.mass);
    A::add_area(risks, g.mass, to_fixed(A::value(misses) / A::value(mass)));
    A::add_pairs(twice, g.mass, both);
  }
  if (!A::positive(mass)) return {no_votes(), no_votes(), no_votes()};
  typename A::Pairs square{};
  A::add_pairs(square, mass, mass);
  const double aurc = A::area_value(risks) / A::value(mass);
  const double ideal = ideal_aurc(A::value(A::minus(mass, misses)), A::value(misses), unit_weight(f));
  return {aurc, std::max(0.0, aurc - ideal), 0.5 * A::pairs_value(twice) / A::pairs_value(square)};
}

template <class A>
std::vector<RiskCoveragePoint> curve_of(const ForecastsView& f, std::int64_t points) {
  typename A::Mass total{};
  std::int64_t distinct = 0;
  for (detail::Groups<A> g(f); g.next(); ++distinct) A::add(total, g.mass);
  std::vector<RiskCoveragePoint> curve;
  typename A::Mass mass{}, misses{};
  std::int64_t kept = 0;  // how many of `points` equal shares of the votes are behind
  typename A::Reach reach(1, points, total);
  for (detail::Groups<A, Down::down> g(f); g.next();) {
    A::add(mass, g.mass);
    A::add(misses, g.misses());
    if (distinct > points) {
      if (!reach(mass)) continue;
      kept = A::bin(points, mass, total);
      reach = typename A::Reach(kept + 1, points, total);
    }
    curve.push_back({g.p + 0.0, A::value(mass) / A::value(total), A::value(misses) / A::value(mass)});
  }
  return curve;
}

}  // namespace

RiskCoverage risk_coverage(const ForecastsView& ascending) {
  return detail::with_counts(ascending, [&]<class A>(A) { return risk_coverage_of<A>(ascending); });
}

std::vector<RiskCoveragePoint> risk_coverage_curve(const ForecastsView& ascending, int points) {
  if (points < 1) return {};
  return detail::with_counts(ascending, [&]<class A>(A) { return curve_of<A>(ascending, points); });
}

}  // namespace plumb
