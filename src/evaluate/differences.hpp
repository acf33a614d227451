// Differences of slices from all other items, with intervals that hold for all slices at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluate/rest_draws.hpp"
#include "evaluate/sample_size.hpp"

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

}  // namespace plumb::detail
