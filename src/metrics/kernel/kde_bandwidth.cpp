#include "plumb/metrics/kernel/kde_bandwidth.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

#include "metrics/kernel/direct_sums.hpp"
#include "plumb/metrics/kernel/beta_plan.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/sort.hpp"

namespace plumb {
namespace {

using detail::direct_sums;
using detail::DirectSum;

constexpr double kLowest = 1e-4, kHighest = 1.0;
constexpr int kScan = 9;             // half decades
constexpr double kPrecision = 0.01;  // of log h
// The objective is a mean of logarithms; 1e-6 is far below what sampling does to it.
constexpr double kAccuracy = 1e-6;

// The distinct p, ascending, each with the mass of its votes.
struct Distinct {
  std::vector<double> p, mass, no_hits;
  double total = 0;
  bool single = true, whole_counts = true;  // every mass is one, a whole number

  [[nodiscard]] ForecastsView view() const {
    ForecastsView f{p, no_hits, {}, {}, {}, true};
    if (!single) (whole_counts ? f.trials : f.weight) = mass;
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
      out.whole_counts = out.whole_counts && out.mass.back() == std::floor(out.mass.back());
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

double log_likelihood(const Distinct& data, const BetaPlan& plan, int threads) {
  if (data.p.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  const ForecastPass pass = pass_over(data.view(), threads);
  const BetaValues values = plan.values(beta_sums(pass, plan.boxes()), threads);
  const std::vector<double> peaks = log_peak_series(values);
  const int workers = pass.workers;
  std::vector<Likelihood> part(workers);
  std::vector<std::vector<std::size_t>> isolated(workers);
  std::vector<BetaEvaluator> evaluators;
  for (int w = 0; w < workers; ++w) evaluators.emplace_back(values);

  pass.run([&](int worker, const ForecastsView& f) {
    const std::size_t first = f.p.data() - data.p.data();
    BetaEvaluator& evaluator = evaluators[worker];
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
        isolated[worker].push_back(first + i);
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
    part[worker].sum.add(sum);
    part[worker].mass.add(weight);
  });

  ExactSum sum, mass;
  std::vector<std::size_t> apart;
  for (int w = 0; w < workers; ++w) {
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
    const std::vector<DirectSum> direct = direct_sums(pass, p, plan.bandwidth());
    for (std::size_t i = 0; i < apart.size(); ++i) {
      const double own = data.mass[apart[i]];
      const double rest = direct[i].top + log_portable(direct[i].w.value());
      sum.add(own * (rest - log_portable(data.total - own)));
    }
  }
  return sum.value() / mass.value();
}

// The scan's bandwidths are the same for every column, so their plans are kept.
double scan_point(int i) {
  const double low = log_portable(kLowest);
  return std::min(low + (log_portable(kHighest) - low) / (kScan - 1) * i, 0.0);
}

const BetaPlan& scan_plan(int i) {
  static std::array<std::once_flag, kScan> once;
  static std::array<std::optional<BetaPlan>, kScan> plan;
  std::call_once(once[i], [&] { plan[i].emplace(exp_portable(scan_point(i)), kAccuracy); });
  return *plan[i];
}

struct Peak {
  double x = 0, value = 0;
};

// Brent's search: parabolas through the three best points, golden section otherwise. Starts from the best
// point known, which may be an end of the range, and its neighbours.
template <class Function>
Peak highest(const Peak& left, Peak best, const Peak& right, const Function& f) {
  constexpr double kGolden = 0.3819660112501051;
  constexpr double kNear = kPrecision / 2;
  double a = left.x, b = right.x;
  Peak second = left.value > right.value ? left : right, third = left.value > right.value ? right : left;
  double step = b - a, before = b - a;
  // An end of the range is the answer when the function falls right beside it.
  if (best.x == a && f(a + kNear) < best.value) return best;
  if (best.x == b && f(b - kNear) < best.value) return best;
  while (std::max(best.x - a, b - best.x) > kPrecision) {
    const double middle = 0.5 * (a + b);
    const double r = (best.x - second.x) * (best.value - third.value);
    const double q = (best.x - third.x) * (best.value - second.value);
    const double above = (best.x - third.x) * q - (best.x - second.x) * r;
    const double below = 2.0 * (q - r);
    const double parabola = below != 0.0 ? -above / below : 0.0;
    const double x = best.x + parabola;
    const bool behaves = below != 0.0 && std::abs(parabola) < 0.5 * std::abs(before) && x > a && x < b;
    before = step;
    if (behaves) {
      step = parabola;
    } else {
      before = best.x < middle ? b - best.x : a - best.x;
      step = kGolden * before;
    }
    if (std::abs(step) < kNear) step = best.x < middle ? kNear : -kNear;
    const Peak next{best.x + step, f(best.x + step)};
    if (next.value >= best.value) {
      (next.x > best.x ? a : b) = best.x;
      third = second, second = best, best = next;
    } else {
      (next.x > best.x ? b : a) = next.x;
      if (next.value >= second.value || second.x == best.x) {
        third = second, second = next;
      } else if (next.value >= third.value || third.x == best.x || third.x == second.x) {
        third = next;
      }
    }
  }
  return best;
}

}  // namespace

double kde_log_likelihood(const ForecastsView& f, double bandwidth, int threads) {
  return log_likelihood(distinct_of(f, threads), BetaPlan(bandwidth, kAccuracy), threads);
}

Bandwidth kde_bandwidth(const ForecastsView& f, int threads) {
  const Distinct data = distinct_of(f, threads);
  Bandwidth best;
  if (data.p.size() < 2 || std::none_of(data.p.begin(), data.p.end(), inside)) {
    best.why =
        "the forecasts do not have two different probabilities of which at least one is neither 0 nor 1";
    return best;
  }
  const auto objective = [&](double log_h) {
    return log_likelihood(data, BetaPlan(exp_portable(log_h), kAccuracy), threads);
  };
  std::array<Peak, kScan> scan{};
  for (int i = 0; i < kScan; ++i) scan[i] = {scan_point(i), log_likelihood(data, scan_plan(i), threads)};
  std::size_t top = 0;
  for (std::size_t i = 1; i < kScan; ++i)
    if (scan[i].value > scan[top].value) top = i;
  const Peak peak = highest(scan[top == 0 ? 0 : top - 1], scan[top],
                            scan[std::min<std::size_t>(top + 1, kScan - 1)], objective);
  best.value = exp_portable(peak.x);
  best.objective = peak.value;
  return best;
}

}  // namespace plumb
