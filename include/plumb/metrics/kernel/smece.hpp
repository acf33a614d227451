// Smooth calibration error (Blasiok & Nakkiran 2024): reflected Gaussian kernel, bandwidth at
// the fixed point.
#pragma once

#include <cstdint>
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
  static constexpr int kBoxes = 1024;
  static constexpr double kSmallestSigma = 0.5 / kBoxes;  ///< the narrowest kernel that the boxes resolve
  BoxMoments moments{kBoxes};
  void merge(const SmoothSums& other) { moments.merge(other.moments); }
  friend bool operator==(const SmoothSums&, const SmoothSums&) = default;
};

class SmoothSumsBuilder {
 public:
  void update(const ForecastsView& f);
  void merge(SmoothSumsBuilder& other) { moments_.merge(other.moments_); }  ///< the other is then empty
  [[nodiscard]] SmoothSums finish();                                        ///< the builder is then empty
  [[nodiscard]] MomentValues finish_values();

 private:
  MomentBuilder moments_{SmoothSums::kBoxes};
  std::vector<std::uint32_t> box_;  // scratch
  std::vector<double> t_;
};

[[nodiscard]] SmoothSums smooth_sums(const ForecastPass& pass);
/// The moments of smooth_sums() as numbers.
[[nodiscard]] MomentValues smooth_values(const ForecastPass& pass);

struct SmoothError {
  Estimate smece;
  double sigma = 0;  ///< the bandwidth: equals the value, unless that is below kSmallestSigma
};

/// The integral over t in [0, 1] of |sum_i m_i (y_i - p_i) K_sigma(t, p_i)| / sum_i m_i;
/// kSmallestSigma <= sigma <= 1.
[[nodiscard]] Estimate smece_at(const SmoothSums& sums, double sigma);
/// At the fixed point smece_at(sigma) = sigma, which is unique. Where it lies below kSmallestSigma the value
/// is smece_at(kSmallestSigma), which is less than kSmallestSigma (1/2048) away from it.
[[nodiscard]] SmoothError smece(const MomentValues& moments);
[[nodiscard]] SmoothError smece(const SmoothSums& sums);
[[nodiscard]] SmoothError smece(const ForecastsView& f, int threads = 0);

/// The smoothed reliability curve and the smoothed density of p.
[[nodiscard]] std::vector<CurvePoint> smooth_curve(const MomentValues& moments, double sigma,
                                                   std::span<const double> grid);
[[nodiscard]] inline std::vector<CurvePoint> smooth_curve(const SmoothSums& sums, double sigma,
                                                          std::span<const double> grid) {
  return smooth_curve(MomentValues(sums.moments), sigma, grid);
}

}  // namespace plumb
