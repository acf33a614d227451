// `plumb uncertainty` as a function: which measure separates right answers from wrong ones, how well, and at
// which thresholds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/result.hpp"
#include "plumb/uncertainty/bin_scores.hpp"
#include "plumb/uncertainty/bins.hpp"
#include "plumb/uncertainty/guarantee.hpp"
#include "plumb/uncertainty/measures.hpp"
#include "plumb/uncertainty/thresholds.hpp"

namespace plumb {

inline constexpr int kEqualMassBins = 100;

struct UncertaintyOptions {
  std::vector<std::string> measures = {};  ///< built-in ones; empty: all that the predictions allow
  int top = 1;                             ///< right: the label is among this many most probable classes
  /// Bins of equal mass, for all scores. Absent: kEqualMassBins, and `eor` on bins by the rarer outcome.
  std::optional<int> bins = {};
  Degenerate degenerate = Degenerate::pool;
  std::optional<double> base_rate = {};  ///< instead of the observed accuracy
  std::vector<double> targets = {0.99, 0.95};
  double confidence = 0.95;  ///< of the guaranteed thresholds; 0: none
  double coarsen = 0;        ///< merge bins to this relative error; 0: leave them
  int suspects = 20;
  std::string suspects_by = {};  ///< empty: u1, or the first measure there is
  int bootstrap = 0;             ///< replicates for intervals; 0: none
  int permutations = 100;        ///< of the measure, for the null of the odds ratio; 0: none
  double level = 0.95;
  std::uint64_t seed = 0;
  int threads = 0;
  std::function<void(double)> progress = {};  ///< called with the share of replicates done
  std::stop_token cancel = {};                ///< throws Cancelled between two replicates
};

/// A bin whose accuracy has a larger relative error is marked as doubtful.
inline constexpr double kTrustedRelativeError = 0.5;

struct MeasureResult {
  std::string name;
  std::string why;  ///< when the measure is undefined: nothing else is filled then
  /// eor, binned_brier, auroc, conditional_entropy, aurc, augrc, kl, auroc_unbinned.
  MetricResults scores;
  std::int64_t eor_bins = 0;              ///< that the odds ratio is a mean over
  std::int64_t pooled_bins = 0;           ///< of its bins, how many vanished by pooling
  std::int64_t doubtful_bins = 0;         ///< one-sided, or of a relative error above what is trusted
  std::vector<UncertaintyBin> bins;       ///< of equal mass
  std::vector<UncertaintyBin> odds_bins;  ///< of the odds ratio, when they go by the rarer outcome
  Thresholds thresholds;
  std::vector<Guarantee> guarantees;  ///< one per target, when a confidence is requested
  std::vector<DeferralPoint> deferral;

  /// InputError for a key that is not among the scores.
  [[nodiscard]] const MetricResult& operator[](std::string_view key) const& {
    return find_result(scores, key);
  }
  [[nodiscard]] MetricResult operator[](std::string_view key) && { return find_result(scores, key); }
};

struct Suspect {
  std::int64_t row = 0;
  std::int64_t label = 0, prediction = 0;  ///< classes; the label is the majority vote
  double agreement = 0;                    ///< share of its votes for the prediction (top 5: for one of them)
  double score = 0;                        ///< the measure
};

struct UncertaintyResult {
  double accuracy = 0;    ///< share of votes that agree, weights and all
  double base = 0;        ///< what the odds are relative to
  double confidence = 0;  ///< of the guaranteed thresholds; 0: none were asked for
  std::int64_t items = 0, votes = 0, left_out = 0;
  std::int64_t groups = 0;              ///< 0: items are the units
  int permutations = 0;                 ///< behind the p-values
  std::string few_units;                ///< a note when there are too few units to resample
  std::vector<MeasureResult> measures;  ///< from the largest odds ratio to the smallest, undefined ones last
  std::string suspects_by;
  std::vector<Suspect> suspects;

  /// InputError for a measure that was not scored.
  [[nodiscard]] const MeasureResult& operator[](std::string_view measure) const& {
    return find_named(measures, &MeasureResult::name, "measure", measure);
  }
  [[nodiscard]] MeasureResult operator[](std::string_view measure) && {
    return std::as_const(*this)[measure];
  }
};

/// `own`: the user's columns, by name. `ids`: names of the items, to settle ties among suspects whatever the
/// order of the rows; empty: by row. Throws InputError.
[[nodiscard]] UncertaintyResult uncertainty(const Items& items,
                                            const std::vector<std::pair<std::string, Rows>>& own,
                                            const Names& ids, const UncertaintyOptions& options);

/// A given histogram, rows from least to most confident, as measure "histogram": no intervals, no null, no
/// thresholds. Throws InputError for weights that are negative or all zero, and p outside [0, 1].
[[nodiscard]] UncertaintyResult score_histogram(const std::vector<double>& w, const std::vector<double>& p,
                                                const UncertaintyOptions& options);

}  // namespace plumb
