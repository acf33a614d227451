#include "plumb/metrics/kernel/reliability_kde.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "metrics/kernel/beta_layout.hpp"
#include "metrics/kernel/beta_point.hpp"
#include "metrics/kernel/chebyshev.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/parallel.hpp"

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

// The kernel from a box to a point: what a vote's moments are multiplied with, and its error per vote.
struct Reach {
  Series c{};
  double error = kFarShare;
  bool far = true, made = false;
};

Reach reach_of(const BetaBox& box, bool upper, const BetaPoint& x, double n) {
  const Grid& analysis = chebyshev_analysis();
  Reach out;
  out.made = true;
  Series value;
  double most = -std::numeric_limits<double>::infinity();
  for (int l = 0; l < kMoments; ++l) {
    const double r = (box.centre + box.half * chebyshev_node(l)) / n;
    value[l] = log_ratio(x, beta_point({r, upper}, n), n);
    most = std::max(most, value[l]);
  }
  if (most < kFarthest) return out;
  out.far = false;
  exp_block(value, value);
  Series size{};
  for (std::size_t k = 0; k < kMoments; ++k) {
    for (std::size_t l = 0; l < kMoments; ++l) out.c[k] += analysis[k][l] * value[l];
    size[k] = std::abs(out.c[k]);
  }
  out.error = 2.0 * tail_of(size) + 1e-15 * exp_portable(most);
  return out;
}

// Draws of one column have the same boxes and points: the kernel between them is kept for the last ones.
class Reaches {
 public:
  void use(const BetaBoxes& boxes, std::span<const double> grid) {
    if (boxes == boxes_ && std::equal(grid.begin(), grid.end(), grid_.begin(), grid_.end())) return;
    boxes_ = boxes;
    grid_.assign(grid.begin(), grid.end());
    layout_ = detail::shared_layout(boxes);
    made_.assign(grid.size() * 2 * layout_->sources(), {});
  }
  const Reach& operator()(std::size_t point, int box) {
    const int boxes = layout_->sources();
    Reach& r = made_[point * 2 * boxes + box];
    if (!r.made)
      r = reach_of(layout_->source(box % boxes), box >= boxes,
                   beta_point(EndDistance::from(grid_[point]), layout_->n()), layout_->n());
    return r;
  }

 private:
  BetaBoxes boxes_;
  std::vector<double> grid_;
  std::shared_ptr<const BetaLayout> layout_;
  std::vector<Reach> made_;
};

// A box with votes and its moments.
struct Source {
  int box;
  Series w, wy;
};

std::vector<Source> sources_of(const BetaSums& sums) {
  std::vector<Source> out;
  for (int b = 0; b < std::ssize(sums.moments.w) / kMoments; ++b) {
    if (sums.moments.w[b * kMoments].is_zero()) continue;
    Source& s = out.emplace_back();
    s.box = b;
    for (int k = 0; k < kMoments; ++k) {
      s.w[k] = sums.moments.w[b * kMoments + k].value();
      s.wy[k] = sums.moments.wy[b * kMoments + k].value();
    }
  }
  return out;
}

CurveSums sums_at(const std::vector<Source>& sources, std::size_t point, Reaches& reaches) {
  CurveSums out;
  for (const Source& s : sources) {
    const Reach& reach = reaches(point, s.box);
    out.error += s.w[0] * reach.error;
    if (reach.far) continue;
    for (std::size_t k = 0; k < kMoments; ++k) {
      out.all += reach.c[k] * s.w[k];
      out.hits += reach.c[k] * s.wy[k];
    }
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

std::vector<CurvePoint> reliability_kde(const BetaSums& sums, std::span<const double> grid, int threads) {
  std::vector<CurvePoint> curve;
  const double weight = sums.weight().value();
  if (!(weight > 0.0)) return curve;
  // Each point has kernels of its own, so points may share them; other curves of this thread may
  // not meanwhile.
  thread_local Reaches kept;
  Reaches own;
  Reaches& reaches = threads == 1 ? kept : own;
  reaches.use(sums.boxes, grid);
  const std::vector<Source> sources = sources_of(sums);
  curve.resize(grid.size());
  parallel_blocks(std::ssize(grid), 1, threads, [&](int, std::int64_t i, std::int64_t) {
    const double p = grid[i];
    if (p == 0.0 || p == 1.0) {
      curve[i] = point_at_end(sums, p, weight);
      return;
    }
    const EndDistance e = EndDistance::from(p);
    const CurveSums g = sums_at(sources, i, reaches);
    curve[i] = {
        p, {}, std::max(0.0, g.all) * exp_portable(log_beta_kernel_peak(e, sums.boxes.bandwidth)) / weight};
    if (g.all * kMostError > g.error) curve[i].estimate = g.hits / g.all;
  });
  return curve;
}

}  // namespace plumb
