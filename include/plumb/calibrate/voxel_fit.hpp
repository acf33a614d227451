// A calibrator of two classes fitted on any number of voxels: they are added to a ladder
// (metrics/ordered/ladder.hpp), whose rungs the method sees as items with many votes.
#pragma once

#include <string_view>

#include "plumb/calibrate/fit_model.hpp"
#include "plumb/metrics/ordered/ladder.hpp"

namespace plumb {

class VoxelFit {
 public:
  /// InputError unless the method is temperature, platt, beta or isotonic.
  explicit VoxelFit(std::string_view method);
  void add(const Items& items, int threads);  ///< any order; InputError for three classes or more
  [[nodiscard]] bool exact() const { return ladder_.exact(); }
  /// `items` of the outcome are the rungs. fitted_on and input are left to the caller.
  [[nodiscard]] FittedModel fit(const FitOptions& options) const;

 private:
  std::string method_;
  Ladder ladder_;
  std::int64_t items_ = 0;
  std::vector<std::string> class_names_;
};

}  // namespace plumb
