// Calibrators fitted on any number of voxels. Two classes: voxels are added to a ladder
// (metrics/ordered/ladder.hpp), whose rungs are items with many votes to the method. More classes: a ladder
// of each for isotonic; for temperature the cases are read again for every step of the fit.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "plumb/calibrate/fit_model.hpp"
#include "plumb/metrics/ordered/ladder.hpp"

namespace plumb {

class VoxelFit {
 public:
  /// InputError unless the method is temperature, platt, beta or isotonic.
  explicit VoxelFit(std::string_view method);
  /// Any order. InputError for three classes or more, unless the method is isotonic, and for another number
  /// of classes than before.
  void add(const Items& items, int threads);
  [[nodiscard]] bool exact() const;
  /// `items` of the outcome are the rungs; of three classes or more there are none. fitted_on and input are
  /// left to the caller.
  [[nodiscard]] FittedModel fit(const FitOptions& options) const;

 private:
  [[nodiscard]] Step fit_classes(const FitOptions& options) const;

  std::string method_;
  std::vector<Ladder> ladders_;  ///< two classes: of class 1; more: of each
  std::int64_t items_ = 0;
  std::vector<std::string> class_names_;
};

/// One case; read again for each pass. Without weights, all of the same number of classes.
using ReadVoxels = std::function<Items(std::int64_t)>;

/// The temperature of three classes or more: the same number as a fit of all voxels in memory, bit for bit,
/// since sums over voxels are exact. One case is in memory at a time; all are read once to count votes and
/// once for each Newton step, about five to eight times. options.progress is called with the share done, of a
/// number of passes that is estimated. `scores` are of the fitting data, and absent when a prior was used.
struct VoxelTemperature {
  FittedModel fitted;  ///< without items
  std::vector<BeforeAfter> scores;
};
[[nodiscard]] VoxelTemperature fit_voxel_temperature(std::int64_t cases, const ReadVoxels& read,
                                                     const FitOptions& options);

}  // namespace plumb
