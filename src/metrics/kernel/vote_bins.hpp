// Votes counted in bins of p that are narrow beside the kernel at any bandwidth from 1e-4 on.
#pragma once

#include <cstddef>
#include <vector>

#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/kernel/item_kinds.hpp"

namespace plumb::detail {

/// Bins of equal width in sqrt(min(p, 1 - p)), in which the Beta kernel has a width of 0.35 to 0.5 sqrt(h):
/// those of the lower half by ascending p, then those of the upper half.
inline constexpr std::size_t kVoteBinsPerSide = 1024;
inline constexpr std::size_t kVoteBins = 2 * kVoteBinsPerSide;
inline constexpr double kVoteBinsPerRoot = kVoteBinsPerSide * 1.4142135623730951;  ///< of sqrt(r), r <= 1/2
[[nodiscard]] std::size_t vote_bin(double p);

/// Items of one bin with equal numbers of votes and hits.
struct VoteKind {
  std::size_t bin;
  double trials, hits;  ///< of one item
  double weight;        ///< of one vote: the mean over these items
  double items;
};

struct VoteBins {
  std::vector<double> w, wy;   ///< by bin: weight of the votes, of the hits; with those at 0 and 1
  std::vector<VoteKind> kind;  ///< of items with 0 < p < 1, by bin, votes, hits
  double weight = 0, hits = 0, votes = 0;
};
/// One parallel pass; the same bits for any order of the items.
[[nodiscard]] VoteBins vote_bins(const ForecastsView& f, int threads);
[[nodiscard]] VoteBins vote_bins(const ItemKinds& kinds);

}  // namespace plumb::detail
