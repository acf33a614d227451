// Votes counted in cells of p that are narrow beside the kernel at any bandwidth from 1e-4 on.
#pragma once

#include <cstddef>
#include <vector>

#include "plumb/data/forecasts.hpp"

namespace plumb::detail {

/// Cells of equal width in sqrt(min(p, 1 - p)), in which the Beta kernel has a width of 0.35 to 0.5 sqrt(h):
/// those of the lower half by ascending p, then those of the upper half.
inline constexpr std::size_t kVoteCellsOfSide = 1024;
inline constexpr std::size_t kVoteCells = 2 * kVoteCellsOfSide;
[[nodiscard]] std::size_t vote_cell(double p);

/// Items of one cell with equal numbers of votes and hits.
struct VoteKind {
  std::size_t cell;
  double trials, hits;  ///< of one item
  double weight;        ///< of one vote: the mean over these items
  double items;
};

struct VoteCells {
  std::vector<double> w, wy;   ///< by cell: weight of the votes, of the hits; with those at 0 and 1
  std::vector<VoteKind> kind;  ///< of items with 0 < p < 1, by cell, votes, hits
  double weight = 0, hits = 0, votes = 0;
};
/// One parallel pass; the same bits for any order of the items.
[[nodiscard]] VoteCells vote_cells(const ForecastsView& f, int threads);

}  // namespace plumb::detail
