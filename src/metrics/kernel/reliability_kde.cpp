#include "plumb/metrics/kernel/reliability_kde.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "metrics/kernel/beta_layout.hpp"
#include "metrics/kernel/beta_point.hpp"
#include "metrics/kernel/chebyshev.hpp"
#include "plumb/numeric/elementary.hpp"

namespace plumb {
namespace {

using detail::beta_point;
using detail::BetaBox;
using detail::BetaLayout;
using detail::BetaPoint;
using detail::chebyshev_analysis;
using detail::chebyshev_node;
using detail::Grid;
using detail::kFarShare;
using detail::kFarthest;
using detail::Series;
using detail::tail_of;

// Where the sums are this uncertain (relative), too few votes are near to tell.
constexpr double kMostError = 1e-6;

struct CurveSums {
  double all = 0, hits = 0, error = 0;  // G in units of k(x; x)
};

// A box with votes: its nodes and its moments.
struct Source {
  std::array<BetaPoint, kMoments> point;
  Series w, wy;
};

std::vector<Source> sources_of(const BetaSums& sums, const BetaLayout& layout) {
  std::vector<Source> out;
  const int boxes = layout.sources();
  for (int b = 0; b < 2 * boxes; ++b) {
    if (sums.moments.w[b * kMoments].is_zero()) continue;
    const BetaBox& box = layout.source(b % boxes);
    Source& s = out.emplace_back();
    for (int k = 0; k < kMoments; ++k) {
      const double r = (box.centre + box.half * chebyshev_node(k)) / layout.n();
      s.point[k] = beta_point({r, b >= boxes}, layout.n());
      s.w[k] = sums.moments.w[b * kMoments + k].value();
      s.wy[k] = sums.moments.wy[b * kMoments + k].value();
    }
  }
  return out;
}

CurveSums sums_at(const std::vector<Source>& sources, const BetaPoint& x, double n) {
  const Grid& analysis = chebyshev_analysis();
  CurveSums out;
  for (const Source& s : sources) {
    Series value;
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t l = 0; l < kMoments; ++l) {
      value[l] = log_ratio(x, s.point[l], n);
      most = std::max(most, value[l]);
    }
    if (most < kFarthest) {
      out.error += s.w[0] * kFarShare;
      continue;
    }
    exp_block(value, value);
    Series size{};
    for (std::size_t k = 0; k < kMoments; ++k) {
      double c = 0;
      for (std::size_t l = 0; l < kMoments; ++l) c += analysis[k][l] * value[l];
      out.all += c * s.w[k];
      out.hits += c * s.wy[k];
      size[k] = std::abs(c);
    }
    out.error += s.w[0] * (2.0 * tail_of(size) + 1e-15 * exp_portable(most));
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
  for (int i = 0; i <= cells; ++i) grid.push_back(1.0 * i / cells);
  return grid;
}

std::vector<CurvePoint> reliability_kde(const BetaSums& sums, std::span<const double> grid) {
  std::vector<CurvePoint> curve;
  const double weight = sums.weight().value();
  if (!(weight > 0.0)) return curve;
  const auto shared = detail::shared_layout(sums.boxes);
  const BetaLayout& layout = *shared;
  const std::vector<Source> sources = sources_of(sums, layout);
  for (const double p : grid) {
    if (p == 0.0 || p == 1.0) {
      curve.push_back(point_at_end(sums, p, weight));
      continue;
    }
    const EndDistance e = EndDistance::from(p);
    const CurveSums g = sums_at(sources, beta_point(e, layout.n()), layout.n());
    CurvePoint point{
        p, {}, std::max(0.0, g.all) * exp_portable(log_beta_kernel_peak(e, sums.boxes.bandwidth)) / weight};
    if (g.all * kMostError > g.error) point.estimate = g.hits / g.all;
    curve.push_back(point);
  }
  return curve;
}

}  // namespace plumb
