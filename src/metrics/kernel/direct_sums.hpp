// Kernel sums at a few isolated points, by going through all votes: in log space, so that nothing underflows.
#pragma once

#include <span>
#include <vector>

#include "metrics/kernel/beta_point.hpp"
#include "plumb/metrics/kernel/forecast_pass.hpp"
#include "plumb/numeric/exact_sum.hpp"

namespace plumb::detail {

/// Sums over the votes at p_j != p of m_j k(p; p_j) / k(p; p), in units of exp(top); and over
/// those at p itself.
struct DirectSum {
  double p = 0;
  double top = 0;  ///< about the log of the largest term; -infinity: there are no other p
  ExactSum w, wy;
  ExactSum tie_w, tie_wy;
};

/// For distinct p in (0, 1), ascending; two passes. The result is in the same order.
[[nodiscard]] std::vector<DirectSum> direct_sums(const ForecastPass& pass, std::span<const double> p,
                                                 double bandwidth);

}  // namespace plumb::detail
