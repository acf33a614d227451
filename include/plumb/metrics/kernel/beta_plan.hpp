// From compressed sums to kernel sums at any point: everything that depends on the bandwidth alone is kept in
// a plan, so that replicates of one column pay for it once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "plumb/metrics/kernel/beta_sums.hpp"

namespace plumb {

/// G(x) = sum_j m_j k(x; q_j) / k(x; x) of all votes and of the hits, as one Chebyshev series in each target
/// box. A vote's own part in G is its weight.
struct BetaValues {
  BetaBoxes boxes;
  std::vector<std::uint32_t> row;   ///< by side * target_boxes + box: place in the vectors below, or kNone
  std::vector<double> coefficient;  ///< [row][all votes, hits][kMoments]
  std::vector<double> error;        ///< [row]: bound on the error of G
  static constexpr std::uint32_t kNone = 0xffffffffu;

  /// G at each p (0 < p < 1) of a block, and its error bound. NaN where the plan was given no votes near.
  void evaluate(std::span<const double> p, std::span<double> all, std::span<double> hits,
                std::span<double> error) const;
};

/// Thread-safe; blocks of the kernel are made when first needed and kept.
class BetaPlan {
 public:
  explicit BetaPlan(double bandwidth, double accuracy = 1e-10);
  ~BetaPlan();
  BetaPlan(BetaPlan&&) noexcept;
  BetaPlan& operator=(BetaPlan&&) noexcept;

  [[nodiscard]] const BetaBoxes& boxes() const { return boxes_; }
  [[nodiscard]] double bandwidth() const { return boxes_.bandwidth; }
  [[nodiscard]] double accuracy() const { return accuracy_; }
  /// For the boxes where `sums` has votes.
  [[nodiscard]] BetaValues values(const BetaSums& sums, int threads = 0) const;

 private:
  struct Rows;
  BetaBoxes boxes_;
  double accuracy_;
  std::unique_ptr<Rows> rows_;
};

}  // namespace plumb
