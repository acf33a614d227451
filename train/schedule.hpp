// The learning rate by epoch, and early stopping: both read the validation log-loss. Plain numbers, so that a
// checkpoint is a copy. No LibTorch.
#pragma once

#include <cstdint>
#include <limits>

#include "train/options/options.hpp"

namespace plumb::train {

struct ScheduleState {
  double scale = 1;                                       ///< product of the cuts made on plateaus
  double best = std::numeric_limits<double>::infinity();  ///< lowest validation loss so far
  std::int64_t best_epoch = 0;                            ///< 0: none yet
  std::int64_t stale = 0;                                 ///< epochs since the best
  std::int64_t since_cut = 0;                             ///< epochs without improvement since the last cut
  friend bool operator==(const ScheduleState&, const ScheduleState&) = default;
};

/// The rate of `epoch` (from 1): base x warm-up x milestones passed x plateau cuts. Milestone e takes effect
/// from epoch e + 1 on.
[[nodiscard]] double learning_rate(const TrainOptions& o, double base, const ScheduleState& s,
                                   std::int64_t epoch);
/// Takes the validation loss of `epoch`; true when it is the best so far, which NaN never is.
bool observe(const TrainOptions& o, ScheduleState& s, std::int64_t epoch, double loss);
[[nodiscard]] bool should_stop(const TrainOptions& o, const ScheduleState& s);

}  // namespace plumb::train
