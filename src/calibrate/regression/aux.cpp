// `aux`: a small network from log variance to log variance, by L-BFGS with early stopping on a hold-out.
#include <algorithm>
#include <cmath>

#include "calibrate/regression/aux_network.hpp"
#include "calibrate/regression/entries.hpp"
#include "calibrate/regression/lbfgs.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb {
namespace {

constexpr double kHalfLog2Pi = 0.9189385332046727;
constexpr std::int64_t kMostIterations = 1000;
constexpr int kPatience = 50;
constexpr double kGradientAim = 1e-7, kGradientPromise = 1e-6;

struct Scaled {
  std::vector<double> x, err2, weight;
  double centre = 0, width = 1;
};

Scaled scale(const detail::Entries& e) {
  Scaled out;
  const std::size_t n = e.error.size();
  out.x.resize(n);
  log_block(e.variance, out.x);
  ExactSum sum, squares;
  for (const double x : out.x) sum.add(x);
  out.centre = sum.value() / static_cast<double>(n);
  for (const double x : out.x) squares.add((x - out.centre) * (x - out.centre));
  const double spread = std::sqrt(squares.value() / static_cast<double>(n));
  out.width = spread > 0 ? spread : 1;
  for (double& x : out.x) x = (x - out.centre) / out.width;
  for (const double error : e.error) out.err2.push_back(error * error);
  out.weight = e.weight;
  return out;
}

/// Kinks spread over the data, small random outputs, and the level that a constant variance would have.
std::vector<double> start(std::size_t hidden, double level, std::uint64_t seed) {
  RandomStream rng(seed, Purpose::kSample);
  std::vector<double> p(3 * hidden + 1);
  for (std::size_t h = 0; h < hidden; ++h) {
    const double sign = h % 2 == 0 ? 1 : -1;
    p[h] = sign * (0.5 + rng.uniform());
    p[hidden + h] = rng.normal();
    p[2 * hidden + h] = 0.1 * rng.normal();
  }
  p[3 * hidden] = level;
  return p;
}

detail::AuxObjective part(const Scaled& s, const std::vector<char>& held, bool which, std::size_t hidden,
                          int threads) {
  std::vector<double> x, err2, weight;
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    if ((held[i] != 0) != which) continue;
    x.push_back(s.x[i]);
    err2.push_back(s.err2[i]);
    if (!s.weight.empty()) weight.push_back(s.weight[i]);
  }
  return {std::move(x), std::move(err2), std::move(weight), hidden, threads};
}

Step fit_network(const char* method, const RegressionItems& items, const RegressionFitOptions& o,
                 detail::Spread spread) {
  if (o.hidden < 1 || o.hidden > 1024)
    throw InputError("--hidden must lie between 1 and 1024, not " + std::to_string(o.hidden));
  if (!(o.hold_out >= 0 && o.hold_out < 1))
    throw InputError("--hold-out must lie in [0, 1), not " + show(o.hold_out));
  const auto hidden = static_cast<std::size_t>(o.hidden);
  const detail::Entries entries = detail::collect_entries(items, o, spread);
  const Scaled s = scale(entries);
  const auto units = regression_units(items);
  std::vector<char> held(s.x.size());
  for (std::size_t i = 0; i < held.size(); ++i)
    held[i] = random_uniform(o.seed, Purpose::kSplit, 0, units[entries.item[i]]) < o.hold_out ? 1 : 0;
  const detail::AuxObjective train = part(s, held, false, hidden, o.threads),
                             test = part(s, held, true, hidden, o.threads);
  if (train.size() == 0) throw InputError("nothing is left to fit on after the hold-out; lower --hold-out");

  double mean_err2 = 0;
  for (const double e : s.err2) mean_err2 += e / static_cast<double>(s.err2.size());
  if (!(mean_err2 > 0)) throw InputError("all errors are 0: the best variance is 0, which is no prediction");
  std::vector<double> x = start(hidden, log_portable(mean_err2), o.seed), best = x;
  double best_test = test.size() > 0 ? test.value(x) : 0;
  int since = 0;
  bool stopped = false;
  const auto stop = [&](std::span<const double> now) {
    if (test.size() == 0) return false;
    const double value = test.value(now);
    if (value < best_test) {
      best_test = value;
      best.assign(now.begin(), now.end());
      since = 0;
    } else {
      ++since;
    }
    return stopped = since >= kPatience;
  };
  const auto r =
      detail::lbfgs([&](std::span<const double> p, std::span<double> g) { return train.value(p, g); }, x,
                    kGradientAim, kMostIterations, stop);
  if (test.size() == 0) best = x;
  Step step;
  step.method = method;
  step.put("centre", s.centre);
  step.put("width", s.width);
  const auto [low, high] = std::minmax_element(s.x.begin(), s.x.end());
  step.put("low", *low);
  step.put("high", *high);
  const auto h = static_cast<std::ptrdiff_t>(hidden);
  step.put("weight", std::vector<double>(best.begin(), best.begin() + h));
  step.put("bias", std::vector<double>(best.begin() + h, best.begin() + 2 * h));
  step.put("out_weight", std::vector<double>(best.begin() + 2 * h, best.begin() + 3 * h));
  step.put("out_bias", best.back());
  step.fit.objective = train.value(best) + kHalfLog2Pi;
  step.fit.gradient_norm = r.gradient_norm;
  step.fit.iterations = r.iterations;
  step.fit.converged = r.gradient_norm <= kGradientPromise;
  step.fit.options = {{"hidden", std::int64_t{o.hidden}},
                      {"hold_out", o.hold_out},
                      {"seed", static_cast<std::int64_t>(o.seed)},
                      {"stopped_early", stopped}};
  if (test.size() > 0) step.fit.options.emplace_back("hold_out_objective", best_test + kHalfLog2Pi);
  detail::note_counts(items, step.fit);
  if (stopped) {
    step.fit.warnings.push_back("stopped early, where the held-out part was fitted best, as it should");
  } else if (!step.fit.converged)
    step.fit.warnings.push_back("the network did not reach a gradient of 1e-6; its kinks can hold it back");
  if (s.x.size() < 20 * hidden)
    step.fit.warnings.push_back("a network with " + std::to_string(3 * hidden + 1) +
                                " parameters was fitted on " + std::to_string(s.x.size()) +
                                " predictions and may have learnt their noise; compare sigma");
  return step;
}

}  // namespace

Step fit_aux(const RegressionItems& items, const RegressionFitOptions& o) {
  return fit_network("aux", items, o, detail::Spread::total);
}

Step fit_aux_aleatoric(const RegressionItems& items, const RegressionFitOptions& o) {
  return fit_network("aux-aleatoric", items, o, detail::Spread::aleatoric);
}

}  // namespace plumb
