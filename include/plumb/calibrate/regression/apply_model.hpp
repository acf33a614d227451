// Applies a calibrator of variances to any number of predictions, block by block, in bounded memory.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "plumb/calibrate/model.hpp"
#include "plumb/regression/column.hpp"

namespace plumb {

struct RegressionApplyOptions {
  bool variances = true;       ///< conformal models have none
  std::vector<double> levels;  ///< of intervals; none: no bounds
};

/// Items [begin, begin + size), row-major; the spans are valid during the call of the sink.
struct CalibratedVariances {
  std::int64_t begin = 0, size = 0;
  std::span<const double> variance;  ///< size x d, or empty
  std::span<const double> bounds;    ///< size x d x levels x 2: low and high, or empty
};
using VarianceSink = std::function<void(const CalibratedVariances&)>;

/// InputError when the model is not a calibrator of variances, or needs parts of the variance that the items
/// do not have.
void check_fits(const CalibrationModel& model, const RegressionItems& items);

/// Passes every block to the sink, in order. Variances are raised to the clip of the fit first. Bounds need
/// the mean.
void apply_model(const CalibrationModel& model, const RegressionItems& items,
                 const RegressionApplyOptions& options, const VarianceSink& sink);

/// The items with calibrated variances in place of their own, held in memory. InputError for stochastic
/// passes and for models that give intervals only.
[[nodiscard]] RegressionItems apply_model(const CalibrationModel& model, const RegressionItems& items);
/// The same without clipping, because an evaluation has its own clip.
[[nodiscard]] RegressionItems calibrated(const RegressionItems& items, const CalibrationModel& model);

}  // namespace plumb
