// The streaming part: sums that merge exactly, and the metrics computed from them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "plumb/metrics/estimate.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/regression/column.hpp"

namespace plumb {

inline constexpr std::array<double, 4> kCoverageLevels{0.50, 0.90, 0.95, 0.99};
/// Half-widths of the central intervals in standard deviations: sqrt(2) erfinv(level).
[[nodiscard]] const std::array<double, 4>& coverage_quantiles();

/// Of one output, or of several merged. Terms are weighted.
struct OutputSums {
  std::uint64_t entries = 0;     ///< of positive weight
  std::uint64_t degenerate = 0;  ///< of them: variance 0, or an error beyond 1e17 standard deviations
  ExactSum weight, err2, abs_err, log_variance, z2, abs_z, crps, sigma, variance;
  static constexpr ExactSum OutputSums::*kTerms[] = {
      &OutputSums::weight,       &OutputSums::err2,  &OutputSums::abs_err,
      &OutputSums::log_variance, &OutputSums::z2,    &OutputSums::abs_z,
      &OutputSums::crps,         &OutputSums::sigma, &OutputSums::variance};
  std::array<ExactSum, 4> inside;  ///< weight of the targets inside the interval of kCoverageLevels

  void merge(const OutputSums& other);
  friend bool operator==(const OutputSums&, const OutputSums&) = default;
};

/// Bins of equal width over an uncertainty, both ends inside.
struct UncertaintyBins {
  struct Bin {
    std::uint64_t items = 0;
    ExactSum weight, error, uncertainty;  ///< squared error (or its second moment) and uncertainty, weighted
    friend bool operator==(const Bin&, const Bin&) = default;
  };
  double low = 0, high = 0;
  std::vector<Bin> bins;
  std::uint64_t dropped = 0;  ///< items outside [low, high]

  UncertaintyBins() = default;
  UncertaintyBins(int count, double from, double to) : low(from), high(to), bins(count) {}
  void merge(const UncertaintyBins& other);  ///< of the same bins
  friend bool operator==(const UncertaintyBins&, const UncertaintyBins&) = default;
};

struct RegressionRange {
  double low = 0, high = 0;
  friend bool operator==(const RegressionRange&, const RegressionRange&) = default;
};

/// What the stream gathers.
struct RegressionPlan {
  int bins = 15;
  double clip = 0;                                     ///< variances below are raised to it
  std::optional<RegressionRange> variance, aleatoric;  ///< ranges of the bins; absent: no such bins
  bool mc = false;                                     ///< bins of eq. 14
};

struct RegressionSums {
  std::vector<OutputSums> output;  ///< d of them
  UncertaintyBins uce, uce_mc, uce_aleatoric;
  std::uint64_t items = 0;    ///< of positive weight
  std::uint64_t clipped = 0;  ///< entries whose variance ⟦clip⟧ raised

  RegressionSums() = default;
  RegressionSums(int outputs, const RegressionPlan& plan);
  /// Treats empty as identity.
  void merge(const RegressionSums& other);
  [[nodiscard]] OutputSums total() const;
  friend bool operator==(const RegressionSums&, const RegressionSums&) = default;
};

/// One pass in blocks; the same bits for any number of threads, shards and row order.
[[nodiscard]] RegressionSums regression_sums(const RegressionItems& items, const RegressionPlan& plan,
                                             int threads);
/// Smallest and largest uncertainty of an item (mean over its outputs): total, and aleatoric
/// when that is known.
struct UncertaintyRanges {
  std::optional<RegressionRange> variance, aleatoric;  ///< absent without items
};
[[nodiscard]] UncertaintyRanges uncertainty_ranges(const RegressionItems& items, double clip, int threads);

/// sum_k (|B_k| / m) |error_k - uncertainty_k|: Laves 2021, eq. 13.
[[nodiscard]] Estimate uce(const UncertaintyBins& bins);
/// Every metric that needs these sums alone.
[[nodiscard]] Scores sum_scores(const OutputSums& sums);

}  // namespace plumb
