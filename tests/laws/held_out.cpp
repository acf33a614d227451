// The warning of a fit that is worse than none on held-out folds: it must not warn against a calibrator that
// helps, nor miss one that harms. Many fresh items decide which is the case.
#include <cmath>
#include <numeric>

#include "laws/laws.hpp"
#include "laws/simulated.hpp"
#include "plumb/calibrate/fit_model.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/calibrate/regression/apply_model.hpp"
#include "plumb/calibrate/regression/fit.hpp"
#include "plumb/regression/evaluate.hpp"

namespace plumb::laws {
namespace {

bool warned(const CalibrationModel& model) {
  for (const std::string& w : model.steps.back().fit.warnings)
    if (w.find("worse than no calibration") != std::string::npos) return true;
  return false;
}

/// Mean log-loss under the true chances.
double loss(const CalibrationModel* model, const Drawn& d, const Items& items) {
  PredictionBlock z;
  if (model != nullptr)
    Pipeline(*model).apply(items.predictions, 0, items.size(), z);
  else
    items.predictions.read(0, items.size(), z);
  double sum = 0;
  const int k = d.votes.classes;
  for (std::int64_t i = 0; i < items.size(); ++i)
    for (int c = 0; c < k; ++c) {
      const double q = k == 2 ? (c == 1 ? d.chance[i] : 1 - d.chance[i]) : d.chance[i * k + c];
      const double p = k == 2 ? (c == 1 ? z.z[i] : 1 - z.z[i]) : z.z[i * k + c];
      if (q > 0) sum -= q * std::log(std::max(p, 1e-12));
    }
  return sum / static_cast<double>(items.size());
}

struct Outcome {
  double gain;  ///< on fresh items
  bool warned;
};

struct Useful {
  std::string method;
  Setting setting;
  std::optional<std::int64_t> bins = {};
};

void classes(Book& book) {
  const auto run = [&](const Useful& u, int sets) {
    return simulate_sets(sets, book.seed() + 3, [&](std::uint64_t seed) {
      Setting fresh = u.setting;
      fresh.n = 4000;
      const Drawn d = draw(fresh, seed + 1'000'000'007);
      const Items test = items_of(d);
      FitOptions fit;
      fit.threads = 1;
      fit.bins = u.bins;
      const CalibrationModel m = fit_model(u.method, items_of(draw(u.setting, seed)), fit).model;
      return Outcome{loss(nullptr, d, test) - loss(&m, d, test), warned(m)};
    });
  };
  for (const Useful& u :
       {Useful{"temperature", {.name = "over-confident (slope 0.6), N = 200", .n = 200, .slope = 0.6}},
        Useful{"beta", {.name = "over-confident (slope 0.6), N = 400", .n = 400, .slope = 0.6}},
        Useful{"isotonic", {.name = "over-confident (slope 0.4), N = 1000", .n = 1000, .slope = 0.4}},
        Useful{
            "temperature",
            {.name = "K = 4, over-confident (slope 0.6), N = 200", .n = 200, .classes = 4, .slope = 0.6}}}) {
    std::vector<char> alarms;
    for (const Outcome& o : run(u, book.sets(200, 15)))
      if (o.gain > 0) alarms.push_back(o.warned);
    book.rate("a useful `" + u.method + "` is warned against", u.setting.name, {0, 0.05}, alarms);
  }
  // Harm that is due to one sample is hardly visible in that sample: of `isotonic` (N = 60) and `matrix` (K =
  // 5, N = 80) that lose more than 0.05 about a third are warned against, and of `aux` (n = 60). Systematic
  // losses are detected.
  std::vector<char> found;
  for (const Outcome& o : run({"histogram", {.n = 60}}, book.sets(200, 15)))
    if (o.gain < -0.05) found.push_back(o.warned);
  book.rate("a `histogram` that harms by more than 0.05 is warned against", "calibrated, N = 60", {0.8, 1},
            found);
  found.clear();
  for (const Outcome& o : run({"histogram", {.n = 500, .spread = 4}, 2}, book.sets(200, 15)))
    if (o.gain < -0.05) found.push_back(o.warned);
  book.rate("a `histogram` that harms by more than 0.05 is warned against", "two bins, N = 500", {0.8, 1},
            found);
}

RegressionItems regression(int n, double factor, double spread, std::uint64_t seed) {
  RandomStream rng(seed, Purpose::demo, 13);
  std::vector<double> mean(n), variance, target;
  for (int i = 0; i < n; ++i) {
    const double v = std::exp(spread * rng.normal());
    variance.push_back(v);
    target.push_back(factor * std::sqrt(v) * rng.normal());
  }
  RegressionItems items;
  items.mean.emplace_back(array_of(mean, {n}, "mean.npy"));
  items.targets = Rows(array_of(target, {n}, "y.npy"));
  items.total = Rows(array_of(variance, {n}, "v.npy"));
  return items;
}

/// Right variances, most of which are epistemic.
RegressionItems in_two_parts(int n, std::uint64_t seed) {
  RandomStream rng(seed, Purpose::demo, 14);
  std::vector<double> mean(n), aleatoric, epistemic, target;
  for (int i = 0; i < n; ++i) {
    aleatoric.push_back(0.1 * std::exp(0.7 * rng.normal()));
    epistemic.push_back(std::exp(1.2 * rng.normal()));
    target.push_back(std::sqrt(aleatoric.back() + epistemic.back()) * rng.normal());
  }
  RegressionItems items;
  items.mean.emplace_back(array_of(mean, {n}, "mean.npy"));
  items.targets = Rows(array_of(target, {n}, "y.npy"));
  items.aleatoric.emplace_back(array_of(aleatoric, {n}, "a.npy"));
  items.epistemic = Rows(array_of(epistemic, {n}, "e.npy"));
  return items;
}

double regression_nll(const RegressionItems& items) {
  RegressionOptions o;
  o.metrics = {"nll"};
  o.threads = 1;
  return *evaluate_regression(items, o)["nll"].value;
}

void variances(Book& book) {
  const auto run = [&](const std::string& method, int n, double factor, int sets) {
    return simulate_sets(sets, book.seed() + 5, [&](std::uint64_t seed) {
      RegressionFitOptions fit;
      fit.threads = 1;
      const CalibrationModel m = fit_regression_model(method, regression(n, factor, 0.7, seed), fit);
      const RegressionItems fresh = regression(4000, factor, 0.7, seed + 1'000'000'007);
      return Outcome{regression_nll(fresh) - regression_nll(calibrated(fresh, m)), warned(m)};
    });
  };
  for (const int n : {100, 400}) {
    std::vector<char> alarms;
    for (const Outcome& o : run("sigma", n, 1.5, book.sets(200, 15)))
      if (o.gain > 0) alarms.push_back(o.warned);
    book.rate("a useful `sigma` is warned against", "errors 1.5 times as large, n = " + std::to_string(n),
              {0, 0.05}, alarms);
  }
  // Most of the variance is epistemic, and these methods leave it out.
  for (const auto& [method, n] : {std::pair("sigma-aleatoric", 200), std::pair("aux-aleatoric", 400)}) {
    const auto outcomes = simulate_sets(book.sets(200, 10), book.seed() + 6, [&](std::uint64_t seed) {
      RegressionFitOptions fit;
      fit.threads = 1;
      const CalibrationModel m = fit_regression_model(method, in_two_parts(n, seed), fit);
      const RegressionItems fresh = in_two_parts(4000, seed + 1'000'000'007);
      return Outcome{regression_nll(fresh) - regression_nll(calibrated(fresh, m)), warned(m)};
    });
    std::vector<char> found;
    for (const Outcome& o : outcomes)
      if (o.gain < -0.05) found.push_back(o.warned);
    book.rate(std::string(method[0] == 'a' ? "an `" : "a `") + method +
                  "` that harms by more than 0.05 is warned against",
              "nearly all of the variance is epistemic, n = " + std::to_string(n), {0.8, 1}, found);
  }
}

void warnings(Book& book) {
  classes(book);
  variances(book);
}
const Topic kHeldOut{"held-out warnings", warnings};

}  // namespace
}  // namespace plumb::laws
