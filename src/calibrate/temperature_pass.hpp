// One pass over the scores: the log-loss of softmax(beta u) and its two derivatives in beta.
#pragma once

#include <cstdint>

#include "calibrate/ballots.hpp"

namespace plumb::detail {

struct TemperatureDerivatives {
  double value = 0, first = 0, second = 0;  ///< per vote
};

/// Streams blocks from the file; per-item terms go into exact sums, so neither threads nor the order of rows
/// move a bit.
class TemperaturePass {
 public:
  TemperaturePass(const Items& items, double mass, int threads)
      : items_(items), mass_(mass), threads_(threads) {}
  [[nodiscard]] TemperatureDerivatives operator()(double beta);
  [[nodiscard]] int passes() const { return passes_; }
  [[nodiscard]] std::int64_t clipped() const { return clipped_; }

 private:
  const Items& items_;
  double mass_;
  int threads_;
  int passes_ = 0;
  std::int64_t clipped_ = 0;
};

}  // namespace plumb::detail
