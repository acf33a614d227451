// The number of an item's votes for an event, drawn from one uniform number.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "plumb/data/forecasts.hpp"
#include "plumb/resample/vote_marks.hpp"

namespace plumb {

/// Beta-binomial counts by inversion: n votes, each with chance p, any two of them correlated by d =
/// 1/(1 + s), s the concentration: 0 for independent votes, towards 1 all votes of an item agree. What does
/// not depend on the draw is kept.
class VoteCounts {
 public:
  /// `correlation` has one number for all items or one for each. `cache` keeps what is costly to make for
  /// items of very many votes; without it nothing is kept for the next plan.
  void plan(const ForecastsView& f, std::span<const double> correlation, VoteMarksCache* cache = nullptr);
  /// Hits of item i of `f`, which falls as u grows; u < p for a single vote.
  [[nodiscard]] double hits(const ForecastsView& f, std::size_t i, double u) const {
    const double n = f.trials_of(i);
    if (n == 1) return u < f.p[i] ? 1 : 0;
    return n == 0 ? 0 : several(f.p[i], n, i, u);
  }
  [[nodiscard]] double correlation(std::size_t i) const {
    return correlation_.size() == 1 ? correlation_[0] : correlation_[i];
  }
  /// P(hits >= 1), ..., P(hits >= n) of item i.
  void tails(const ForecastsView& f, std::size_t i, std::vector<double>& out) const;

 private:
  [[nodiscard]] double several(double p, double n, std::size_t i, double u) const;
  std::vector<double> correlation_;
  std::vector<VoteStart> start_;  // empty: no item has several votes
  struct Marked {
    std::size_t item;
    std::shared_ptr<const VoteMarks> marks;
  };
  std::vector<Marked> marked_;  // items of very many votes, ascending
};

}  // namespace plumb
