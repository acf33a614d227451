// Smooth calibration error (Blasiok & Nakkiran 2024): reflected Gaussian kernel, bandwidth at the fixed
// point.
#pragma once

#include <span>
#include <vector>

#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/estimate.hpp"
#include "plumb/metrics/kernel/box_moments.hpp"
#include "plumb/metrics/kernel/forecast_pass.hpp"
#include "plumb/metrics/kernel/reliability_kde.hpp"

namespace plumb {

/// The state: moments in equal boxes of [0, 1]. Plain data, exact merge.
struct SmoothSums {
  static constexpr int kBoxes = 1024;  ///< resolves bandwidths down to 1/1024
  BoxMoments moments{kBoxes};
  void merge(const SmoothSums& other) { moments.merge(other.moments); }
  friend bool operator==(const SmoothSums&, const SmoothSums&) = default;
};

[[nodiscard]] SmoothSums smooth_sums(const ForecastPass& pass);

struct SmoothError {
  Estimate smece;
  double sigma = 0;  ///< the bandwidth: equals the value, but not below the smallest the sums resolve (2^-10)
};

/// The integral over [0, 1] of |sum_i m_i (y_i - p_i) K_sigma(t, p_i)| / sum_i m_i at a given bandwidth.
[[nodiscard]] Estimate smece_at(const SmoothSums& sums, double sigma);
/// At the fixed point smece_at(sigma) = sigma, which is unique. Where that lies below 2^-10 the value is
/// smece_at(2^-10), which is then at most 2^-10 from it.
[[nodiscard]] SmoothError smece(const SmoothSums& sums);
[[nodiscard]] SmoothError smece(const ForecastsView& f, int threads = 0);

/// The smoothed reliability curve and the smoothed density of p.
[[nodiscard]] std::vector<CurvePoint> smooth_curve(const SmoothSums& sums, double sigma,
                                                   std::span<const double> grid);

}  // namespace plumb
