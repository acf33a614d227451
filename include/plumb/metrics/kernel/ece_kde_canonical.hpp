// Canonical kernel calibration error: Dirichlet kernel on the simplex (Popordanoska et al. 2022), tiled.
#pragma once

#include <cstdint>
#include <span>

#include "plumb/metrics/estimate.hpp"
#include "plumb/metrics/kernel/ece_kde.hpp"

namespace plumb {

/// N x K probabilities with votes by class. Votes of item i are the entries offset[i] .. offset[i+1] of (cls,
/// count), as in VoteBlock; with `offset` empty, item i has one vote for cls[i] and `count` is not read.
struct SimplexView {
  std::int64_t items = 0;
  int classes = 0;
  std::span<const double> z;  ///< row-major, rows sum to 1
  std::span<const std::uint64_t> offset;
  std::span<const std::uint32_t> cls;
  std::span<const double> count;         ///< positive whole numbers unless `whole_counts` is false
  std::span<const double> weight;        ///< of each vote; empty: one each
  std::span<const std::uint32_t> times;  ///< how often a resample drew the item; empty: once each
  bool whole_counts =
      true;  ///< false under the sign-flip null: the votes of an item then share its counts evenly
};

/// Mean over votes of sum_k |E[y_k | z_i] - z_ik|, E by the kernel Dirichlet(z_j/h + 1) at z_i, one
/// vote (or item) left out. Zero components take the limit in which they vanish together. O(N^2 K)
/// time, O(N K) memory.
[[nodiscard]] Estimate ece_kde_canonical(const SimplexView& f, double bandwidth,
                                         LeaveOut leave_out = LeaveOut::vote, int threads = 0);

}  // namespace plumb
