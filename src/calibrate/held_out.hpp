// Log-loss on held-out folds, by unit (group if given, otherwise the item): the criterion of `auto` and of
// the warning about fits that make things worse.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "plumb/calibrate/fit.hpp"
#include "plumb/calibrate/model.hpp"
#include "plumb/data/items.hpp"

namespace plumb::detail {

/// Rows by unit, and the weight of their votes.
struct UnitVotes {
  std::vector<std::int64_t> unit;  ///< of each row
  std::vector<double> mass;        ///< of each unit
  bool any_wrong = false;          ///< a vote for another class than the most probable one
  explicit UnitVotes(const Items& items);
};

/// Adds the log-loss of rows under a model to their units; probabilities below kScoreClip count as that.
void add_losses(const Items& items, const CalibrationModel& model, std::span<const std::int64_t> rows,
                const UnitVotes& units, std::vector<double>& loss);

/// Log-loss by unit when every row is calibrated by a fit on the folds that it is not in.
using FitOnRows = std::function<CalibrationModel(std::span<const std::int64_t> rows)>;
[[nodiscard]] std::vector<double> held_out_losses(const Items& items, const UnitVotes& units,
                                                  const std::vector<int>& fold, int folds,
                                                  const FitOnRows& fit);

/// sum(loss) / sum(mass) with its standard error, units being the independent draws (linearised ratio).
struct MeanLoss {
  double mean = 0, se = 0;
};
[[nodiscard]] MeanLoss mean_loss(const std::vector<double>& loss, const std::vector<double>& mass);
/// The same of before - after, paired by unit: two methods err on the same items, so their difference is
/// known far better than either loss.
[[nodiscard]] MeanLoss gain_of(const std::vector<double>& before, const std::vector<double>& after,
                               const std::vector<double>& mass);

/// By this factor gains vary more than the units of one assignment show, since fits on k - 1 of k folds share
/// most of their data: sqrt(1 + k n_test/n_train) (Nadeau and Bengio 2003).
[[nodiscard]] double shared_training(int folds);

/// Fits again on five folds and warns in the step's report when the calibrated predictions are worse than the
/// plain ones by more than a standard error; or says why this was not tried.
void check_held_out(const CalibratorRow& row, const Items& items, const FitOptions& options, Step& step);

}  // namespace plumb::detail
