// Forecasts of quantiles: pinball loss, interval scores, coverage of intervals and frequency of
// each quantile.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "plumb/data/array.hpp"
#include "plumb/data/items.hpp"
#include "plumb/result.hpp"

namespace plumb {

/// N forecasts, each of the Q quantiles of the target at `levels`.
struct QuantileItems {
  Rows quantiles;              ///< N x Q, a column for each level
  std::vector<double> levels;  ///< ascending, in (0, 1)
  Rows targets;                ///< N
  Rows weights;                ///< N; empty: one each
  Names groups;                ///< empty: each item is its own unit of resampling
  std::vector<Names> by;       ///< one name per item for each way to slice
  [[nodiscard]] std::int64_t size() const { return quantiles.rows(); }
  [[nodiscard]] QuantileItems gather(std::span<const std::int64_t> rows) const;
};

/// Columns and levels agree, levels ascend strictly, lengths agree. Throws InputError. `with_targets`: for
/// evaluating and fitting.
void check_quantiles(const QuantileItems& items, bool with_targets = true);

/// Two levels a and 1 - a, the ends of a central interval of level 1 - 2 a. By column.
struct CentralPair {
  std::size_t low = 0, high = 0;
  double level = 0;
};
/// From the widest to the narrowest.
[[nodiscard]] std::vector<CentralPair> central_pairs(std::span<const double> levels);
/// "90", "99_5": the level of a pair in keys, in percent.
[[nodiscard]] std::string level_name(double level);

/// The only place for defaults.
struct QuantileOptions {
  int bootstrap = 0;  ///< replicates; 0: no intervals
  double level = 0.95;
  std::uint64_t seed = 0;
  int threads = 0;                            ///< 0: all cores; does not affect the results
  std::function<void(double)> progress = {};  ///< called with the share done, from one thread at a time
  std::stop_token cancel = {};                ///< ends the work with Cancelled
};

/// Metrics, means over items: `pinball` (mean over levels of (y - q)(level - [y < q])), `crossing` (share of
/// items whose quantiles do not ascend) and, for each central pair, with its level as in interval_score_90:
/// `interval_score_*` (width plus 2/a times the distance by which y misses, Gneiting and Raftery 2007),
/// `coverage_*` (ends included), `width_*`. Tables `quantiles` (by level: frequency of y <= q with its
/// interval, pinball loss) and `intervals`. Time and memory: N Q per replicate, a block of items.
[[nodiscard]] Result evaluate_quantiles(const QuantileItems& items, const QuantileOptions& options = {});

}  // namespace plumb
