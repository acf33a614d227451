// The expectation step of Dawid and Skene: true classes given the votes, and the votes expected of
// each class.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/data/votes.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/raters/dawid_skene.hpp"

namespace plumb::detail {

inline constexpr std::int64_t kItemBlock = 1024;

/// Probabilities of the true classes from fixed parameters.
class Posteriors {
 public:
  explicit Posteriors(const DawidSkene& fit);
  /// Items [begin, end), row-major. `log_total`, where given, gets log P(votes) of each item.
  void fill(const Judgements& votes, std::int64_t begin, std::int64_t end, std::span<double> out,
            std::span<double> log_total = {}) const;
  [[nodiscard]] double log_likelihood(const Judgements& votes, std::span<const std::uint32_t> times,
                                      int threads) const;

 private:
  std::int64_t classes_;
  std::vector<double> log_prevalence_;
  std::vector<double> log_chance_;  // rater x vote x true class: what a vote adds, side by side
};

/// Expected numbers of votes by rater, vote and true class. Posteriors enter as multiples of a power of two
/// that depends on the number of votes alone, so that the sums are integers.
class ExpectedVotes {
 public:
  ExpectedVotes(int classes, int raters, std::int64_t votes, int workers);
  /// Returns the log-likelihood of the votes.
  double count(const Posteriors& posteriors, const Judgements& votes, std::span<const std::uint32_t> times,
               int threads);
  /// The same with the item's vote shares as posteriors: where the iteration starts.
  void count_shares(const Judgements& votes, std::span<const std::uint32_t> times, int threads);
  [[nodiscard]] double votes(std::int64_t rater, std::int64_t truth, std::int64_t vote) const {
    return parts_[0].votes[(rater * classes_ + vote) * classes_ + truth] / unit_;
  }
  [[nodiscard]] double items(std::int64_t truth) const { return parts_[0].items[truth] / unit_; }

 private:
  struct Part {
    std::vector<std::int64_t> votes, items, fixed;
    std::vector<double> posterior, log_total;
    ExactSum log_likelihood;
  };
  template <class Fill>
  void add_blocks(const Judgements& votes, std::span<const std::uint32_t> times, int threads, Fill fill);
  void add(Part& part, const Judgements& votes, std::span<const std::uint32_t> times, std::int64_t begin,
           std::int64_t end) const;

  std::int64_t classes_, raters_;
  double unit_;
  std::vector<Part> parts_;  // one per worker, then all in the first
};

}  // namespace plumb::detail
