// The ladder: a column of forecasts as rungs of (p, votes, hits), for what needs order over more votes than
// fit in memory. Exact while there are few distinct p, then on a fixed grid of log-odds, which is as fine
// near 0 and 1 as elsewhere. Ladders merge: any split of the data gives the same bits.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "plumb/data/forecasts.hpp"
#include "plumb/numeric/exact_sum.hpp"

namespace plumb {

/// How far a value read off the ladder can be from that of the votes themselves; 0 where it is exact.
struct LadderBounds {
  double p = 0;      ///< distance of a forecast from its rung
  double auroc = 0;  ///< half of the pairs of a hit and a miss that share a rung
  double ks = 0;     ///< the running sum may turn within a rung
};

class Ladder {
 public:
  static constexpr int kSteps = 256;  ///< rungs per unit of log-odds
  static constexpr int kReach = 34;   ///< log-odds beyond which all is one rung: p below 2e-15
  static constexpr std::size_t kMostDistinct = std::size_t{1} << 16;

  explicit Ladder(std::size_t most_distinct = kMostDistinct);
  void add(const ForecastsView& f);  ///< any order; votes of weight one; std::invalid_argument otherwise
  void merge(const Ladder& other);
  [[nodiscard]] bool exact() const { return exact_; }
  /// Ascending; the p of a rung of the grid is the mean over its votes.
  [[nodiscard]] Forecasts column() const;
  [[nodiscard]] LadderBounds bounds() const;

 private:
  struct Count {
    std::uint64_t votes = 0, hits = 0;
  };
  struct Rung : Count {
    uint128 p = 0;  // sum over votes, in units of 2^-50
  };
  void add_exact(double p, std::uint64_t votes, std::uint64_t hits);

  std::size_t most_distinct_;
  bool exact_ = true;
  std::unordered_map<double, Count> distinct_;
  std::vector<Rung> rung_;  // p = 0, the grid, p = 1
  std::vector<double> log_p_, log_q_;
};

}  // namespace plumb
