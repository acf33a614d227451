#include "calibrate/alpha_problem.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/calibrate/alpha.hpp"
#include "plumb/calibrate/scores.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

constexpr std::int64_t kAlphaBlock = 1024;  // items whose sums are made together, for any number of threads
constexpr double kLargestLogAlpha = 27.0;   // 5e11: beyond, a Dirichlet is its mean

double log_alpha(double s) { return std::clamp(s, -kLargestLogAlpha, kLargestLogAlpha); }

double lane_dot(const double* a, const double* b, std::int64_t n) {
  double lanes[4] = {0, 0, 0, 0};  // a fixed order that the compiler can keep in registers
  std::int64_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (std::int64_t l = 0; l < 4; ++l) lanes[l] += a[i + l] * b[i + l];
  for (; i < n; ++i) lanes[0] += a[i] * b[i];
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

}  // namespace

AlphaProblem::AlphaProblem(const Items& items, const FitOptions& options, double lambda)
    : threads_(options.threads), lambda_(lambda) {
  features_ = options.features.empty() ? 0 : options.features.width();
  if (features_ > 0)
    check_same_rows(items.predictions.sources().front().name(), items.size(), options.features.name(),
                    options.features.rows());
  read(items, options);
  if (weight_.empty())
    throw InputError(
        items.votes.rows().name() +
        ": no item has two votes, and one vote says nothing about alpha_0; give ⟦counts⟧ or ⟦ratings⟧");
  if (options.weight_votes)
    for (std::int64_t i = 0; i < std::ssize(weight_); ++i) weight_[i] *= total_[i];
  ExactSum mass, constant;
  for (const double w : weight_) mass.add(w);
  mass_ = mass.value();
  for (std::int64_t i = 0; i < std::ssize(weight_); ++i)
    for (std::int64_t e = offset_[i]; e < offset_[i + 1]; ++e)
      constant.add(-weight_[i] * count_[e] * log_portable(z_[e]));
  constant_ = constant.value() / mass_;
  curvature_.resize(weight_.size());
  standardise();
}

void AlphaProblem::read(const Items& items, const FitOptions& options) {
  ItemBlock b;
  std::vector<double> u;
  offset_.push_back(0);
  const std::int64_t step = block_rows(items);
  const auto add = [&](double z, std::uint32_t count) {
    clipped_ += z < kScoreClip ? 1 : 0;
    z_.push_back(std::max(z, kScoreClip));
    count_.push_back(count);
  };
  for (std::int64_t begin = 0; begin < std::ssize(items); begin += step) {
    const std::int64_t end = std::min(items.size(), begin + step);
    read_items(items, begin, end, b);
    if (features_ > 0) {
      u.resize((end - begin) * features_);
      options.features.read(begin, end, u);
    }
    for (std::int64_t i = 0; i < b.size; ++i) {
      const std::uint32_t n = b.votes.votes(i);
      const double weight = b.weight.empty() ? 1 : b.weight[i];
      if (!(weight > 0)) continue;
      single_ += n == 1 ? 1 : 0;
      if (n < 2) continue;
      for (std::uint32_t e = b.votes.offset[i]; e < b.votes.offset[i + 1]; ++e) {
        const std::uint32_t k = b.votes.cls[e];
        const double z = b.binary() ? (k == 1 ? b.z.z[i] : 1 - b.z.z[i]) : b.z.z[i * b.z.width + k];
        add(z, b.votes.count[e]);
      }
      offset_.push_back(z_.size());
      weight_.push_back(weight);
      total_.push_back(n);
      row_.push_back(begin + i);
      votes_ += n;
      for (std::int64_t j = 0; j < features_; ++j) {
        const double x = u[i * features_ + j];
        check_feature(x, options.features, begin + i, j);
        x_.push_back(x);
      }
    }
  }
}

