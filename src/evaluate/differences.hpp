// Differences of slices from all other items, with intervals that hold for all slices at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluate/rest_draws.hpp"
#include "evaluate/sample_size.hpp"
#include "plumb/registry.hpp"

namespace plumb::detail {

/// What a slice is made of, besides its sums.
struct AuditedSlice {
  std::size_t way = 0, code = 0;
  SampleSize size;  ///< of the slice
  bool compared = false;
};

struct RestDifference {
  std::optional<double> value, rest;  ///< of the slice and of all other items
  std::optional<double> difference, low, high;
};

/// By slice, in the order of `slices`; metric `key` of kRestKeys. `draws` are by replicate. `whole`: size of
/// all items.
[[nodiscard]] std::vector<RestDifference> differences_from_rest(std::size_t key, const RestSums& observed,
                                                                const std::vector<RestSums>& draws,
                                                                const std::vector<AuditedSlice>& slices,
                                                                const SampleSize& whole, double level);

/// Whether the difference of a metric from the rest can be found by drawing the slice and the rest: it has an
/// interval from replicates, and no bias that grows as a slice gets smaller.
[[nodiscard]] bool has_drawn_difference(const MetricRow& row);

/// A metric of the slice and of all other items; draws by replicate, NaN where it is undefined.
struct DrawnSides {
  double value = 0, rest = 0;
  std::vector<double> inside, outside;
};
/// The same for metrics whose sums do not add up. `sums`: of all slices, for the number of rare outcomes.
[[nodiscard]] std::vector<RestDifference> differences_from_draws(std::string_view key,
                                                                 const std::vector<DrawnSides>& sides,
                                                                 const RestSums& sums,
                                                                 const std::vector<AuditedSlice>& slices,
                                                                 const SampleSize& whole, double level);

}  // namespace plumb::detail
