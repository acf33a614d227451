#include "plumb/metrics/kernel/reliability_kde.hpp"

#include <algorithm>
#include <cmath>

#include "metrics/kernel/beta_layout.hpp"
#include "metrics/kernel/beta_point.hpp"
#include "metrics/kernel/chebyshev.hpp"
#include "plumb/numeric/elementary.hpp"

namespace plumb {
namespace {

// Where the sums are this uncertain (relative), too few votes are near to tell.
constexpr double kMostError = 1e-6;

struct Sums {
  double all = 0, hits = 0, error = 0;  // G in units of k(x; x)
};

Sums sums_at(const BetaSums& sums, const BetaLayout& layout, const BetaPoint& x) {
  const Grid& analysis = chebyshev_analysis();
  const auto sources = static_cast<std::size_t>(layout.sources());
  Sums out;
  for (std::size_t b = 0; b < 2 * sources; ++b) {
    const std::size_t at = b * kMoments;
    if (sums.moments.w[at].is_zero()) continue;
    const BetaBox& box = layout.source(static_cast<int>(b % sources));
    Series value;
    for (int l = 0; l < kMoments; ++l) {
      const double r = (box.centre + box.half * chebyshev_node(l)) / layout.n();
      value[static_cast<std::size_t>(l)] =
          log_ratio(x, beta_point({r, b >= sources}, layout.n()), layout.n());
    }
    exp_block(value, value);
    Series size{};
    for (std::size_t k = 0; k < kMoments; ++k) {
      double c = 0;
      for (std::size_t l = 0; l < kMoments; ++l) c += analysis[k][l] * value[l];
      out.all += c * sums.moments.w[at + k].value();
      out.hits += c * sums.moments.wy[at + k].value();
      size[k] = std::abs(c);
    }
    const double most = *std::max_element(value.begin(), value.end());
    out.error += sums.moments.w[at].value() * (2.0 * tail_of(size) + 1e-15 * most);
  }
  return out;
}

CurvePoint point_at_end(const BetaSums& sums, double p, double weight) {
  const VotesAt& here = p == 0.0 ? sums.at_zero : sums.at_one;
  const VotesAt& next = p == 0.0 ? sums.above_zero : sums.below_one;
  CurvePoint out{p, {}, (1.0 / sums.boxes.bandwidth + 1.0) * here.w.value() / weight};
  const VotesAt& nearest = here.w.is_zero() ? next : here;
  out.estimate = nearest.wy.value() / nearest.w.value();
  return out;
}

}  // namespace

std::vector<double> even_grid(int cells) {
  std::vector<double> grid;
  for (int i = 0; i <= cells; ++i) grid.push_back(static_cast<double>(i) / cells);
  return grid;
}

std::vector<CurvePoint> reliability_kde(const BetaSums& sums, std::span<const double> grid) {
  std::vector<CurvePoint> curve;
  const double weight = sums.weight().value();
  if (!(weight > 0.0)) return curve;
  const BetaLayout layout(sums.boxes);
  for (const double p : grid) {
    if (p == 0.0 || p == 1.0) {
      curve.push_back(point_at_end(sums, p, weight));
      continue;
    }
    const EndDistance e = EndDistance::of(p);
    const Sums g = sums_at(sums, layout, beta_point(e, layout.n()));
    CurvePoint point{
        p, {}, std::max(0.0, g.all) * exp_portable(log_beta_kernel_peak(e, sums.boxes.bandwidth)) / weight};
    if (g.all * kMostError > g.error) point.estimate = g.hits / g.all;
    curve.push_back(point);
  }
  return curve;
}

}  // namespace plumb
