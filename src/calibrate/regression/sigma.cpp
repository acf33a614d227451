// Sigma scaling in closed form: Laves 2021, eq. 9 (Gaussian) and eq. 25 (Laplace), one pass.
#include <cmath>

#include "calibrate/regression/entries.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/parallel.hpp"
#include "regression/exact_columns.hpp"

namespace plumb {
namespace {

constexpr double kLog2Pi = 1.8378770664093453;
constexpr double kLog2 = 0.6931471805599453;

struct Ratios {
  ExactSum weight, z2, abs_z, log_variance;
};

struct Worker {
  std::vector<Ratios> output;
  RegressionBlock block;
  std::vector<double> term, logs;
};

std::vector<Ratios> ratios(const RegressionItems& items, const RegressionFitOptions& o,
                           detail::Spread spread) {
  Worker initial;
  initial.output.resize(static_cast<std::size_t>(items.outputs()));
  return parallel_reduce_blocks(
             items.size(), block_rows(items), o.threads, initial,
             [&](Worker& w, std::int64_t begin, std::int64_t end) {
               detail::read_entries(items, begin, end, o, spread, w.block);
               const std::size_t n = static_cast<std::size_t>(end - begin);
               const std::span<const double> weight = w.block.weight;
               w.term.resize(n);
               w.logs.resize(n);
               for (std::size_t j = 0; j < w.output.size(); ++j) {
                 const auto e = w.block.of(w.block.error, static_cast<int>(j));
                 const auto v = w.block.of(detail::spread_of(w.block, spread), static_cast<int>(j));
                 Ratios& r = w.output[j];
                 if (weight.empty()) {
                   r.weight.add(static_cast<double>(n));
                 } else {
                   detail::add_column(r.weight, weight);
                 }
                 for (std::size_t i = 0; i < n; ++i) w.term[i] = e[i] * e[i] / v[i];
                 detail::add_column(r.z2, w.term, weight);
                 for (std::size_t i = 0; i < n; ++i) w.term[i] = std::sqrt(w.term[i]);
                 detail::add_column(r.abs_z, w.term, weight);
                 log_block(v, w.logs);
                 detail::add_column(r.log_variance, w.logs, weight);
               }
             },
             [](Worker& a, const Worker& b) {
               for (std::size_t j = 0; j < a.output.size(); ++j) {
                 a.output[j].weight.merge(b.output[j].weight);
                 a.output[j].z2.merge(b.output[j].z2);
                 a.output[j].abs_z.merge(b.output[j].abs_z);
                 a.output[j].log_variance.merge(b.output[j].log_variance);
               }
             })
      .output;
}

Step fit_scale(const char* method, const RegressionItems& items, const RegressionFitOptions& o,
               detail::Spread spread, bool laplace) {
  std::vector<Ratios> r = ratios(items, o, spread);
  if (!o.per_output) {  // d > 1: the mean over all N d entries is the maximum-likelihood estimate
    for (std::size_t j = 1; j < r.size(); ++j) {
      r[0].weight.merge(r[j].weight);
      r[0].z2.merge(r[j].z2);
      r[0].abs_z.merge(r[j].abs_z);
      r[0].log_variance.merge(r[j].log_variance);
    }
    r.resize(1);
  }
  std::vector<double> s;
  double objective = 0, total = 0;
  for (const Ratios& x : r) {
    const double w = x.weight.value();
    if (!(w > 0)) throw InputError("there is nothing to fit on: no item of positive weight");
    // |e| / b with b = sqrt(variance / 2) is sqrt(2) |z|.
    s.push_back(laplace ? std::sqrt(2.0) * (x.abs_z.value() / w) : std::sqrt(x.z2.value() / w));
    if (!(s.back() > 0)) throw InputError("all errors are 0: the best variance is 0, which is no prediction");
    const double spread_part = 0.5 * (x.log_variance.value() / w) + log_portable(s.back());
    objective += w * (laplace ? 0.5 * kLog2 + 1.0 + spread_part : 0.5 * (kLog2Pi + 1.0) + spread_part);
    total += w;
  }
  Step step;
  step.method = method;
  if (o.per_output) {
    step.put("s", s);
  } else {
    step.put("s", s.front());
  }
  step.fit.objective = objective / total;
  step.fit.options.emplace_back("per_output", o.per_output);
  detail::note_counts(items, step.fit);
  return step;
}

}  // namespace

Step fit_sigma(const RegressionItems& items, const RegressionFitOptions& o) {
  return fit_scale("sigma", items, o, detail::Spread::total, false);
}

Step fit_sigma_laplace(const RegressionItems& items, const RegressionFitOptions& o) {
  return fit_scale("sigma-laplace", items, o, detail::Spread::total, true);
}

Step fit_sigma_aleatoric(const RegressionItems& items, const RegressionFitOptions& o) {
  return fit_scale("sigma-aleatoric", items, o, detail::Spread::aleatoric, false);
}

}  // namespace plumb
