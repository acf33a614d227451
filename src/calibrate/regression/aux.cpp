// `aux`: a small network from log variance to log variance, by L-BFGS with early stopping on a hold-out.
#include <algorithm>
#include <cmath>

#include "calibrate/regression/aux_network.hpp"
#include "calibrate/regression/entries.hpp"
#include "calibrate/regression/lbfgs.hpp"
#include "calibrate/regression/rows.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb::detail {
namespace {

constexpr double kHalfLog2Pi = 0.9189385332046727;
constexpr std::int64_t kMostIterations = 1000;
constexpr int kPatience = 50;
constexpr double kGradientAim = 1e-7, kGradientPromise = 1e-6;

struct Scaled {
  std::vector<double> x, err2, weight;
  double centre = 0, width = 1;
};

Scaled scale(const Entries& e) {
  Scaled out;
  const std::size_t n = e.error.size();
  out.x.resize(n);
  log_block(e.variance, out.x);
  ExactSum sum, squares;
  for (const double x : out.x) sum.add(x);
  out.centre = sum.value() / n;
  for (const double x : out.x) squares.add((x - out.centre) * (x - out.centre));
  const double spread = std::sqrt(squares.value() / n);
  out.width = spread > 0 ? spread : 1;
  for (double& x : out.x) x = (x - out.centre) / out.width;
  for (const double error : e.error) out.err2.push_back(error * error);
  out.weight = e.weight;
  return out;
}

/// Start: kinks spread over the data, small random outputs, and the level of a constant variance.
std::vector<double> start(std::int64_t hidden, double level, std::uint64_t seed) {
  RandomStream rng(seed, Purpose::sample);
  std::vector<double> p(3 * hidden + 1);
  for (std::int64_t h = 0; h < hidden; ++h) {
    const double sign = h % 2 == 0 ? 1 : -1;
    p[h] = sign * (0.5 + rng.uniform());
    p[hidden + h] = rng.normal();
    p[2 * hidden + h] = 0.1 * rng.normal();
  }
  p[3 * hidden] = level;
  return p;
}

AuxObjective part(const Scaled& s, const std::vector<char>& held, bool which, std::int64_t hidden,
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

template <Spread spread>
Step fit_network(const RegressionItems& items, const RegressionFitOptions& o) {
  const std::int64_t hidden = o.hidden.value_or(kAuxHidden);
  const double hold_out = o.hold_out.value_or(kAuxHoldOut);
  if (hidden < 1 || hidden > 1024)
    throw InputError("⟦hidden⟧ must be between 1 and 1024, not " + std::to_string(hidden));
  if (!(hold_out >= 0 && hold_out < 1))
    throw InputError("⟦hold_out⟧ must lie in [0, 1), not " + show(hold_out));
  const Entries entries = collect_entries(items, o, spread);
  const Scaled s = scale(entries);
  const auto units = regression_units(items);
  std::vector<char> held(s.x.size());
  for (std::size_t i = 0; i < held.size(); ++i)
    held[i] = random_uniform(o.seed, Purpose::split, 0, units[entries.item[i]]) < hold_out ? 1 : 0;
  const AuxObjective train = part(s, held, false, hidden, o.threads),
                     test = part(s, held, true, hidden, o.threads);
  if (train.size() == 0) throw InputError("nothing is left to fit on after the hold-out; lower ⟦hold_out⟧");

  double mean_err2 = 0;
  for (const double e : s.err2) mean_err2 += e / s.err2.size();
  if (!(mean_err2 > 0))
    throw InputError("all errors are 0, so the best variance is 0, which is not a usable prediction");
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
  const auto r = lbfgs([&](std::span<const double> p, std::span<double> g) { return train.value(p, g); }, x,
                       kGradientAim, kMostIterations, stop);
  if (test.size() == 0) best = x;
  Step step{spread == Spread::total ? "aux" : "aux-aleatoric"};
  step.add_parameter("centre", s.centre);
  step.add_parameter("width", s.width);
  const auto [low, high] = std::minmax_element(s.x.begin(), s.x.end());
  step.add_parameter("low", *low);
  step.add_parameter("high", *high);
  step.add_parameter("weight", std::vector<double>(best.begin(), best.begin() + hidden));
  step.add_parameter("bias", std::vector<double>(best.begin() + hidden, best.begin() + 2 * hidden));
  step.add_parameter("out_weight", std::vector<double>(best.begin() + 2 * hidden, best.begin() + 3 * hidden));
  step.add_parameter("out_bias", best.back());
  step.fit.objective = train.value(best) + kHalfLog2Pi;
  step.fit.gradient_norm = r.gradient_norm;
  step.fit.iterations = r.iterations;
  step.fit.converged = r.gradient_norm <= kGradientPromise;
  step.fit.options = {
      {"hidden", hidden}, {"hold_out", hold_out}, {"seed", o.seed}, {"stopped_early", stopped}};
  if (test.size() > 0) step.fit.options.emplace_back("hold_out_objective", best_test + kHalfLog2Pi);
  note_counts(items, step.fit);
  if (stopped) {
    step.fit.warnings.push_back("stopped early at the best held-out fit, as intended");
  } else if (!step.fit.converged)
    step.fit.warnings.push_back("the network did not reach a gradient of 1e-6, which its kinks can prevent");
  if (std::ssize(s.x) < 20 * hidden)
    step.fit.warnings.push_back("a network with " + std::to_string(3 * hidden + 1) +
                                " parameters was fitted on " + std::to_string(s.x.size()) +
                                " predictions and may be overfitted; compare sigma");
  return step;
}

class AuxMap : public VarianceMap {
 public:
  AuxMap(AuxNetwork net, bool aleatoric) : net_(std::move(net)), aleatoric_(aleatoric) {}
  bool needs_parts() const override { return aleatoric_; }
  void variance(const RegressionBlock& b, std::span<double> out) const override {
    const std::vector<double>& v = aleatoric_ ? b.aleatoric : b.variance;
    // A variance of 0 has no logarithm; the network sees the smallest positive number instead.
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = std::max(v[k], 1e-300);
    log_block(out, out);
    for (double& x : out) x = (x - net_.centre) / net_.width;
    net_.predict(out, out);
    exp_block(out, out);
  }

 private:
  AuxNetwork net_;
  bool aleatoric_;
};

VarianceMapPtr map_aux(const Step& step, int /*outputs*/) {
  AuxNetwork net;
  net.centre = scalar_parameter(step, "centre");
  net.width = scalar_parameter(step, "width");
  if (!(net.width > 0)) refuse_step(step, "has a width that is not positive");
  net.low = scalar_parameter(step, "low");
  net.high = scalar_parameter(step, "high");
  if (!(net.low <= net.high)) refuse_step(step, "has a range that is empty");
  const auto weight = vector_parameter(step, "weight");
  net.hidden = weight.size();
  const std::vector<std::int64_t> shape{std::ssize(weight)};
  net.parameters = copied(weight);
  for (const char* name : {"bias", "out_weight"}) {
    const auto part = parameter(step, name, shape);
    net.parameters.insert(net.parameters.end(), part.begin(), part.end());
  }
  net.parameters.push_back(scalar_parameter(step, "out_bias"));
  return std::make_unique<AuxMap>(std::move(net), step.method == "aux-aleatoric");
}

}  // namespace

constinit const RegressionCalibratorRow kAux{"aux",
                                             kOnTotal,
                                             {"hidden", "hold_out"},
                                             fit_network<Spread::total>,
                                             map_aux,
                                             "log variance through a 1-16-1 ReLU network"};

constinit const RegressionCalibratorRow kAuxAleatoric{"aux-aleatoric",
                                                      kOnParts,
                                                      {"hidden", "hold_out"},
                                                      fit_network<Spread::aleatoric>,
                                                      map_aux,
                                                      "the same on the aleatoric part alone"};

}  // namespace plumb::detail
