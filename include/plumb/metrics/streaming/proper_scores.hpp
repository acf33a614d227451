// Means over items and votes: accuracy, agreement, log-loss, Brier score, and errors against the
// true probability.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/metrics/estimate.hpp"
#include "plumb/numeric/exact_sum.hpp"

namespace plumb {

/// Each item's share of the sums, computed once per block and then weighted as often as there are replicates.
struct ScoreTerms {
  std::vector<double> votes;    ///< n_i
  std::vector<double> weight;   ///< w_i; empty: one each
  std::vector<double> correct;  ///< share of the argmax in the majority: 1, 0, or 1/m in a tie
  std::vector<double> decided;  ///< empty: one each; 0 for a tie that is left out
  bool shared = false;          ///< some `correct` is a fraction
  std::vector<double> agree;    ///< votes for the argmax
  std::vector<double> nll;      ///< sum over votes of -log z_vote, votes on probability 0 left out
  std::vector<double> brier;    ///< sum over votes of the squared error
  std::vector<double> zero;     ///< votes on probability 0 (before any clip)
  std::vector<double> clipped;  ///< votes whose probability was clipped
  std::vector<double> mse_p, kl_p, kl_bad;  ///< against truth (Liu 2022, section 3); empty without truth
};

struct ScoreOptions {
  double clip = 0;     ///< 0: none; e: probabilities are clipped to [e, 1 - e] in nll and kl_p, and counted
  TiesRule ties = {};  ///< of the majority label, for accuracy
};

void score_terms(const ItemBlock& block, const ScoreOptions& options, ScoreTerms& out);

/// State: plain sums. update, merge and finish are functions of it.
struct ProperScores {
  std::uint64_t items = 0;    ///< with votes and positive weight
  std::uint64_t unvoted = 0;  ///< items without votes, left out
  /// of those items; as the three below, not multiplied by weights or repeated draws
  std::uint64_t votes = 0;
  std::uint64_t zero = 0, clipped = 0, kl_bad = 0;
  ExactSum item_weight, vote_weight, correct, agree, nll, brier;
  ExactSum truth_weight, mse_p, kl_p;
  friend bool operator==(const ProperScores&, const ProperScores&) = default;
};
void update(ProperScores& s, const ScoreTerms& t, std::span<const std::uint32_t> times = {});
void merge(ProperScores& into, const ProperScores& from);
/// Writes accuracy, agreement, nll, brier and, where truth is known, mse_p and kl_p. The last two are means
/// over the items of the evaluation, those with votes. With a clip, items whose KL would be infinite count at
/// the clipped probabilities.
void finish(const ProperScores& s, const ScoreOptions& options, bool has_truth, Scores& out);

}  // namespace plumb
