// The Beta kernel between bins of p, for one bandwidth.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "metrics/kernel/vote_bins.hpp"

namespace plumb::detail {

class BinKernel {
 public:
  explicit BinKernel(double bandwidth);  ///< from 1e-4 on

  /// The place of a bin of VoteBins here, where bins are joined as far as the bandwidth allows.
  [[nodiscard]] std::size_t joined(std::size_t bin) const { return bin >> level_; }
  [[nodiscard]] std::size_t bins() const { return kVoteBins >> level_; }
  /// Sums over the joined bins, each of its bins added in ascending order; `used`: those that are not 0.
  [[nodiscard]] std::vector<double> join(const std::vector<double>& by_bin,
                                         std::span<const std::size_t> used) const;

  struct Sums {
    double all = 0, hits = 0;
  };
  /// sum_j m_j k(x; q_j) / k(x; x) at the middle x of a joined bin, q_j being the others' middles.
  [[nodiscard]] Sums at(std::size_t target, const std::vector<double>& w,
                        const std::vector<double>& wy) const;

 private:
  struct Row {
    std::size_t first;
    std::vector<double> k;
  };
  int level_ = 0;
  std::vector<Row> row_;  // of the lower half; the upper is its mirror image
};

}  // namespace plumb::detail
