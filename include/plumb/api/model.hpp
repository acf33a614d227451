// Fits, applies and saves calibrators.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plumb/calibrate/apply_model.hpp"
#include "plumb/calibrate/fit.hpp"
#include "plumb/calibrate/model.hpp"
#include "plumb/calibrate/regression/fit.hpp"
#include "plumb/data/items.hpp"
#include "plumb/regression/column.hpp"

namespace plumb {

/// Bounds of N x d intervals, row-major.
struct Intervals {
  std::vector<double> low, high;
};

/// A fitted calibrator, of probabilities or of variances. It has value semantics and may be shared
/// between threads.
class Model {
 public:
  explicit Model(CalibrationModel parts) : parts_(std::move(parts)) {}

  /// The items with calibrated probabilities, which are new memory; the rest is shared with `items`. A last
  /// step alpha gives them a concentration, of .features if it was fitted with some.
  [[nodiscard]] Items apply(const Items& items, const ApplyOptions& options = {}) const;
  /// Calibrated variances, N x d, row-major; of stochastic passes the total variance is calibrated.
  [[nodiscard]] std::vector<double> variances(const RegressionItems& items) const;
  /// The items with calibrated variances; no passes.
  [[nodiscard]] RegressionItems apply(const RegressionItems& items) const;
  /// Interval that contains the target with this probability; the items need their mean.
  [[nodiscard]] Intervals intervals(const RegressionItems& items, double level = 0.95) const;

  /// The file appears complete or not at all; `plumb calibrate apply` and plumb/apply.hpp read it too.
  void save(const std::string& path) const;
  [[nodiscard]] std::string to_bytes() const;  ///< what save() writes
  [[nodiscard]] static Model from_bytes(std::string_view bytes);
  [[nodiscard]] std::string to_onnx() const;  ///< the bytes of an .onnx file

  /// Task, classes, steps with their parameters and how the fit went.
  [[nodiscard]] const CalibrationModel& parts() const { return parts_; }

 private:
  CalibrationModel parts_;
};

/// `method`: a name of calibrators(), "auto" included. Throws InputError.
[[nodiscard]] Model fit(std::string_view method, const Items& items, const FitOptions& options = {});
/// The steps of `first` followed by a new one, which is fitted on their output.
[[nodiscard]] Model fit_after(const Model& first, std::string_view method, const Items& items,
                              const FitOptions& options = {});
/// `method`: a name of regression_calibrators().
[[nodiscard]] Model fit(std::string_view method, const RegressionItems& items,
                        const RegressionFitOptions& options = {});
[[nodiscard]] Model load(const std::string& path);

}  // namespace plumb
