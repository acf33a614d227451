// How often each pair of raters agrees on the items that both rated.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plumb/data/items.hpp"

namespace plumb {

/// With more raters, the table of pairs would be too long to read.
inline constexpr int kMostRatersInPairs = 12;

struct RaterPair {
  std::int64_t rater = 0, other = 0;   ///< rater < other
  std::uint64_t items = 0, agree = 0;  ///< rated by both, and alike; items of positive weight
  std::optional<double> share = {};    ///< that agree, weights and all; absent without shared items
};

/// R (R - 1) / 2 rows, by rater and then the other. One parallel pass over the ratings; throws InputError
/// unless the votes are ratings.
[[nodiscard]] std::vector<RaterPair> rater_pairs(const Items& items, int threads);

}  // namespace plumb
