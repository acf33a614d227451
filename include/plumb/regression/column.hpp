// The column of a regression: a predicted mean with its variance, and the observed target. In blocks,
// from files.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/data/array.hpp"
#include "plumb/data/items.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb {

inline constexpr const char* kNoItems = "there are no items of positive weight";  ///< why a value is absent

/// N items of d outputs each. Absent columns are empty.
struct RegressionItems {
  std::vector<Rows> mean;       ///< one, or S stochastic passes; none when `errors` are given
  Rows targets;                 ///< N or N x d
  Rows errors;                  ///< target minus mean, instead of the two
  Rows total;                   ///< predictive variance, N or N x d, or N for all d outputs
  bool total_is_std = false;    ///< `total` holds standard deviations
  std::vector<Rows> aleatoric;  ///< variance due to the data: one, or one of each pass
  Rows epistemic;  ///< variance due to the model; passes have their own, the 1/S variance of the means
  Rows weights;    ///< N; empty: one each
  Names groups;
  std::vector<Names> by;  ///< one name per item for each way to slice

  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] int outputs() const;  ///< d
  [[nodiscard]] int passes() const { return mean.size() > 1 ? narrow<int>(mean.size()) : 1; }
  [[nodiscard]] bool has_errors() const { return !errors.empty() || (!mean.empty() && !targets.empty()); }
  /// The variance is known in its two parts.
  [[nodiscard]] bool has_parts() const { return passes() > 1 || !aleatoric.empty() || !epistemic.empty(); }
  [[nodiscard]] RegressionItems gather(std::span<const std::int64_t> rows) const;
};

/// Lengths and widths agree, and nothing is given twice. Throws InputError. `with_errors`: there must be
/// something to compare with (evaluating, fitting), not only variances (applying).
void check_regression(const RegressionItems& items, bool with_errors = true);

/// Larger numbers are refused: their squares times a weight must fit ExactSum.
inline constexpr double kMaxTarget = 1e17;
inline constexpr double kMaxVariance = 1e34;

/// Items [begin, begin + size) in double, checked; output by output: entry j * size + i is
/// output j of item i.
struct RegressionBlock {
  std::int64_t begin = 0, size = 0;
  int outputs = 1;
  std::vector<double> error;                 ///< target - mean; empty without targets
  std::vector<double> variance;              ///< aleatoric + epistemic, Laves 2021, eq. 10
  std::vector<double> aleatoric, epistemic;  ///< empty when only the total is known
  std::vector<double> mean;                  ///< empty when only errors are known
  std::vector<double> weight;                ///< by item; empty: one each
  std::vector<double> scratch, rows;         ///< of the reader

  [[nodiscard]] std::span<const double> output_column(const std::vector<double>& column, int output) const {
    return column.empty() ? std::span<const double>{} : std::span(column).subspan(output * size, size);
  }
};

/// How many items fit a block that stays in cache.
[[nodiscard]] std::int64_t block_rows(const RegressionItems& items);
/// Throws InputError naming file, row, column and value.
void read_regression(const RegressionItems& items, std::int64_t begin, std::int64_t end,
                     RegressionBlock& out);

/// The unit of resampling of each row: its number, or a hash of its group's name.
[[nodiscard]] std::vector<std::uint64_t> regression_units(const RegressionItems& items);
/// Of these, those of positive weight; counting ends at kEnoughUnits (resample.hpp).
[[nodiscard]] std::int64_t drawable_units(const RegressionItems& items);

}  // namespace plumb
