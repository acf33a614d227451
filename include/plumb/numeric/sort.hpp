// Sorting doubles by radix, and what is read off a sorted column.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace plumb {

/// A column in ascending order: values[i] == input[order[i]]; equal values keep their input order.
struct SortedColumn {
  std::vector<double> values;
  std::vector<std::uint32_t> order;
};

/// Stable parallel LSD radix sort; -0 and +0 are equal; NaN is not allowed; at most 2^32 - 1 items. O(N), 24
/// bytes per item. Digits that all keys share are skipped: float32 input costs about half of float64.
[[nodiscard]] SortedColumn sort_column(std::span<const double> values, int threads = 0);

/// Sorts 64-bit words, each kept as the double of the same bits, as unsigned numbers. The lowest
/// `ignored_bits` travel along: words that differ only in them stay together in unspecified order. `room` is
/// as long as `keys` and is unspecified afterwards: 16 bytes per item in all. Parallel.
void sort_packed(std::span<double> keys, std::span<double> room, int ignored_bits, int threads = 0);

}  // namespace plumb
