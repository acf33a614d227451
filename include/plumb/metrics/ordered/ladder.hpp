// The ladder: a column of forecasts as rungs of (p, votes, hits), for what needs order over more votes than
// fit in memory. Exact while there are few distinct p, then on a fixed grid of log-odds, which is as fine
// near 0 and 1 as elsewhere. Ladders merge: any split of the data gives the same bits.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/kernel/item_kinds.hpp"
#include "plumb/metrics/ordered/distinct_counts.hpp"
#include "plumb/numeric/exact_sum.hpp"

namespace plumb {

/// A rung of the grid with votes: what is known of the forecasts there.
struct LadderRung {
  double low = 0, high = 0;  ///< between which they lie; equal for p = 0 and p = 1, which are exact
  double p = 0;              ///< their mean over votes
  double votes = 0, hits = 0;
  std::uint32_t index = 0;  ///< among all rungs of the grid
};

/// A row for each rung, at its mean.
[[nodiscard]] Forecasts column_of(std::span<const LadderRung> rungs);

/// A ladder as plain numbers, for files. Rungs of the grid that have votes; p is their sum in units of 2^-50,
/// in two words. While it is exact also the distinct forecasts, ascending.
struct LadderParts {
  bool exact = true;
  std::vector<std::uint64_t> rung, rung_votes, rung_hits, rung_p_low, rung_p_high;
  std::vector<double> p;
  std::vector<std::uint64_t> votes, hits;
  std::vector<ItemKind> kinds;
  friend bool operator==(const LadderParts&, const LadderParts&) = default;
};

/// A forecast of many votes as rows of at most 2^30 each, for which integer sums of squares hold.
void append_votes(Forecasts& out, double p, std::uint64_t votes, std::uint64_t hits);

/// Finds the rungs of forecasts: 0 for p = 0, the grid, the last for p = 1. Keeps its room between calls.
class RungFinder {
 public:
  [[nodiscard]] std::span<const std::uint32_t> find(std::span<const double> p);

 private:
  std::vector<double> log_p_, log_q_;
  std::vector<std::uint32_t> found_;
};

class Ladder {
 public:
  static constexpr int kSteps = 256;  ///< rungs per unit of log-odds
  static constexpr int kReach = 34;   ///< log-odds beyond which all is one rung: p below 2e-15
  static constexpr std::size_t kMostDistinct = std::size_t{1} << 16;

  explicit Ladder(std::size_t most_distinct = kMostDistinct);
  void add(const ForecastsView& f);  ///< any order; votes of weight one; std::invalid_argument otherwise
  /// Forecasts with the same votes each, `hits` of them for the event.
  void add(std::span<const double> p, std::uint64_t votes, std::uint64_t hits);
  void merge(const Ladder& other);
  /// As if there had been too many distinct forecasts, for parts of a whole that has them.
  void to_grid();
  /// The forecasts of `misses`, a single vote against the event each, as if they had `votes` votes and `hits`
  /// of them for it; std::invalid_argument if they have other votes.
  void add_as(const Ladder& misses, std::uint64_t votes, std::uint64_t hits);
  /// Votes in the largest unit that divides those of every item: counted in halves, and no item has a half,
  /// it is the ladder of whole votes.
  [[nodiscard]] Ladder in_lowest_terms() const;
  [[nodiscard]] bool single_votes() const;  ///< every item has one vote
  [[nodiscard]] bool exact() const { return exact_; }
  [[nodiscard]] std::uint64_t votes() const;
  /// Ascending; the p of a rung of the grid is the mean over its votes.
  [[nodiscard]] Forecasts column() const;
  /// Ascending; for bounds of what is read off the grid (ladder_bounds.hpp).
  [[nodiscard]] std::vector<LadderRung> rungs() const;
  /// The same with every `together` rungs of the grid as one, whose p is the mean over their votes.
  [[nodiscard]] std::vector<LadderRung> steps(int together) const;
  /// For the automatic bandwidth, which leaves out one item at a time, not a whole rung.
  [[nodiscard]] const ItemKinds& kinds() const { return kinds_; }
  [[nodiscard]] LadderParts parts() const;
  friend bool operator==(const Ladder& a, const Ladder& b) { return a.parts() == b.parts(); }
  [[nodiscard]] static Ladder from_parts(const LadderParts& parts);  ///< std::invalid_argument: no ladder's

 private:
  struct Rung : VoteCount {
    uint128 p = 0;  // sum over votes, in units of 2^-50
  };
  [[nodiscard]] static std::pair<double, double> ends(std::size_t rung);
  void make_rungs();
  std::span<const std::uint32_t> find_rungs(std::span<const double> p);
  void add_at(std::uint32_t rung, double p, std::uint64_t votes, std::uint64_t hits);
  void add_exact(double p, std::uint64_t votes, std::uint64_t hits);

  std::size_t most_distinct_;
  bool exact_ = true;
  DistinctCounts distinct_;
  ItemKinds kinds_;
  std::vector<Rung> rung_;  // p = 0, the grid, p = 1; none without votes
  RungFinder finder_;
};

}  // namespace plumb
