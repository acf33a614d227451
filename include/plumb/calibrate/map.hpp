// A fitted step in executable form: rows in, calibrated probabilities out.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plumb/calibrate/model.hpp"
#include "plumb/calibrate/step.hpp"
#include "plumb/data/items.hpp"

namespace plumb {

/// Stateless after construction; apply() may be called from several threads.
class CalibrationMap {
 public:
  virtual ~CalibrationMap() = default;
  /// What the rows of apply() must contain: logits (of the file, or log z of the step before),
  /// or probabilities.
  [[nodiscard]] virtual Scale input() const { return Scale::logit; }
  /// n = in.size() / width rows; `z` has the same size as `in` and may be the same memory. Rows of width 1
  /// are log-odds or P(class 1) of a binary task.
  virtual void apply(std::span<const double> in, int width, std::span<double> z) const = 0;
};

/// The map of a step; InputError when the parameters do not fit the method or the classes.
[[nodiscard]] std::unique_ptr<CalibrationMap> make_map(const Step& step, int classes);

/// A model of one step and nothing else.
[[nodiscard]] CalibrationModel model_of(Step step, std::int64_t classes);

/// All steps of a model over items [begin, end): out.z holds calibrated probabilities. Between steps
/// probabilities become logits by scores_of(). `alpha` leaves the probabilities as they are, bit for bit.
/// InputError when the parameters are too large to give probabilities. Of stochastic predictions the model
/// acts on each pass, and out.z is the mean (Mimori 2021, eq. 51).
class Pipeline {
 public:
  explicit Pipeline(const CalibrationModel& model);
  void apply(const Predictions& predictions, std::int64_t begin, std::int64_t end,
             PredictionBlock& out) const;
  [[nodiscard]] int classes() const { return classes_; }

 private:
  void apply_once(const Predictions& one, std::int64_t begin, std::int64_t end, PredictionBlock& out) const;

  int classes_ = 0;
  std::string name_;
  std::vector<std::unique_ptr<CalibrationMap>> maps_;
};

/// InputError when the model cannot be applied to these predictions.
void check_fits(const CalibrationModel& model, const Predictions& predictions);

/// The items with calibrated predictions, every pass by itself, held in memory (S x N x width doubles): what
/// a later step is fitted on.
[[nodiscard]] Items calibrated(const Items& items, const CalibrationModel& model, int threads);

}  // namespace plumb
