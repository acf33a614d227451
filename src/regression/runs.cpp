#include "regression/runs.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/data/check.hpp"

namespace plumb {
namespace detail {
namespace {

constexpr double kLog2Pi = 1.8378770664093453;
constexpr double kLog2 = 0.6931471805599453;

using Product = RegressionProduct;
using Sum = ExactSum OutputSums::*;

/// Weighted means over the entries.
struct Means {
  const OutputSums& sums;
  double weight;
  [[nodiscard]] double operator()(const ExactSum& sum) const { return sum.value() / weight; }
  [[nodiscard]] double operator()(Sum sum) const { return (*this)(sums.*sum); }
};

template <double (*value)(const Means&), bool uses_z = false>
Estimate from_means(const RegressionProducts& p, const RegressionPlan&) {
  const Means means{p.sums(), p.sums().weight.value()};
  if (!(means.weight > 0)) return Estimate::undefined(kNoItems);
  const std::int64_t without_z = uses_z ? p.sums().degenerate : 0;
  if (without_z == 0) return value(means);
  return Estimate::undefined(
      counted(without_z, "prediction") + " of variance 0 (or an error beyond 1e17 standard deviations) " +
      (without_z == 1 ? "has" : "have") + " no likelihood; ⟦clip⟧ raises small variances");
}

template <Sum sum>
double mean(const Means& means) {
  return means(sum);
}
template <int level>
double coverage(const Means& means) {
  return means(means.sums.inside[level]);
}
double nll(const Means& mean) {
  return 0.5 * (kLog2Pi + mean(&OutputSums::log_variance) + mean(&OutputSums::z2));
}
/// Scale b = sqrt(variance / 2): log(2 b) = (log 2 + log variance) / 2, |e| / b = sqrt(2) |z|.
double nll_laplace(const Means& mean) {
  return 0.5 * (kLog2 + mean(&OutputSums::log_variance)) + std::sqrt(2.0) * mean(&OutputSums::abs_z);
}
double width_95(const Means& mean) { return 2 * coverage_quantiles()[2] * mean(&OutputSums::sigma); }
double sharpness(const Means& mean) { return std::sqrt(mean(&OutputSums::variance)); }

template <Product which>
Estimate gap(const RegressionProducts& p, const RegressionPlan&) {
  return uce(p.bins(which));
}
Estimate equal_mass_gap(const RegressionProducts& p, const RegressionPlan& plan) { return p.ence(plan.bins); }
template <Estimate PitDistance::*distance>
Estimate from_uniform(const RegressionProducts& p, const RegressionPlan&) {
  return p.pit().*distance;
}

constexpr RegressionRun kRegressionRuns[] = {
    {"mse", {Product::sums}, from_means<mean<&OutputSums::err2>>},
    {"mae", {Product::sums}, from_means<mean<&OutputSums::abs_err>>},
    {"nll", {Product::sums}, from_means<nll, true>},
    {"nll_laplace", {Product::sums}, from_means<nll_laplace, true>},
    {"crps", {Product::sums}, from_means<mean<&OutputSums::crps>>},
    {"zms", {Product::sums}, from_means<mean<&OutputSums::z2>, true>},
    {"uce", {Product::uce_bins}, gap<Product::uce_bins>},
    {"uce_mc", {Product::uce_mc_bins}, gap<Product::uce_mc_bins>},
    {"uce_aleatoric", {Product::uce_aleatoric_bins}, gap<Product::uce_aleatoric_bins>},
    {"ence", {Product::sorted_variance}, equal_mass_gap},
    {"coverage_50", {Product::sums}, from_means<coverage<0>>},
    {"coverage_90", {Product::sums}, from_means<coverage<1>>},
    {"coverage_95", {Product::sums}, from_means<coverage<2>>},
    {"coverage_99", {Product::sums}, from_means<coverage<3>>},
    {"width_95", {Product::sums}, from_means<width_95>},
    {"sharpness", {Product::sums}, from_means<sharpness>},
    {"pit_ks", {Product::pit}, from_uniform<&PitDistance::ks>},
    {"miscalibration_area", {Product::pit}, from_uniform<&PitDistance::area>},
};
static_assert(std::ranges::equal(kRegressionRuns, kRegressionMetrics, {}, &RegressionRun::key,
                                 &MetricRow::key),
              "every row of kRegressionMetrics has its run, in the same order");

}  // namespace

const RegressionRun& regression_run(const MetricRow& row) {
  return kRegressionRuns[&row - kRegressionMetrics];
}

}  // namespace detail

Scores sum_scores(const OutputSums& sums) {
  RegressionSums one;
  one.output = {sums};
  const detail::RegressionProducts products(one);
  Scores out;
  for (const detail::RegressionRun& run : detail::kRegressionRuns)
    if (products.made().has(run.needs)) out[std::string(run.key)] = run.finish(products, {});
  return out;
}

}  // namespace plumb
