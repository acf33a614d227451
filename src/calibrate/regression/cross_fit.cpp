#include "plumb/calibrate/regression/cross_fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "calibrate/regression/rows.hpp"
#include "plumb/calibrate/regression/apply_model.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb {
namespace {

constexpr std::int64_t kMostForNetworks = 20'000;  // items: a network takes hundreds of passes

/// Folds of nearly equal numbers of units, in the order of a random number of each unit.
std::vector<int> folds_of(const RegressionItems& items, std::uint64_t seed, int folds) {
  const std::vector<std::uint64_t> units = regression_units(items);
  std::map<std::pair<double, std::uint64_t>, int> order;
  for (const std::uint64_t u : units)
    order.emplace(std::pair{random_uniform(seed, Purpose::split, 2, u), u}, 0);
  if (std::ssize(order) < folds)
    throw InputError("there are " + counted(std::ssize(order), items.groups.empty() ? "item" : "group") +
                     " for " + counted(folds, "fold") + "; give fewer folds");
  std::int64_t next = 0;
  for (auto& [key, fold] : order) fold = static_cast<int>(next++ * folds / std::ssize(order));
  std::vector<int> out;
  for (const std::uint64_t u : units)
    out.push_back(order.at({random_uniform(seed, Purpose::split, 2, u), u}));
  return out;
}

CalibrationModel model_of(Step step, const RegressionItems& items, const RegressionFitOptions& options) {
  CalibrationModel model;
  model.task = "regression";
  model.input = items.has_parts() ? "parts" : "variance";
  model.version = version();
  model.classes = options.per_output ? items.outputs() : 0;
  model.steps.push_back(std::move(step));
  return model;
}

/// Variances of all items, item by item.
std::vector<double> plain_variances(const RegressionItems& items, double clip) {
  std::vector<double> out(items.size() * items.outputs());
  RegressionBlock block;
  for (std::int64_t begin = 0; begin < items.size(); begin += block_rows(items)) {
    read_regression(items, begin, std::min(items.size(), begin + block_rows(items)), block);
    for (std::int64_t i = 0; i < block.size; ++i)
      for (int j = 0; j < block.outputs; ++j)
        out[(begin + i) * block.outputs + j] = std::max(block.variance[j * block.size + i], clip);
  }
  return out;
}

/// Gaussian log-loss of each item, mean over its outputs; constants left out.
std::vector<double> item_losses(const RegressionItems& items, const std::vector<double>& variance) {
  std::vector<double> out(items.size());
  RegressionBlock block;
  for (std::int64_t begin = 0; begin < items.size(); begin += block_rows(items)) {
    read_regression(items, begin, std::min(items.size(), begin + block_rows(items)), block);
    for (std::int64_t i = 0; i < block.size; ++i)
      for (int j = 0; j < block.outputs; ++j) {
        const double v = variance[(begin + i) * block.outputs + j], e = block.error[j * block.size + i];
        if (!(v > 0)) throw InputError("a variance of 0 has no log-loss; give ⟦clip⟧");
        out[begin + i] += (log_portable(v) + e * e / v) / (2 * block.outputs);
      }
  }
  return out;
}

struct Gain {
  double mean = 0, error = 0;
};
/// Weighted mean of a - b, and its standard error over units.
Gain gain_of(const RegressionItems& items, const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<std::uint64_t> units = regression_units(items);
  std::vector<double> weight(items.size(), 1.0);
  if (!items.weights.empty()) items.weights.read(0, items.size(), weight);
  struct Unit {
    ExactSum gain, weight;
  };
  std::map<std::uint64_t, Unit> by_unit;
  ExactSum sum, mass;
  for (std::int64_t i = 0; i < items.size(); ++i) {
    Unit& u = by_unit[units[i]];
    u.gain.add(weight[i] * (a[i] - b[i]));
    u.weight.add(weight[i]);
    sum.add(weight[i] * (a[i] - b[i]));
    mass.add(weight[i]);
  }
  const double total = mass.value(), mean = sum.value() / total;
  ExactSum squares;
  for (const auto& [unit, u] : by_unit) {
    const double residual = u.gain.value() - mean * u.weight.value();
    squares.add(residual * residual);
  }
  const auto n = static_cast<double>(by_unit.size());
  return {mean, std::sqrt(squares.value() * n / (n - 1)) / total};
}

}  // namespace

