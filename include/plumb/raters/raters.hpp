// `plumb raters` as a function: accuracy and bias of each rater, agreement, the consensus, which items
// to ask about next and how many votes are needed per item.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/raters/dawid_skene.hpp"

namespace plumb {

struct RatersOptions {
  bool one_coin = false;
  double prior = DawidSkeneOptions{}.prior;
  double converged_at = DawidSkeneOptions{}.tolerance;  ///< largest change of a probability at the end
  int iterations = DawidSkeneOptions{}.iterations;
  bool ordered = false;    ///< the order of the classes means something: weighted kappa, ordinal alpha
  int ask = 20;            ///< items to ask about next
  double target_se = 0.1;  ///< of an item's share of votes, for the number of raters it needs
  int bootstrap = 0;       ///< replicates of items or groups, for intervals; 0: none
  double level = 0.95;
  std::uint64_t seed = 0;
  int threads = 0;                            ///< does not affect the results
  std::function<void(double)> progress = {};  ///< called with the share of replicates done
  std::stop_token cancel = {};                ///< throws Cancelled between two replicates
};

/// A number with its interval, where there are replicates; absent with the reason.
struct Bounded {
  std::optional<double> value;
  std::optional<double> low = {}, high = {};
  std::string interval = {};  ///< "wilson", "percentile", "normal"
  std::string why = {};
};

struct RaterProfile {
  std::int64_t votes = 0;
  Bounded accuracy;                ///< share of right votes on items of the estimated prevalence
  std::vector<double> seen;        ///< expected votes on items of each true class
  std::vector<Bounded> confusion;  ///< true class x vote
  std::vector<Bounded> bias;       ///< by class: share of own votes minus the consensus on the same items
  /// The class of largest positive bias, where it is above 0 at the level for all raters and classes at once
  /// (Bonferroni); absent without replicates.
  std::optional<int> too_often;
};

struct PairProfile {
  int rater = 0, other = 0;  ///< rater < other
  std::int64_t items = 0;    ///< that both rated
  Bounded agreement, kappa;  ///< Cohen's; of ordered classes with quadratic weights
};

struct AskRow {
  std::int64_t row = 0, votes = 0;
  int cls = 0;             ///< the most probable class
  double probability = 0;  ///< of that class
  double gain = 0;         ///< information that one more vote would give about the true class, in bits
};

struct RatersResult {
  std::int64_t items = 0, judged = 0, votes = 0;  ///< judged: with a vote
  DawidSkene fit;
  std::vector<double> consensus;    ///< items x classes
  std::vector<Bounded> prevalence;  ///< of the true classes
  std::vector<RaterProfile> raters;
  std::vector<std::pair<std::string, Bounded>> agreement;  ///< rater_agreement, krippendorff_alpha, ...
  std::vector<PairProfile> pairs;                          ///< of at most kMostRatersInPairs raters
  std::vector<AskRow> ask;                                 ///< largest gain first
  /// Variance of single votes within items, of the class where it is largest; absent without two votes.
  std::optional<double> within;
  int within_class = 0;
  std::optional<std::int64_t> needed;  ///< votes per item for the target standard error
  std::string few_units;               ///< a note when there are too few units to resample
};

/// `votes`: of known raters; `groups`: the unit of resampling, empty: the item. Throws InputError.
[[nodiscard]] RatersResult describe_raters(const Votes& votes, const Names& groups,
                                           const RatersOptions& options = {});

}  // namespace plumb
