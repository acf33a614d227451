#include "plumb/metrics/ordered/risk_coverage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "metrics/shared/groups.hpp"
#include "metrics/shared/unit_weight.hpp"
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

// The walk from the greatest score down, over stretches of a column that come in that order.
template <class A>
class RiskWalk {
 public:
  void add(const ForecastsView& f) {
    for (detail::Groups<A, Down::down> g(f); g.next_or_empty();) {
      typename A::Mass both = misses_;
      A::add(misses_, g.misses());
      A::add(both, misses_);
      A::add(mass_, g.mass);
      A::add_area(risks_, g.mass, to_fixed(A::value(misses_) / A::value(mass_)));
      A::add_pairs(twice_, g.mass, both);
    }
  }
  /// `all`: a column with the weights of all stretches.
  [[nodiscard]] RiskCoverage value(const ForecastsView& all) const {
    if (!A::positive(mass_)) return {no_votes(), no_votes(), no_votes()};
    typename A::Pairs square{};
    A::add_pairs(square, mass_, mass_);
    const double aurc = A::area_value(risks_) / A::value(mass_);
    const double ideal =
        ideal_aurc(A::value(A::minus(mass_, misses_)), A::value(misses_), detail::unit_weight(all));
    return {aurc, std::max(0.0, aurc - ideal), 0.5 * A::pairs_value(twice_) / A::pairs_value(square)};
  }

 private:
  typename A::Mass mass_{}, misses_{};
  typename A::Area risks_{};
  typename A::Pairs twice_{};
};

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
  return detail::with_counts(ascending, [&]<class A>(A) {
    RiskWalk<A> walk;
    walk.add(ascending);
    return walk.value(ascending);
  });
}

RiskCoverage risk_coverage(const ConfidenceColumn& column, int threads) {
  return detail::with_counts(column.source(), [&]<class A>(A) {
    RiskWalk<A> walk;
    column.each(true, threads, [&](const ForecastsView& stretch) { walk.add(stretch); });
    return walk.value(column.source());
  });
}

std::vector<RiskCoveragePoint> risk_coverage_curve(const ForecastsView& ascending, int points) {
  if (points < 1) return {};
  return detail::with_counts(ascending, [&]<class A>(A) { return curve_of<A>(ascending, points); });
}

}  // namespace plumb
