// Temperature scaling as other methods use it: their first step.
#pragma once

#include <functional>

#include "calibrate/ballots.hpp"
#include "plumb/calibrate/fit.hpp"
#include "plumb/numeric/exact_sum.hpp"

namespace plumb::detail {

/// T stays inside: a search that would go further (separable classes, uninformative scores) ends at a bound.
inline constexpr double kSmallestT = 1e-4;
inline constexpr double kLargestT = 1e4;

struct TemperatureFit {
  double T = 1;
  double objective = 0;  ///< log-loss per vote
  double gradient = 0;   ///< in log(1/T)
  int passes = 0;
  bool converged = true;
  std::int64_t clipped = 0;
  std::string warning;     ///< empty, or what T could not correct
  std::string no_optimum;  ///< why T is at its bound, or empty
};
/// One pass over the scores: the log-loss of softmax(beta u) and its two derivatives in beta.
struct TemperatureDerivatives {
  double value = 0, first = 0, second = 0;  ///< per vote
};

/// The same, not yet divided by the votes: sums of several sets of items add up, exactly.
struct TemperatureSums {
  ExactSum value, first, second;
  void merge(const TemperatureSums& other);
  [[nodiscard]] TemperatureDerivatives per_vote(double mass) const;
};

/// Streams blocks from the file; per-item terms go into exact sums, so neither the number of threads nor the
/// order of rows changes a bit.
class TemperaturePass {
 public:
  TemperaturePass(const Items& items, double mass, int threads, Prior prior = {})
      : items_(items), mass_(mass), threads_(threads), prior_(prior) {}
  [[nodiscard]] TemperatureSums sums(double beta);
  [[nodiscard]] TemperatureDerivatives operator()(double beta) { return sums(beta).per_vote(mass_); }
  [[nodiscard]] int passes() const { return passes_; }
  [[nodiscard]] std::int64_t clipped() const { return clipped_; }

 private:
  TemperatureSums run(double beta, bool first);

  const Items& items_;
  double mass_;
  int threads_;
  Prior prior_;
  std::vector<double> pseudo_;  // of an item: what its pseudo-votes add to the voted scores, by vote
  int passes_ = 0;
  std::int64_t clipped_ = 0;
};

/// The best T of an objective that is known by its value and derivatives at any beta = 1/T. `passes` counts
/// the calls; `clipped` is left to the caller.
[[nodiscard]] TemperatureFit search_temperature(const std::function<TemperatureDerivatives(double)>& at);
[[nodiscard]] TemperatureFit fit_temperature(const Items& items, const Tally& tally,
                                             const FitOptions& options);
/// The fit as a step of a model.
[[nodiscard]] Step temperature_step(const TemperatureFit& fit, const Tally& tally, const Items& items);

}  // namespace plumb::detail
