// Models applied to predictions of any number, straight into files. Each file appears complete or not at all,
// and a path that cannot be written is reported before the work starts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plumb/calibrate/apply_model.hpp"
#include "plumb/calibrate/regression/apply_model.hpp"

namespace plumb {

/// Paths; empty: not written. The suffix decides (table_file.hpp): .npy of float64, or a table with names.
struct ApplyFiles {
  std::string probabilities;                        ///< of calibrated_shape()
  std::string concentration;                        ///< N: alpha_0, of models that end with alpha
  std::string disagreement;                         ///< N: the chance that two raters differ
  std::vector<std::string> classes;                 ///< for the names of columns, where they are known
  std::function<std::string(std::int64_t row)> id;  ///< names of the items, a first column of tables; or null
};
/// "p", or "p_cat", "p_dog"; without names of the classes "p_0", "p_1".
[[nodiscard]] std::vector<std::string> probability_columns(std::int64_t width,
                                                           const std::vector<std::string>& classes);
/// options.disagreement follows from the files.
void apply_to_files(const CalibrationModel& model, const Predictions& predictions, ApplyOptions options,
                    const ApplyFiles& files);

/// Paths; empty: not written.
struct RegressionFiles {
  std::string variances;  ///< N or N x d
  std::string intervals;  ///< bounds: .npy of N x L x 2 or N x d x L x 2, or a table with a column for each
};
void apply_to_files(const CalibrationModel& model, const RegressionItems& items,
                    const std::vector<double>& levels, const RegressionFiles& files);

}  // namespace plumb
