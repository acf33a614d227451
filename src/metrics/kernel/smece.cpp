#include "plumb/metrics/kernel/smece.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "metrics/kernel/smooth_field.hpp"

namespace plumb {
namespace {

using detail::integral_of_magnitude;
using detail::MomentPyramid;
using detail::Series;
using detail::series_at;
using detail::smooth_field;

constexpr int kBoxes = SmoothSums::kBoxes;
constexpr double kSigmaPrecision = 1e-13;  // of sigma, relative
// A curve is drawn only where the smoothed density of p exceeds this.
constexpr double kLeastDensity = 1e-9;

// Moments of the residual y - p: within a box p = centre + half t, and t T_k = (T_{k+1} + T_{|k-1|})/2. The
// last moment would need T_16 and is left out.
std::vector<Series> residuals(const MomentValues& m) {
  std::vector<Series> out(kBoxes, Series{});
  constexpr double kHalf = 0.5 / kBoxes;
  for (std::size_t b = 0; b < kBoxes; ++b) {
    const Series &w = m.w[b], &wy = m.wy[b];
    if (w[0] == 0) continue;
    const double centre = (2.0 * b + 1.0) * kHalf;
    for (std::size_t k = 0; k + 1 < kMoments; ++k) {
      const double times_t = 0.5 * (w[k + 1] + w[k == 0 ? 1 : k - 1]);
      out[b][k] = (wy[k] - centre * w[k]) - kHalf * times_t;
    }
  }
  return out;
}

double error_at(const MomentPyramid& residual, double sigma, double weight) {
  const std::vector<Series> field = smooth_field(residual, sigma);
  double sum = 0;
  for (const Series& f : field) sum += integral_of_magnitude(f);
  return sum * 0.5 / field.size() / weight;
}

}  // namespace

void SmoothSumsBuilder::update(const ForecastsView& f) {
  box_.resize(f.size());
  t_.resize(f.size());
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double scaled = f.p[i] * kBoxes;
    const int b = std::min(static_cast<int>(scaled), kBoxes - 1);
    box_[i] = b;
    t_[i] = 2.0 * (scaled - b) - 1.0;
  }
  moments_.update(box_, t_, f);
}

SmoothSums SmoothSumsBuilder::finish() { return {moments_.finish()}; }
MomentValues SmoothSumsBuilder::finish_values() { return moments_.finish_values(); }

static SmoothSumsBuilder smooth_builder(const ForecastPass& pass) {
  std::vector<SmoothSumsBuilder> builder(pass.workers);
  pass.run([&](int worker, const ForecastsView& f) { builder[worker].update(f); });
  for (std::size_t w = 1; w < builder.size(); ++w) builder[0].merge(builder[w]);
  return std::move(builder[0]);
}

SmoothSums smooth_sums(const ForecastPass& pass) { return smooth_builder(pass).finish(); }
MomentValues smooth_values(const ForecastPass& pass) { return smooth_builder(pass).finish_values(); }

Estimate smece_at(const SmoothSums& sums, double sigma) {
  const MomentValues m(sums.moments);
  if (!(m.weight > 0.0)) return Estimate::undefined(kNoVotes);
  return error_at(MomentPyramid(residuals(m)), sigma, m.weight);
}

SmoothError smece(const MomentValues& m) {
  const double weight = m.weight;
  if (!(weight > 0.0)) return {Estimate::undefined(kNoVotes), 0.0};
  const MomentPyramid residual(residuals(m));
  const auto excess = [&](double sigma) { return error_at(residual, sigma, weight) - sigma; };
  // A wider reflected Gaussian is a narrower one smoothed once more, which cannot raise the integral of the
  // magnitude: the error falls as sigma grows, and excess has one zero.
  // Wide kernels are cheap: come down from one.
  double high = 1.0, f_high = excess(high), low = high, f_low = f_high;
  while (f_low <= 0.0 && low > SmoothSums::kSmallestSigma) {
    high = low, f_high = f_low;
    low = std::max(0.25 * low, SmoothSums::kSmallestSigma);
    f_low = excess(low);
  }
  if (f_low <= 0.0) return {f_low + low, low};
  // Regula falsi, with the weight of an end halved that stays twice (Illinois), and bisection
  // when that stalls.
  int side = 0;
  for (int i = 0; i < 100 && high - low > kSigmaPrecision * high && f_high != 0.0; ++i) {
    double middle = (low * f_high - high * f_low) / (f_high - f_low);
    if (!(middle > low && middle < high) || i % 8 == 7) middle = 0.5 * (low + high);
    const double f = excess(middle);
    if (f > 0.0) {
      low = middle, f_low = f;
      if (side == 1) f_high *= 0.5;
      side = 1;
    } else {
      high = middle, f_high = f;
      if (side == -1) f_low *= 0.5;
      side = -1;
      if (f == 0.0) break;
    }
    if (std::abs(f) <= kSigmaPrecision * middle) {
      high = middle;
      break;
    }
  }
  return {high, high};
}

SmoothError smece(const SmoothSums& sums) { return smece(MomentValues(sums.moments)); }
SmoothError smece(const ForecastsView& f, int threads) { return smece(smooth_values(pass_over(f, threads))); }

std::vector<CurvePoint> smooth_curve(const MomentValues& m, double sigma, std::span<const double> grid) {
  std::vector<CurvePoint> curve;
  const double weight = m.weight;
  if (!(weight > 0.0)) return curve;
  const std::vector<Series> all = smooth_field(MomentPyramid(m.w), sigma);
  const std::vector<Series> hits = smooth_field(MomentPyramid(m.wy), sigma);
  for (const double p : grid) {
    const double scaled = p * all.size();
    const std::size_t b = std::min(static_cast<std::size_t>(scaled), all.size() - 1);
    const double t = 2.0 * (scaled - b) - 1.0;
    const double density = series_at(all[b], t) / weight;
    CurvePoint point{p, {}, std::max(0.0, density)};
    if (density > kLeastDensity) point.estimate = series_at(hits[b], t) / weight / density;
    curve.push_back(point);
  }
  return curve;
}

}  // namespace plumb
