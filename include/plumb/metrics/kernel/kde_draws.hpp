// Kernel calibration errors of one column under many outcomes: of a calibrated model's draws, where forecasts
// and weights stay and hits change.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "plumb/metrics/kernel/ece_kde.hpp"

namespace plumb {

/// What depends on the forecasts alone is computed once: places in the boxes, the kernel sums of all votes
/// and which forecasts are isolated. The bits are those of ece_kde(). Thread-safe; 36 bytes per forecast.
class KdeDraws {
 public:
  static constexpr std::size_t kTogether = 8;  ///< draws that pay for one passage through the plan

  /// `f` (whole, without `times`) and `plan` must outlive it; the hits of `f` are not read.
  KdeDraws(const ForecastsView& f, const BetaPlan& plan, LeaveOut leave_out, int threads = 0);
  ~KdeDraws();
  KdeDraws(KdeDraws&&) noexcept;

  /// hits[d] are the hits of draw d, whole numbers; at most kTogether draws.
  void errors(std::span<const std::span<const double>> hits, std::span<KdeErrors> out) const;

 private:
  struct Made;
  std::unique_ptr<const Made> made_;
};

}  // namespace plumb
