#include "plumb/metrics/ordered/calibration_curve.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "metrics/shared/groups.hpp"
#include "plumb/metrics/ordered/equal_mass.hpp"

namespace plumb {
namespace {

template <class A>
CurvePoints distinct_points(const ForecastsView& f) {
  CurvePoints out;
  for (detail::Groups<A> g(f); g.next();) {
    if (out.size() > kMostCurvePoints) break;
    out.p.push_back(g.p);
    out.mass.push_back(A::value(g.mass));
    out.hits.push_back(A::hits_value(g.hits));
  }
  return out;
}

CurvePoints curve_cells(const ForecastsView& f) {
  CurvePoints out;
  for (const Bin& b : equal_mass_table(f, kCurveCells).bins) {
    if (b.w.is_zero()) continue;
    out.p.push_back(b.mean_p());
    out.mass.push_back(b.w.value());
    out.hits.push_back(b.wy.value());
  }
  return out;
}

double votes_in(const ForecastsView& f) {
  double votes = 0;  // whole numbers
  for (std::size_t i = 0; i < f.size(); ++i)
    if (f.weight_of(i) > 0) votes += f.trials_of(i) * (f.times.empty() ? 1 : f.times[i]);
  return votes;
}

/// Linear between the points, constant beyond the first and the last.
class Interpolated {
 public:
  Interpolated(std::span<const double> x, std::span<const double> y) : x_(x), y_(y) {}
  double operator()(double p) {  // ascending
    while (at_ + 1 < x_.size() && x_[at_ + 1] <= p) ++at_;
    if (p <= x_[at_] || at_ + 1 == x_.size()) return y_[at_];
    const double share = (p - x_[at_]) / (x_[at_ + 1] - x_[at_]);
    return y_[at_] + share * (y_[at_ + 1] - y_[at_]);
  }

 private:
  std::span<const double> x_, y_;
  std::size_t at_ = 0;
};

struct CurveGap {
  double size, mass;
};

double gap_quantile(const std::vector<CurveGap>& ascending, double total, double share) {
  constexpr double kRounded = 1 - 1e-12;  // of weights that are not whole
  ExactSum below;
  for (const CurveGap& g : ascending) {
    below.add(g.mass);
    if (below.value() >= share * total * kRounded) return g.size;
  }
  return ascending.back().size;
}

}  // namespace

CurvePoints curve_points(const ForecastsView& ascending) {
  CurvePoints out = detail::with_counts(ascending, [&]<class A>(A) { return distinct_points<A>(ascending); });
  if (out.size() > kMostCurvePoints) out = curve_cells(ascending);
  out.votes = votes_in(ascending);
  return out;
}

CurveErrors curve_errors(const ForecastsView& f, const CurvePoints& points, const CurveFit& fit) {
  const auto all = [](const Estimate& e) { return CurveErrors{e, e, e, e}; };
  if (points.size() == 0) return all(no_votes());
  if (!fit.why.empty()) return all(Estimate::undefined(fit.why));
  std::vector<CurveGap> gaps;
  ExactSum sum, total;
  detail::with_counts(f, [&]<class A>(A) {
    Interpolated curve(points.p, fit.value);
    for (detail::Groups<A> g(f); g.next();) {
      gaps.push_back({std::fabs(curve(g.p) - g.p), A::value(g.mass)});
      sum.add(gaps.back().size * gaps.back().mass);
      total.add(gaps.back().mass);
    }
    return 0;
  });
  std::sort(gaps.begin(), gaps.end(), [](const CurveGap& a, const CurveGap& b) { return a.size < b.size; });
  const double mass = total.value();
  return {sum.value() / mass, gap_quantile(gaps, mass, 0.5), gap_quantile(gaps, mass, 0.9), gaps.back().size};
}

}  // namespace plumb
