// Logistic regression of the votes for class 1 on one to three features: platt, beta, quadratic.
#pragma once

#include <functional>

#include "calibrate/derivatives.hpp"
#include "calibrate/fit_data.hpp"
#include "calibrate/minimise.hpp"
#include "plumb/calibrate/fit.hpp"

namespace plumb::detail {

inline constexpr std::int64_t kMostFeatures = 3;

struct LogisticFit {
  std::vector<double> theta;
  std::vector<double> gradient;
  Minimum minimum;
};

/// Features of a log-odds u, written to x.
using Features = std::function<void(double u, std::span<double> x)>;

/// Damped Newton with exact sums: neither the number of threads nor the order of rows changes a bit.
/// Parameters that are not free stay at their start.
class LogisticProblem {
 public:
  LogisticProblem(const Items& items, const FitOptions& options, std::int64_t features, const Features& fill);
  [[nodiscard]] LogisticFit fit(std::vector<double> start, const std::vector<bool>& free) const;
  /// A step with the named parameters and its report, which says whether the scores separate the classes.
  [[nodiscard]] Step step(const char* method, const LogisticFit& fit,
                          const std::vector<const char*>& names) const;
  [[nodiscard]] std::span<const double> log_odds() const { return data_.u; }

 private:
  using Sums = Derivatives<double, kMostFeatures>;
  [[nodiscard]] Sums sums(const std::vector<double>& scaled, bool with_second) const;

  const Items& items_;
  Tally tally_;
  FitData data_;
  std::int64_t d_;
  int threads_;
  Prior prior_;
  std::vector<double> x_;      // size x d, each feature divided by a power of two to at most 1 in size
  std::vector<double> scale_;  // those powers
  std::vector<double> y_;      // share of votes for class 1
};

}  // namespace plumb::detail
