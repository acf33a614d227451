// Sigma scaling in closed form: Laves 2021, eq. 9 (Gaussian) and eq. 25 (Laplace), one pass.
#include <algorithm>
#include <cmath>

#include "calibrate/regression/entries.hpp"
#include "calibrate/regression/rows.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_columns.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

constexpr double kLog2Pi = 1.8378770664093453;
constexpr double kLog2 = 0.6931471805599453;

struct Ratios {
  ExactSum weight, z2, abs_z, log_variance;
  void merge(const Ratios& o) {
    for (const auto m : {&Ratios::weight, &Ratios::z2, &Ratios::abs_z, &Ratios::log_variance})
      (this->*m).merge(o.*m);
  }
};

struct Worker {
  std::vector<Ratios> output;
  RegressionBlock block;
  std::vector<double> term, logs;
};

std::vector<Ratios> ratios(const RegressionItems& items, const RegressionFitOptions& o, Spread spread) {
  Worker initial;
  initial.output.resize(items.outputs());
  return parallel_reduce_blocks(
             items.size(), block_rows(items), o.threads, initial,
             [&](Worker& w, std::int64_t begin, std::int64_t end) {
               read_entries(items, begin, end, o, spread, w.block);
               const std::int64_t n = end - begin;
               const std::span<const double> weight = w.block.weight;
               w.term.resize(n);
               w.logs.resize(n);
               for (int j = 0; j < items.outputs(); ++j) {
                 const auto e = w.block.output_column(w.block.error, j);
                 const auto v = w.block.output_column(spread_of(w.block, spread), j);
                 Ratios& r = w.output[j];
                 if (weight.empty()) {
                   r.weight.add(n);
                 } else {
                   add_column(r.weight, weight);
                 }
                 for (std::int64_t i = 0; i < n; ++i) w.term[i] = e[i] * e[i] / v[i];
                 add_column(r.z2, w.term, weight);
                 for (std::int64_t i = 0; i < n; ++i) w.term[i] = std::sqrt(w.term[i]);
                 add_column(r.abs_z, w.term, weight);
                 log_block(v, w.logs);
                 add_column(r.log_variance, w.logs, weight);
               }
             },
             [](Worker& a, const Worker& b) {
               for (std::size_t j = 0; j < a.output.size(); ++j) a.output[j].merge(b.output[j]);
             })
      .output;
}

template <Spread spread, bool laplace>
Step fit_scale(const RegressionItems& items, const RegressionFitOptions& o) {
  std::vector<Ratios> r = ratios(items, o, spread);
  if (!o.per_output) {  // d > 1: the mean over all N d entries is the maximum-likelihood estimate
    for (std::size_t j = 1; j < r.size(); ++j) r[0].merge(r[j]);
    r.resize(1);
  }
  std::vector<double> s;
  double objective = 0, total = 0;
  for (const Ratios& x : r) {
    const double w = x.weight.value();
    if (!(w > 0)) throw InputError("there is nothing to fit on: no item of positive weight");
    // |e| / b with b = sqrt(variance / 2) is sqrt(2) |z|.
    s.push_back(laplace ? std::sqrt(2.0) * (x.abs_z.value() / w) : std::sqrt(x.z2.value() / w));
    if (!(s.back() > 0))
      throw InputError("all errors are 0, so the best variance is 0, which is not a usable prediction");
    const double spread_part = 0.5 * (x.log_variance.value() / w) + log_portable(s.back());
    objective += w * (laplace ? 0.5 * kLog2 + 1.0 + spread_part : 0.5 * (kLog2Pi + 1.0) + spread_part);
    total += w;
  }
  Step step{spread == Spread::aleatoric ? "sigma-aleatoric" : laplace ? "sigma-laplace" : "sigma"};
  if (o.per_output) {
    step.add_parameter("s", s);
  } else {
    step.add_parameter("s", s.front());
  }
  step.fit.objective = objective / total;
  step.fit.options.emplace_back("per_output", o.per_output);
  note_counts(items, step.fit);
  return step;
}

class ScaleMap : public VarianceMap {
 public:
  ScaleMap(std::vector<double> s, bool aleatoric, bool laplace)
      : s_(std::move(s)), aleatoric_(aleatoric), laplace_(laplace) {}
  bool needs_parts() const override { return aleatoric_; }
  void variance(const RegressionBlock& b, std::span<double> out) const override {
    const std::vector<double>& v = aleatoric_ ? b.aleatoric : b.variance;
    const std::int64_t n = b.size;
    for (std::int64_t k = 0; k < std::ssize(out); ++k) {
      const double s = s_.size() == 1 ? s_[0] : s_[k / n];
      out[k] = s * s * v[k];
    }
  }
  void offsets(const RegressionBlock& b, double level, std::span<double> low,
               std::span<double> high) const override {
    if (!laplace_) return VarianceMap::offsets(b, level, low, high);
    check_interval_level(level);
    variance(b, high);  // |y - mean| <= -b log(1 - level), b = sqrt(variance / 2)
    const double factor = -log_portable(1 - level) * std::sqrt(0.5);
    for (std::size_t k = 0; k < high.size(); ++k) {
      high[k] = factor * std::sqrt(high[k]);
      low[k] = -high[k];
    }
  }

 private:
  std::vector<double> s_;
  bool aleatoric_, laplace_;
};

/// One factor, or one for each output.
std::vector<double> scales(const Step& step, int outputs) {
  for (const Parameter& p : step.parameters)
    if (p.name == "s" && p.shape.empty()) return {scalar_parameter(step, "s")};
  std::vector<double> s = copied(vector_parameter(step, "s"));
  if (std::ssize(s) != outputs)
    refuse_step(step, "has a factor for each of " + std::to_string(s.size()) +
                          " outputs, but the predictions have " + std::to_string(outputs));
  return s;
}

VarianceMapPtr map_sigma(const Step& step, int outputs) {
  std::vector<double> s = scales(step, outputs);
  if (std::any_of(s.begin(), s.end(), [](double x) { return !(x >= 0); }))
    refuse_step(step, "has a negative factor");
  return std::make_unique<ScaleMap>(std::move(s), step.method == "sigma-aleatoric",
                                    step.method == "sigma-laplace");
}

}  // namespace

constinit const RegressionCalibratorRow kSigma{
    "sigma",        kOnTotal,
    {"per_output"}, fit_scale<Spread::total, false>,
    map_sigma,      "one factor on the standard deviation, in closed form (Laves)"};

constinit const RegressionCalibratorRow kSigmaLaplace{"sigma-laplace", kOnTotal,
                                                      {"per_output"},  fit_scale<Spread::total, true>,
                                                      map_sigma,       "the same under a Laplace likelihood"};

constinit const RegressionCalibratorRow kSigmaAleatoric{
    "sigma-aleatoric", kOnParts,
    {"per_output"},    fit_scale<Spread::aleatoric, false>,
    map_sigma,         "one factor on the aleatoric part alone (Levi)"};

}  // namespace plumb::detail
