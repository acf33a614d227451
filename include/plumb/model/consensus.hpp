// The consensus of the raters as a forecast that gold votes judge and calibrate.
#pragma once

#include <string>
#include <vector>

#include "plumb/calibrate/fit_model.hpp"
#include "plumb/data/items.hpp"
#include "plumb/evaluate/evaluate.hpp"

namespace plumb {

inline constexpr int kGoldFolds = 5;
inline constexpr const char* kGoldMethod = "temperature";

/// The items with `consensus` (N x K, as describe_raters() gives it) as predictions. Of `items` the votes,
/// the groups and the names of the classes are used.
[[nodiscard]] Items consensus_items(const Items& items, const std::vector<double>& consensus);

/// What a calibrator fitted on the gold votes makes of the consensus.
struct CalibratedConsensus {
  std::vector<double> probabilities;  ///< N x K, of all items
  CalibrationModel model;
  /// nll, brier, ece, ece_corrected, agreement of the items with gold votes: the consensus, and its
  /// out-of-fold probabilities (kGoldFolds).
  std::vector<BeforeAfter> scores;
};

/// `judged`: consensus_items() with the gold votes; `before`: their evaluation. Throws InputError.
[[nodiscard]] CalibratedConsensus calibrate_consensus(const Items& judged, const Result& before,
                                                      const std::string& method,
                                                      const EvaluateOptions& options);

}  // namespace plumb
