// Box moments of [0, 1] smoothed with a reflected Gaussian: a piecewise Chebyshev series.
#pragma once

#include <vector>

#include "metrics/kernel/chebyshev.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb::detail {

/// Moments of one measure in 2^L equal boxes for L = 0, 1, ..., up to the given number of boxes. Joining two
/// boxes is exact: a polynomial on the parent is a polynomial on each half.
class MomentPyramid {
 public:
  explicit MomentPyramid(std::vector<Series> finest);
  [[nodiscard]] int levels() const { return narrow<int>(level_.size()); }
  [[nodiscard]] const std::vector<Series>& level(int l) const { return level_[l]; }
  /// The coarsest level whose boxes are narrow enough for a kernel of this width.
  [[nodiscard]] int level_for(double sigma) const;

 private:
  std::vector<std::vector<Series>> level_;
};

/// sum_j m_j K_sigma(t, q_j) as a series in each of the boxes of level_for(sigma). K is the Gaussian density
/// of standard deviation sigma, reflected at 0 and 1 as often as needed.
[[nodiscard]] std::vector<Series> smooth_field(const MomentPyramid& measure, double sigma);

/// The integral of |f| over [-1, 1], f a series: split at its sign changes.
[[nodiscard]] double integral_of_magnitude(const Series& f);
[[nodiscard]] double series_at(const Series& f, double t);

}  // namespace plumb::detail
