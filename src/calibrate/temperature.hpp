// Temperature scaling as other methods use it: their first step.
#pragma once

#include "calibrate/ballots.hpp"
#include "plumb/calibrate/fit.hpp"

namespace plumb::detail {

/// T stays inside: what wants to go further (classes that the scores separate,
/// scores that say nothing) ends there.
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

/// Streams blocks from the file; per-item terms go into exact sums,
/// so neither threads nor the order of rows move a bit.
class TemperaturePass {
 public:
  TemperaturePass(const Items& items, double mass, int threads, Prior prior = {})
      : items_(items), mass_(mass), threads_(threads), prior_(prior) {}
  [[nodiscard]] TemperatureDerivatives operator()(double beta);
  [[nodiscard]] int passes() const { return passes_; }
  [[nodiscard]] std::int64_t clipped() const { return clipped_; }

 private:
  TemperatureDerivatives run(double beta, bool first);

  const Items& items_;
  double mass_;
  int threads_;
  Prior prior_;
  std::vector<double> pseudo_;  // of an item: what its pseudo-votes add to the voted scores, by vote
  int passes_ = 0;
  std::int64_t clipped_ = 0;
};

[[nodiscard]] TemperatureFit fit_temperature(const Items& items, const Tally& tally,
                                             const FitOptions& options);

}  // namespace plumb::detail
