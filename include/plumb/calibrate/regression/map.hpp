// A fitted variance calibrator in executable form: blocks in, calibrated variances and interval bounds out.
#pragma once

#include <memory>
#include <span>

#include "plumb/calibrate/step.hpp"
#include "plumb/regression/column.hpp"

namespace plumb {

/// Stateless after construction; may be called from several threads. Columns lie output by output,
/// as in the block.
class VarianceMap {
 public:
  virtual ~VarianceMap() = default;
  [[nodiscard]] virtual bool needs_parts() const { return false; }
  /// Whether variance() may be called; conformal intervals have none.
  [[nodiscard]] virtual bool has_variance() const { return true; }
  virtual void variance(const RegressionBlock& block, std::span<double> out) const = 0;
  /// The ends of the interval of this level less the mean: y lies in [mean + low, mean + high]. Gaussian
  /// around the mean with the calibrated variance unless the method says otherwise.
  /// InputError for a level it does not have.
  virtual void offsets(const RegressionBlock& block, double level, std::span<double> low,
                       std::span<double> high) const;
};

/// The map of a step for d outputs; InputError when the parameters do not fit the method or the outputs.
[[nodiscard]] std::unique_ptr<VarianceMap> make_variance_map(const Step& step, int outputs);

}  // namespace plumb
