#include "evaluate/group_curves.hpp"

#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

template <class Sums>
void merge_drawn(Sums& into, const std::vector<Sums>& groups, std::span<const std::uint32_t> times) {
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::uint32_t t = 0; t < times[g]; ++t) into.merge(groups[g]);
}

}  // namespace

GroupCurves::GroupCurves(const ForecastsView& f, std::span<const std::uint32_t> group, std::int64_t groups,
                         const KernelPlan& plan, bool kde, bool smooth, int threads)
    : kde_(kde ? groups : 0), smooth_(smooth ? groups : 0) {
  parallel_blocks(groups, 1, threads, [&](int, std::int64_t g, std::int64_t) {
    std::vector<std::uint32_t> times(f.size());
    for (std::size_t i = 0; i < times.size(); ++i) times[i] = std::uint32_t{group[i] == g};
    ForecastsView own = f;
    own.times = times;
    const ForecastPass pass = pass_over(own, 1);
    if (kde) kde_[g] = beta_sums(pass, kernel_boxes(plan.event->curve_bandwidth));
    if (smooth) smooth_[g] = smooth_sums(pass);
  });
}

std::vector<CurvePoint> GroupCurves::kde(std::span<const std::uint32_t> times) const {
  BetaSums sums(kde_.at(0).boxes);
  merge_drawn(sums, kde_, times);
  return reliability_kde(sums, even_grid());
}

std::vector<CurvePoint> GroupCurves::smooth(std::span<const std::uint32_t> times, double sigma) const {
  SmoothSums sums;
  merge_drawn(sums, smooth_, times);
  return smooth_curve(MomentValues(sums.moments), sigma, even_grid());
}

}  // namespace plumb::detail
