// Dawid and Skene 1979: how accurate is each rater, and what is the true class of each item? Every rater has
// a confusion matrix, every item one true class; given that class, the votes are independent.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "plumb/data/votes.hpp"

namespace plumb {

struct DawidSkeneOptions {
  bool one_coin = false;  ///< one accuracy per rater, wrong votes spread evenly; otherwise confusion matrices
  double prior = 1;  ///< pseudo-votes per row of a confusion matrix, spread evenly; 0: maximum likelihood
  double tolerance = 1e-8;      ///< largest change of a probability in the last iteration
  int iterations = 1000;        ///< at most
  int threads = 0;              ///< does not affect the results
  std::stop_token cancel = {};  ///< throws Cancelled between two iterations
};

struct DawidSkene {
  int classes = 0, raters = 0;
  std::vector<double> prevalence;  ///< of the true classes
  std::vector<double> confusion;   ///< raters x true class x vote; every row sums to 1
  std::vector<double> seen;        ///< raters x true class: expected number of votes on items of that class
  double log_likelihood = 0;       ///< of all votes, without the prior
  int iterations = 0;
  double change = 0;  ///< largest change of a probability in the last iteration
  bool converged = false;
  [[nodiscard]] double cell(int rater, int truth, int vote) const {
    return confusion[(std::int64_t{rater} * classes + truth) * classes + vote];
  }
  /// Share of right votes on items of this prevalence.
  [[nodiscard]] double accuracy(int rater) const;
};

/// By expectation-maximisation from the vote shares, or from `start`. `times`: how often each item
/// counts; empty: once. Items without votes do not enter. Sums are integers, so that neither threads nor the
/// order of items can change a bit. Cost per iteration: votes times classes. InputError when the matrices of
/// so many raters and classes do not fit in memory.
[[nodiscard]] DawidSkene fit_dawid_skene(const Judgements& votes, int classes, int raters,
                                         const DawidSkeneOptions& options = {},
                                         std::span<const std::uint32_t> times = {},
                                         const DawidSkene* start = nullptr);

/// Items x classes: the probability of each true class given the votes; without votes the prevalence.
[[nodiscard]] std::vector<double> consensus_of(const DawidSkene& fit, const Judgements& votes, int threads);

}  // namespace plumb
