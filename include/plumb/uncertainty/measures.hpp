// Uncertainty measures of each item, and whether the model was right there (Finlay 2022, section 6).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/data/items.hpp"

namespace plumb {

/// One measure of every item: larger is more uncertain. Infinite values are allowed, NaN is not.
struct Measure {
  std::string name;
  std::vector<double> values;  ///< empty when undefined
  std::string why;             ///< when undefined
};

/// In the order of the built-in measures:
///   entropy             -sum z log z of the (mean) prediction, in nats
///   u1, u5              -log of the largest probability; -log of the sum of the five largest (K > 5 only)
///   loss                mean over votes of -log z_vote; it uses the label: a bound on what others can do
///   variance            Frobenius norm of the covariance (1/S) of the S probability vectors
///   expected_entropy    mean over samples of their entropy
///   mutual_information  entropy - expected_entropy, not below 0
/// The last three need samples.
inline constexpr std::string_view kMeasures[] = {
    "entropy", "u1", "u5", "loss", "variance", "mutual_information", "expected_entropy"};

/// Observed outcomes by item. Items without mass (no votes, weight 0) are left out.
struct Outcomes {
  std::vector<double> hits;         ///< votes for one of the `top` most probable classes
  std::vector<double> trials;       ///< votes; empty: one each
  std::vector<double> weight;       ///< empty: one each
  std::vector<std::uint8_t> wrong;  ///< the majority vote is not among the `top` most probable classes
  std::vector<std::uint32_t> row;   ///< of the item; empty: all rows in order
  std::int64_t votes = 0;           ///< in all
  [[nodiscard]] std::size_t size() const { return hits.size(); }
  [[nodiscard]] std::int64_t row_of(std::size_t i) const { return row.empty() ? i : row[i]; }
};

struct Measured {
  Outcomes outcomes;
  std::vector<Measure> measures;  ///< of the same items as the outcomes
};

/// One parallel pass over the items. `names`: built-in measures; empty: all that the predictions allow.
/// Throws InputError for an unknown name, a measure of samples without samples, or no votes at all.
[[nodiscard]] Measured measure_items(const Items& items, std::span<const std::string> names, int top,
                                     int threads);

/// The user's own column, one finite number per item, for the same items as `outcomes`. Throws InputError.
[[nodiscard]] Measure own_measure(const std::string& name, const Rows& rows, const Items& items,
                                  const Outcomes& outcomes);

// Of a block of rows of K probabilities, row-major; out has one number per row. The same bits on
// every machine.

void entropy_rows(std::span<const double> z, int classes, std::span<double> out);
/// `samples[s]`: the rows of sample s; `mean`: of their mean.
void variance_rows(std::span<const std::vector<double>> samples, std::span<const double> mean, int classes,
                   std::span<double> out);

}  // namespace plumb
