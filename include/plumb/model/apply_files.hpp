// Models applied to predictions of any number, straight into files. Each file appears whole or not at all,
// and what cannot be written is said before the work.
#pragma once

#include <string>
#include <vector>

#include "plumb/calibrate/apply_model.hpp"
#include "plumb/calibrate/regression/apply_model.hpp"

namespace plumb {

/// Paths of .npy files of float64; empty: not written.
struct ApplyFiles {
  std::string probabilities;  ///< of calibrated_shape()
  std::string concentration;  ///< N: alpha_0, of models that end with alpha
  std::string disagreement;   ///< N: the chance that two raters differ
};
/// options.disagreement follows from the files.
void apply_to_files(const CalibrationModel& model, const Predictions& predictions, ApplyOptions options,
                    const ApplyFiles& files);

/// Paths; empty: not written.
struct RegressionFiles {
  std::string variances;  ///< .npy of N or N x d
  std::string intervals;  ///< .npy of N x L x 2 or N x d x L x 2 bounds, or .csv with a column for each
};
void apply_to_files(const CalibrationModel& model, const RegressionItems& items,
                    const std::vector<double>& levels, const RegressionFiles& files);

}  // namespace plumb
