// Applies a model to any number of predictions, chunk by chunk: memory is bounded, and the results are the
// same for any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "plumb/calibrate/model.hpp"
#include "plumb/data/items.hpp"

namespace plumb {

struct ApplyOptions {
  Rows features = {};         ///< N x F, when the alpha step was fitted with features
  bool disagreement = false;  ///< also the chance that two raters differ
  int threads = 0;            ///< does not affect the results
  std::function<void(double)> progress = {};
  std::stop_token cancel = {};  ///< ends the work with Cancelled
};

/// Items [begin, begin + size), row-major; the spans are valid during the call of the sink.
struct CalibratedChunk {
  std::int64_t begin = 0, size = 0;
  std::span<const double> probabilities;  ///< columns as in calibrated_shape()
  std::span<const double> concentration;  ///< alpha_0 by item if the last step is alpha, otherwise empty
  std::span<const double> disagreement;   ///< one number per item if requested, otherwise empty
};
using CalibratedSink = std::function<void(const CalibratedChunk&)>;

/// Of all calibrated probabilities: {N, K}; binary tasks {N}, or {N, 2} when two columns came in.
[[nodiscard]] std::vector<std::int64_t> calibrated_shape(const Predictions& predictions);

/// Passes every chunk to the sink, in order. InputError when the model does not fit the predictions or
/// the features.
void apply_model(const CalibrationModel& model, const Predictions& predictions, const ApplyOptions& options,
                 const CalibratedSink& sink);

/// The items with the output of the model, held in memory: calibrated probabilities and, when the last step
/// is alpha, alpha_0 as their concentration, unless they have one already or the features that it needs are
/// missing. InputError also for other class names than those of the fit.
[[nodiscard]] Items apply_model(const CalibrationModel& model, const Items& items,
                                const ApplyOptions& options = {});

}  // namespace plumb
