// The curves of bootstrap draws of whole groups: the sums of each group are taken once, and a draw adds them
// as often as it has the group.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "evaluate/kernel.hpp"
#include "plumb/metrics/kernel/smece.hpp"

namespace plumb::detail {

class GroupCurves {
 public:
  /// `ascending`: a column of single votes without weights; `group` has the number of each row's group.
  GroupCurves(const ForecastsView& ascending, std::span<const std::uint32_t> group, std::int64_t groups,
              const KernelPlan& plan, bool kde, bool smooth, int threads);
  /// times: how often each group was drawn.
  [[nodiscard]] std::vector<CurvePoint> kde(std::span<const std::uint32_t> times) const;
  [[nodiscard]] std::vector<CurvePoint> smooth(std::span<const std::uint32_t> times, double sigma) const;

 private:
  std::vector<BetaSums> kde_;  // by group; empty where not asked for
  std::vector<SmoothSums> smooth_;
};

}  // namespace plumb::detail
