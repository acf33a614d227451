// The scores of one column, as they are needed for the value, for each bootstrap replicate and for each
// permutation. No formula has a second copy.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plumb/uncertainty/uncertainty.hpp"

namespace plumb::detail {

/// p is minus the measure, ascending; `unit` numbers the groups, empty: each item its own.
struct ConfidenceColumn {
  ForecastsView view;
  std::span<const std::uint32_t> unit;
  std::size_t units = 0;
};

/// Bins of equal mass, merged when `coarsen` asks for it.
[[nodiscard]] std::vector<UncertaintyBin> bins_of(const ConfidenceColumn& column,
                                                  const UncertaintyOptions& o);

/// How the bins of the odds ratio are made. Fixed by the data:
/// replicates have their own edges, but as many bins.
struct OddsDesign {
  bool rarer = false;  ///< by the rarer outcome; otherwise the bins of the other scores
  RarerOutcome outcome;
};
[[nodiscard]] OddsDesign odds_design(const ConfidenceColumn& column, const UncertaintyOptions& o);
/// Empty when the rarer outcome is too rare for two bins.
[[nodiscard]] std::vector<UncertaintyBin> odds_bins_of(const ConfidenceColumn& column,
                                                       const OddsDesign& design, const UncertaintyOptions& o);
[[nodiscard]] OddsRatio odds_ratio(std::span<const UncertaintyBin> bins, const OddsDesign& design,
                                   const UncertaintyOptions& o);

/// The base accuracy: given, or that of the bins.
[[nodiscard]] double base_of(std::span<const UncertaintyBin> bins, const UncertaintyOptions& o);

/// The keys that are read off the bins alone, without `eor`; `bins` in ascending order of the measure.
void bin_scores(std::span<const UncertaintyBin> bins, const UncertaintyOptions& o, Scores& out);

struct ColumnScores {
  std::vector<UncertaintyBin> bins;       ///< of equal mass
  std::vector<UncertaintyBin> odds_bins;  ///< of `eor`, when they are others
  OddsRatio odds;
  Scores scores;
};
[[nodiscard]] ColumnScores score_column(const ConfidenceColumn& column, const OddsDesign& design,
                                        const UncertaintyOptions& o, int threads);

/// In the order they are reported.
inline constexpr const char* kUncertaintyKeys[] = {"eor",  "binned_brier", "auroc", "conditional_entropy",
                                                   "aurc", "augrc",        "kl",    "auroc_unbinned"};

/// Wrong items by increasing measure, ties by id or row. `values` stand beside the outcomes.
[[nodiscard]] std::vector<Suspect> find_suspects(const Items& items, const Outcomes& outcomes,
                                                 std::span<const double> values, const Names& ids, int count);

void check_options(const UncertaintyOptions& o);

}  // namespace plumb::detail
