// The consensus of the raters as a forecast, evaluated and calibrated against gold votes.
#pragma once

#include "inputs.hpp"
#include "plumb/calibrate/fit_model.hpp"
#include "plumb/evaluate/evaluate.hpp"

namespace plumb::cli {

struct GoldFlags {
  Args gold, counts;
  std::string method = "temperature";
  [[nodiscard]] bool given() const { return !gold.empty() || !counts.empty(); }
};
void add_gold_flags(Flags& flags, GoldFlags& out);

/// The items with `consensus` (N x K) as predictions.
[[nodiscard]] Items consensus_items(const Inputs& inputs, const std::vector<double>& consensus);
/// Gold votes for them, by row.
[[nodiscard]] Votes load_gold(const GoldFlags& flags, int threads, Inputs& inputs);

/// What a calibrator fitted on the gold votes makes of the consensus.
struct CalibratedConsensus {
  std::vector<double> probabilities;  ///< N x K, of all items
  CalibrationModel model;
  Result after;  ///< out-of-fold probabilities of the items with gold votes
};
[[nodiscard]] CalibratedConsensus calibrate_consensus(const Items& judged, const std::string& method,
                                                      const EvaluateOptions& options);

/// Section "calibrated_consensus": method, folds, and scores before and after.
[[nodiscard]] Tree calibrated_section(const CalibratedConsensus& c, const Result& before);
/// The same as text.
[[nodiscard]] std::string calibrated_text(const CalibratedConsensus& c, const Result& before);

}  // namespace plumb::cli