std::vector<double> cross_fit_variances(std::string_view method, const RegressionItems& items,
                                        const RegressionFitOptions& options, int folds) {
  check_fit_options(method, options);
  check_regression(items);
  if (!find_regression_calibrator(method)->variances)
    throw InputError("⟦cross_fit⟧ writes variances, and " + std::string(method) +
                     " gives intervals alone; split the data yourself");
  if (items.passes() > 1)
    throw InputError("⟦cross_fit⟧ needs one mean and one variance for each item, not stochastic passes");
  if (folds < 2) throw InputError("⟦cross_fit⟧ must be at least 2, not " + std::to_string(folds));
  const std::vector<int> fold = folds_of(items, options.seed, folds);
  const std::int64_t d = items.outputs();
  std::vector<double> out(items.size() * d), held(0);
  for (int f = 0; f < folds; ++f) {
    std::vector<std::int64_t> in, others;
    for (std::int64_t i = 0; i < items.size(); ++i) (fold[i] == f ? in : others).push_back(i);
    const CalibrationModel model =
        model_of(fit_regression_calibrator(method, items.gather(others), options), items, options);
    RegressionItems part = items.gather(in);
    const RegressionItems after = calibrated(part, model);
    held.resize(in.size() * d);
    after.total.read(0, std::ssize(in), held);
    for (std::size_t i = 0; i < in.size(); ++i) std::copy_n(held.begin() + i * d, d, out.begin() + in[i] * d);
  }
  return out;
}

VarianceChoice choose_variance_method(const RegressionItems& items, const RegressionFitOptions& options,
                                      int folds) {
  check_regression(items);
  std::vector<std::string_view> methods{"sigma"};
  if (items.has_parts()) methods.emplace_back("sigma-parts");
  methods.emplace_back("isotonic-quantile");
  if (items.size() * items.outputs() <= kMostForNetworks) methods.emplace_back("aux");
  const std::vector<double> none = item_losses(items, plain_variances(items, options.clip));
  std::vector<double> best = none;
  VarianceChoice out{"none", {}};
  for (const std::string_view method : methods) {
    VarianceCandidate c{std::string(method), {}, {}};
    try {
      std::vector<double> own = item_losses(items, cross_fit_variances(method, items, options, folds));
      const Gain all = gain_of(items, none, own), more = gain_of(items, best, own);
      c.gain = all.mean;
      c.error = all.error;
      if (more.mean > more.error) {
        out.method = method;
        best = std::move(own);
      }
    } catch (const InputError& e) {
      c.why = e.sentence();
    }
    out.league.push_back(std::move(c));
  }
  return out;
}

CalibrationModel fit_regression_auto(const RegressionItems& items, const RegressionFitOptions& options,
                                     int folds) {
  if (options.per_output || options.hidden || options.hold_out || options.score || !options.levels.empty())
    throw InputError("⟦method⟧ auto takes no options of single methods; name the method to give them");
  const VarianceChoice choice = choose_variance_method(items, options, folds);
  CalibrationModel model;
  if (choice.method == "none") {
    Step step{"sigma"};
    step.add_parameter("s", 1.0);
    step.fit.items = items.size();
    step.fit.votes = items.size() * items.outputs();
    step.fit.warnings.emplace_back(
        "No method gained more than a standard error on held-out folds, so the variances are left as they are.");
    model = model_of(std::move(step), items, options);
    model.steps.front().fit.options.emplace_back("clip", options.clip);
  } else {
    model = fit_regression_model(choice.method, items, options);
  }
  Step& step = model.steps.front();
  step.fit.options.emplace_back("chosen_by", "auto, " + std::to_string(folds) + " folds");
  std::vector<std::string> league;
  for (const VarianceCandidate& c : choice.league)
    league.push_back(c.method + (c.gain
                                     ? " gains " + show(*c.gain) + " (standard error " + show(*c.error) + ")"
                                     : " was not fitted: " + c.why));
  step.fit.options.emplace_back("league", std::move(league));
  return model;
}

}  // namespace plumb
