// A calibrator that repairs named groups: boosting of log-odds by slices, as in multicalibration
// (Hebert-Johnson et al. 2018; Gopalan et al. 2022, low-degree).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plumb/calibrate/model.hpp"
#include "plumb/data/items.hpp"

namespace plumb {

struct MultigroupOptions {
  int rounds = 100;  ///< at most so many patches
  double level =
      0.95;       ///< a slice is patched if the test of its calibration is significant for all slices at once
  int cross = 1;  ///< slices are also intersections of up to so many ways
  std::uint64_t seed = 0;  ///< of the folds
  int threads = 0;         ///< does not affect the results
};

/// A step "multigroup" for binary items; `items.by` are the ways to slice. In each round every slice, and all
/// items together, are tested for a shift of the log-odds and, with 20 votes or more for the rarer outcome,
/// for a shift and a slope (score tests; with several votes or groups their variance comes from the units).
/// The one with the smallest p-value is patched by a Newton step until none is below
/// (1 - level)/(number of slices). InputError: several classes, no way to slice, no votes.
[[nodiscard]] CalibrationModel fit_multigroup(const Items& items, const MultigroupOptions& options);
[[nodiscard]] bool is_multigroup(const CalibrationModel& model);
/// How many ways of the fit were intersected.
[[nodiscard]] int multigroup_cross(const CalibrationModel& model);

/// P(class 1) of each item. A slice that was not there in the fit gets the patches of all items and of its
/// other slices. InputError: several classes, a way to slice that the model needs and `by` does not have.
[[nodiscard]] std::vector<double> apply_multigroup(const CalibrationModel& model,
                                                   const Predictions& predictions, std::span<const Names> by,
                                                   int threads);

/// The same, each item by a model that was fitted without its unit.
[[nodiscard]] std::vector<double> cross_fit_multigroup(const Items& items, const MultigroupOptions& options,
                                                       int folds);

}  // namespace plumb