// Centred and scaled features make the search quick and change nothing about its end.
void AlphaProblem::standardise() {
  const std::int64_t n = weight_.size();
  mean_.assign(features_, 0);
  scale_.assign(features_, 1);
  std::vector<ExactSum> first(features_), second(features_);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < features_; ++j) first[j].add(weight_[i] * x_[i * features_ + j]);
  for (std::int64_t j = 0; j < features_; ++j) mean_[j] = first[j].value() / mass_;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < features_; ++j) {
      double& x = x_[i * features_ + j];
      x -= mean_[j];
      second[j].add(weight_[i] * x * x);
    }
  for (std::int64_t j = 0; j < features_; ++j) {
    const double sd = std::sqrt(second[j].value() / mass_);
    if (sd > 1e-12 * std::max(1.0, std::abs(mean_[j]))) scale_[j] = sd;
  }
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < features_; ++j) x_[i * features_ + j] /= scale_[j];
}

template <class Body>
void AlphaProblem::each_block(std::int64_t sums, std::span<double> total, Body body) const {
  const std::int64_t n = weight_.size(), blocks = (n + kAlphaBlock - 1) / kAlphaBlock;
  std::vector<double> parts(blocks * sums, 0.0);
  parallel_blocks(blocks, 1, threads_, [&](int, std::int64_t b, std::int64_t) {
    body(b * kAlphaBlock, std::min(n, (b + 1) * kAlphaBlock), parts.data() + b * sums);
  });
  std::fill(total.begin(), total.end(), 0.0);
  for (std::int64_t b = 0; b < blocks; ++b)
    for (std::int64_t j = 0; j < sums; ++j) total[j] += parts[b * sums + j];
}

double AlphaProblem::value(std::span<const double> theta, std::span<double> gradient) {
  const std::int64_t k = unknowns();
  std::vector<double> total(k + 1);
  each_block(k + 1, total, [&](std::int64_t begin, std::int64_t end, double* sums) {
    for (std::int64_t i = begin; i < end; ++i) {
      const double* x = x_.data() + i * features_;
      const double s = theta[0] + lane_dot(x, theta.data() + 1, features_);
      const double alpha = exp_portable(log_alpha(s));
      const RisingFactorial all = rising_factorial(alpha, total_[i]);
      double loss = all.log, slope = -all.slope, curvature = -all.curvature;
      for (std::int64_t e = offset_[i]; e < offset_[i + 1]; ++e) {
        if (count_[e] < 2) continue;  // one vote of a class: G(x, 1) = 0
        const RisingFactorial one = rising_factorial(alpha * z_[e], count_[e]);
        loss -= one.log;
        slope += one.slope;
        curvature += one.curvature;
      }
      if (s != log_alpha(s)) slope = curvature = 0;
      const double w = weight_[i];
      const double g = w * (slope + 2 * lambda_ * s);
      curvature_[i] = w * (curvature + 2 * lambda_);
      sums[k] += w * (loss + lambda_ * s * s);
      sums[0] += g;
      for (std::int64_t j = 0; j < features_; ++j) sums[j + 1] += g * x[j];
    }
  });
  for (std::int64_t j = 0; j < k; ++j) gradient[j] = total[j] / mass_;
  return constant_ + total[k] / mass_;
}

void AlphaProblem::times(std::span<const double> v, std::span<double> out) const {
  each_block(unknowns(), out, [&](std::int64_t begin, std::int64_t end, double* sums) {
    for (std::int64_t i = begin; i < end; ++i) {
      const double* x = x_.data() + i * features_;
      const double h = curvature_[i] * (v[0] + lane_dot(x, v.data() + 1, features_));
      sums[0] += h;
      for (std::int64_t j = 0; j < features_; ++j) sums[j + 1] += h * x[j];
    }
  });
  for (double& o : out) o /= mass_;
}

std::vector<double> AlphaProblem::in_file_units(std::span<const double> theta) const {
  std::vector<double> out(theta.begin(), theta.end());
  for (std::int64_t j = 0; j < features_; ++j) {
    out[j + 1] /= scale_[j];
    out[0] -= out[j + 1] * mean_[j];
  }
  return out;
}

std::vector<double> AlphaProblem::gradient_in_file_units(std::span<const double> gradient) const {
  std::vector<double> out(gradient.begin(), gradient.end());
  for (std::int64_t j = 0; j < features_; ++j)
    out[j + 1] = scale_[j] * gradient[j + 1] + mean_[j] * gradient[0];
  return out;
}

}  // namespace plumb::detail
