// Isotonic regression of the votes on the forecast, by pool-adjacent-violators.
#pragma once

#include <span>
#include <vector>

#include "plumb/data/forecasts.hpp"

namespace plumb {

/// Neighbouring forecasts that share one fitted frequency.
struct IsotonicBlock {
  double low = 0, high = 0;   ///< least and largest p
  double hits = 0, mass = 0;  ///< sums of w h and w n
  [[nodiscard]] double mean() const { return hits / mass; }
};

/// Takes the next block and pools it backward while `violated(before, last)`.
template <class Violated>
void push_block(std::vector<IsotonicBlock>& blocks, const IsotonicBlock& next, Violated violated) {
  blocks.push_back(next);
  while (blocks.size() > 1 && violated(blocks[blocks.size() - 2], blocks.back())) {
    IsotonicBlock& into = blocks[blocks.size() - 2];
    into.high = blocks.back().high;
    into.hits += blocks.back().hits;
    into.mass += blocks.back().mass;
    blocks.pop_back();
  }
}

/// The increasing step function nearest to the votes, in squared error and in log-loss alike; frequencies
/// rise strictly from block to block. Equal p stay together; items without mass are not seen. `ascending`: p
/// in ascending order. O(N) time, 32 bytes per block.
[[nodiscard]] std::vector<IsotonicBlock> isotonic_blocks(const ForecastsView& ascending);

/// The fitted frequency at each of `at`, ascending: linear from block to block, constant beyond the ends.
[[nodiscard]] std::vector<double> isotonic_at(std::span<const IsotonicBlock> blocks,
                                              std::span<const double> at);

}  // namespace plumb
