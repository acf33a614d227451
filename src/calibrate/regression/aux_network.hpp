// The auxiliary model of Laves 2021: log variance in, log variance out, one hidden layer of ReLU units.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace plumb::detail {

/// f(x) = out_bias + sum_h out_weight_h max(0, weight_h x + bias_h), x = (log variance - `centre`) / `width`.
/// Beyond [low, high], the scaled inputs it was fitted on, it continues with slope 1 in the log variance, as
/// one factor would: the last segment of a network is meaningless beyond the data.
struct AuxNetwork {
  double centre = 0, width = 1;
  double low = -1e300, high = 1e300;
  std::int64_t hidden = 16;
  /// weight (H), bias (H), out_weight (H), out_bias: 3 H + 1 numbers.
  std::vector<double> parameters;

  /// Calibrated log variances of scaled inputs.
  void predict(std::span<const double> scaled, std::span<double> log_variance) const;
};

/// Mean Gaussian NLL without its constant, 1/2 (f + err2 exp(-f)), over entries.
class AuxObjective {
 public:
  AuxObjective(std::vector<double> scaled, std::vector<double> err2, std::vector<double> weight,
               std::int64_t hidden, int threads);
  [[nodiscard]] double value(std::span<const double> parameters, std::span<double> gradient) const;
  [[nodiscard]] double value(std::span<const double> parameters) const;
  [[nodiscard]] std::size_t size() const { return scaled_.size(); }

 private:
  std::vector<double> scaled_, err2_, weight_;
  std::int64_t hidden_;
  int threads_;
  double total_ = 0;
};

}  // namespace plumb::detail
