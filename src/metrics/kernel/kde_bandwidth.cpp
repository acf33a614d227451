#include "plumb/metrics/kernel/kde_bandwidth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "metrics/kernel/direct_sums.hpp"
#include "plumb/metrics/kernel/beta_plan.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/sort.hpp"

namespace plumb {
namespace {

constexpr double kLowest = 1e-4, kHighest = 1.0;
constexpr int kScan = 9;             // half decades
constexpr double kPrecision = 0.01;  // of log h
// The objective is a mean of logarithms; 1e-6 is far below what sampling does to it.
constexpr double kAccuracy = 1e-6;

// The distinct p, ascending, each with the mass of its votes.
struct Distinct {
  std::vector<double> p, mass, no_hits;
  double total = 0;
  bool single = true, whole = true;  // every mass is one, a whole number

  [[nodiscard]] ForecastsView view() const {
    ForecastsView f{p, no_hits, {}, {}, {}, true};
    if (!single) (whole ? f.trials : f.weight) = mass;
    return f;
  }
};

Distinct distinct_of(const ForecastsView& f, int threads) {
  const SortedColumn sorted = sort_column(f.p, threads);
  Distinct out;
  ExactSum total;
  for (std::size_t begin = 0; begin < f.size();) {
    std::size_t end = begin;
    ExactSum mass;
    for (; end < f.size() && sorted.values[end] == sorted.values[begin]; ++end) {
      const std::size_t i = sorted.order[end];
      mass.add(f.weight_of(i) * f.trials_of(i));
    }
    if (!mass.is_zero()) {
      out.p.push_back(sorted.values[begin] + 0.0);  // -0 is 0
      out.mass.push_back(mass.value());
      out.single = out.single && out.mass.back() == 1.0;
      out.whole = out.whole && out.mass.back() == std::floor(out.mass.back());
      total.merge(mass);
    }
    begin = end;
  }
  out.no_hits.assign(out.p.size(), 0.0);
  out.total = total.value();
  return out;
}

bool inside(double p) { return p > 0.0 && p < 1.0; }

// Sums of mass and of mass times log density over the targets.
struct Likelihood {
  ExactSum mass, sum;
};

double log_likelihood(const Distinct& data, double bandwidth, int threads) {
  if (data.p.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  const BetaPlan plan(bandwidth, kAccuracy);
  const ForecastPass pass = pass_over(data.view(), threads);
  const BetaValues values = plan.values(beta_sums(pass, plan.boxes()), threads);
  const std::vector<double> peaks = log_peak_series(values);
  const auto workers = static_cast<std::size_t>(pass.workers);
  std::vector<Likelihood> part(workers);
  std::vector<std::vector<std::size_t>> isolated(workers);
  std::vector<BetaEvaluator> evaluators;
  for (std::size_t w = 0; w < workers; ++w) evaluators.emplace_back(values);

  pass.run([&](int worker, const ForecastsView& f) {
    const auto at = static_cast<std::size_t>(worker);
    const auto first = static_cast<std::size_t>(f.p.data() - data.p.data());
    BetaEvaluator& evaluator = evaluators[at];
    evaluator.evaluate(f.p);
    std::vector<double> peak(f.size()), unused(f.size()), rest(f.size()), others(f.size());
    evaluator.evaluate_other(peaks, peak, unused);
    for (std::size_t i = 0; i < f.size(); ++i) {
      const double mass = data.mass[first + i];
      rest[i] = evaluator.all()[i] - mass;
      others[i] = data.total - mass;
      if (!inside(f.p[i])) {
        rest[i] = others[i] = 1.0;
      } else if (!(rest[i] * kAccuracy > evaluator.error()[i])) {
        isolated[at].push_back(first + i);
        rest[i] = others[i] = 1.0;
      }
    }
    log_block(rest, rest);
    log_block(others, others);
    // Blocks are the same for any number of threads, so the order within one is fixed.
    double sum = 0, weight = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
      if (!inside(f.p[i])) continue;
      const double mass = data.mass[first + i];
      sum += mass * (peak[i] + (rest[i] - others[i]));
      weight += mass;
    }
    part[at].sum.add(sum);
    part[at].mass.add(weight);
  });

  ExactSum sum, mass;
  std::vector<std::size_t> apart;
  for (std::size_t w = 0; w < workers; ++w) {
    sum.merge(part[w].sum);
    mass.merge(part[w].mass);
    apart.insert(apart.end(), isolated[w].begin(), isolated[w].end());
  }
  if (mass.is_zero()) return std::numeric_limits<double>::quiet_NaN();
  if (!apart.empty()) {
    // Above, their rest and others stood as 1: the logarithms are supplied here.
    std::sort(apart.begin(), apart.end());
    std::vector<double> p;
    for (const std::size_t i : apart) p.push_back(data.p[i]);
    const std::vector<DirectSum> direct = direct_sums(pass, p, bandwidth);
    for (std::size_t i = 0; i < apart.size(); ++i) {
      const double own = data.mass[apart[i]];
      const double rest = direct[i].top + log_portable(direct[i].w.value());
      sum.add(own * (rest - log_portable(data.total - own)));
    }
  }
  return sum.value() / mass.value();
}

}  // namespace

double kde_log_likelihood(const ForecastsView& f, double bandwidth, int threads) {
  return log_likelihood(distinct_of(f, threads), bandwidth, threads);
}

Bandwidth kde_bandwidth(const ForecastsView& f, int threads) {
  const Distinct data = distinct_of(f, threads);
  Bandwidth best;
  if (data.p.size() < 2 || std::none_of(data.p.begin(), data.p.end(), inside)) {
    best.why = "the forecasts have no two different probabilities of which one is neither 0 nor 1";
    return best;
  }
  const auto objective = [&](double log_h) { return log_likelihood(data, exp_portable(log_h), threads); };
  const double low = log_portable(kLowest);
  const double step = (log_portable(kHighest) - low) / (kScan - 1);
  int top = 0;
  double top_value = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < kScan; ++i) {
    const double value = objective(std::min(low + step * i, 0.0));
    if (value > top_value) top = i, top_value = value;
  }
  // Golden section between the neighbours of the best of the scan.
  double a = low + step * std::max(top - 1, 0), b = std::min(low + step * std::min(top + 1, kScan - 1), 0.0);
  constexpr double kGolden = 0.6180339887498949;
  double x1 = b - kGolden * (b - a), x2 = a + kGolden * (b - a);
  double f1 = objective(x1), f2 = objective(x2);
  while (b - a > kPrecision) {
    if (f1 < f2) {
      a = x1, x1 = x2, f1 = f2;
      x2 = a + kGolden * (b - a), f2 = objective(x2);
    } else {
      b = x2, x2 = x1, f2 = f1;
      x1 = b - kGolden * (b - a), f1 = objective(x1);
    }
  }
  // The ends of the range are candidates too: golden section never visits them.
  best.value = exp_portable(f1 < f2 ? x2 : x1);
  best.log_likelihood = std::max(f1, f2);
  if (top_value > best.log_likelihood) {
    best.value = exp_portable(std::min(low + step * top, 0.0));
    best.log_likelihood = top_value;
  }
  return best;
}

}  // namespace plumb
