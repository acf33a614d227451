// Items of two classes whose raters voted alike: every sum over them follows from a few sums over their
// probabilities. Voxels of an image have few patterns of votes, so this is the fast way to all of its sums.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "plumb/metrics/raters/share_table.hpp"
#include "plumb/metrics/streaming/proper_scores.hpp"

namespace plumb::detail {

/// Votes of an item: n in all, `hits` for class 1.
struct PatternVotes {
  std::uint32_t n = 1, hits = 0;
  [[nodiscard]] std::uint32_t of_class(std::size_t k) const { return k == 1 ? hits : n - hits; }
  [[nodiscard]] bool tied() const { return 2 * hits == n; }
};

/// A bin of one class: sums of p, p^2 and p mu in units of 2^-50.
struct PatternBin {
  std::uint64_t items = 0;
  int128 p = 0, pp = 0, pmu = 0;
};

/// What the items of a pattern add up to.
struct PatternSums {
  PatternVotes votes;
  std::array<std::vector<PatternBin>, 2> bins;  ///< of each class
  std::uint64_t items = 0, predicted = 0;       ///< predicted: of class 1
  std::array<std::uint64_t, 2> zero{};          ///< whose class k has probability 0
  ExactSum p;                                   ///< of class 1
  std::array<ExactSum, 2> brier, nll;  ///< if the only vote was for class k; where the pattern has one
  ExactSum votes_brier, votes_nll;     ///< of all votes
  void merge(const PatternSums& other);
};

/// A bin of one column: sums of p, p^2 and p mu in units of 2^-50, as the floating-point unit leaves them
/// (each term is the bits of 1.5 * 2^52 more), and how many there are. It holds kPatternTerms of them.
struct alignas(32) PatternCell {
  std::uint64_t p = 0, pp = 0, pmu = 0, items = 0;
};
inline constexpr std::size_t kPatternTerms = (std::size_t{1} << 13) - 1;
/// Tables side by side, taken in turn: equal bins in a row need not wait for each other.
inline constexpr std::size_t kPatternCopies = 4;

/// Adds up the items of one pattern. Log-losses are left out unless `logs`.
class PatternBuilder {
 public:
  PatternBuilder(const PatternVotes& votes, int bins, bool logs);
  [[nodiscard]] const PatternVotes& votes() const { return sums_.votes; }
  void add(std::span<const double> p);  ///< of class 1
  [[nodiscard]] PatternSums finish();   ///< flushes; the builder is then empty

 private:
  void add_terms_of(std::span<const double> p);
  void flush();
  int bins_;
  bool logs_;
  PatternSums sums_;
  std::vector<PatternCell> cells_;
  std::size_t pending_ = 0;
  std::array<std::vector<double>, 2> squares_, log_;
  std::vector<double> terms_;
};

/// Adds the items, of which `votes` says how they voted: those of the pattern, or one of them. Tables are of
/// equal width; class k is in the table.
void add_items(const PatternSums& from, std::size_t k, const PatternVotes& votes, ReliabilityTable& to);
void add_items(const PatternSums& from, const PatternVotes& votes, ShareTables& to);
void add_items(const PatternSums& from, const PatternVotes& votes, const TiesRule& ties, ProperScores& to);

}  // namespace plumb::detail
