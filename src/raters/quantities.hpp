// Every number about raters that has an interval, in one list: computed alike from the data and from
// each replicate.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plumb/data/votes.hpp"
#include "plumb/raters/raters.hpp"

namespace plumb::detail {

/// The votes in the two forms that the estimators read.
struct AllVotes {
  explicit AllVotes(const Votes& votes);
  Judgements judgements;
  VoteBlock block;
  int classes, raters;
  std::vector<std::int64_t> by_rater;  ///< number of votes
};

/// Where each number is. Undefined ones are NaN.
class Quantities {
 public:
  Quantities(int classes, int raters, bool ordered);
  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] std::int64_t prevalence(int k) const { return k; }
  [[nodiscard]] std::int64_t accuracy(int rater) const { return classes_ + rater; }
  [[nodiscard]] std::int64_t confusion(int rater, std::int64_t cell) const {
    return classes_ + raters_ + rater * classes_ * classes_ + cell;
  }
  [[nodiscard]] std::int64_t bias(int rater, int k) const {
    return confusion(static_cast<int>(raters_), 0) + rater * classes_ + k;
  }
  [[nodiscard]] std::int64_t coefficient(std::int64_t j) const {
    return bias(static_cast<int>(raters_), 0) + j;
  }
  [[nodiscard]] std::int64_t agreement(std::int64_t pair) const {
    return coefficient(std::ssize(coefficients_)) + 2 * pair;
  }
  [[nodiscard]] std::int64_t kappa(std::int64_t pair) const { return agreement(pair) + 1; }
  [[nodiscard]] const std::vector<std::string>& coefficients() const { return coefficients_; }
  /// Pairs of raters (a, b), a < b; none where there are too many raters.
  [[nodiscard]] const std::vector<std::pair<int, int>>& pairs() const { return pairs_; }

  void fill(const AllVotes& votes, const DawidSkene& fit, std::span<const std::uint32_t> times,
            std::span<double> out) const;

 private:
  std::int64_t classes_, raters_;
  bool ordered_;
  std::vector<std::string> coefficients_;
  std::vector<std::pair<int, int>> pairs_;
  std::int64_t size_;
};

}  // namespace plumb::detail
