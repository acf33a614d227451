// Where a probability lies among the boxes of BetaBoxes, and the boxes' nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "metrics/kernel/box_kernels.hpp"
#include "plumb/metrics/kernel/beta_kernel.hpp"
#include "plumb/metrics/kernel/beta_sums.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb::detail {

/// A box: alpha in [centre - half, centre + half], and t = (alpha - centre) / half.
struct BetaBox {
  double centre, half;
};

class BetaLayout {
 public:
  explicit BetaLayout(const BetaBoxes& boxes);

  [[nodiscard]] double n() const { return n_; }
  [[nodiscard]] int sources() const { return narrow<int>(source_.size()); }  // of one side
  [[nodiscard]] int targets() const { return narrow<int>(target_.size()); }
  [[nodiscard]] const BetaBox& source(int b) const { return source_[b]; }
  [[nodiscard]] const BetaBox& target(int b) const { return target_[b]; }
  [[nodiscard]] int target_of(double r) const;  // r > 0

  /// Box and place of each p: side * sources() + box, or side * targets() + box. Targets at 0 or 1 get a
  /// place of no meaning.
  void locate_sources(std::span<const double> p, std::span<std::uint32_t> box, std::span<double> t) const;
  void locate_targets(std::span<const double> p, std::span<std::uint32_t> box, std::span<double> t) const;

 private:
  [[nodiscard]] BetaTable table(const std::vector<BetaBox>& of, const std::vector<double>& place,
                                double least) const;
  double n_;             // 1 / h
  double per_step_ = 0;  // even boxes per unit of 2 sqrt(alpha)
  double first_even_;    // alpha where the even boxes begin; infinite when there are none
  int even_ = 0;
  int first_octave_ = 0;  // the one that holds p = 1/2, when there are no even boxes
  std::vector<BetaBox> source_, target_;
  std::vector<double> source_place_, target_place_;
};

/// One layout serves all columns and draws of a bandwidth.
[[nodiscard]] std::shared_ptr<const BetaLayout> shared_layout(const BetaBoxes& boxes);

}  // namespace plumb::detail
