#include "plumb/model/fit_scores.hpp"

#include "plumb/calibrate/alpha.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/calibrate/regression/apply_model.hpp"
#include "plumb/calibrate/scores.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/regression/evaluate.hpp"

namespace plumb {
namespace {

using Keys = std::vector<std::string>;

/// The items behind the new step. alpha leaves the probabilities and gives a concentration.
Items after_fit(const FittedModel& fitted, const FitOptions& options) {
  const Items& items = fitted.items;
  const Step& last = fitted.model.steps.back();
  if (last.method != "alpha") return calibrated(items, model_of(last, fitted.model.classes), options.threads);
  Items after = items;
  std::vector<double> alpha_0(items.size());
  alpha_concentration(last, options.features, 0, items.size(), alpha_0);
  after.concentration = {Rows(array_of(std::move(alpha_0), {items.size()}, "alpha_0"))};
  return after;
}

std::optional<double> value_of(const Result& result, const std::string& key) {
  for (const auto& [name, metric] : result.metrics)
    if (name == key) return metric.value;
  return std::nullopt;
}

std::vector<BeforeAfter> compared(const Keys& keys, const FitResults& results) {
  std::vector<BeforeAfter> out;
  for (const std::string& key : keys)
    out.push_back({key, value_of(results.before, key), value_of(results.after, key)});
  return out;
}

FitResults evaluated(const FittedModel& fitted, const FitOptions& options, EvaluateOptions e) {
  e.clip = kScoreClip;
  e.threads = options.threads;
  return {evaluate(fitted.items, e), evaluate(after_fit(fitted, options), e)};
}

FitResults evaluated(const CalibrationModel& model, const RegressionItems& items,
                     const RegressionFitOptions& options, const Keys& keys) {
  RegressionOptions e;
  e.threads = options.threads;
  e.clip = options.clip;
  if (!keys.empty()) e.metrics = keys;
  return {evaluate_regression(items, e), evaluate_regression(calibrated(items, model), e)};
}

Tree league_section(const std::vector<LeagueRow>& league) {
  Tree::List out;
  for (const LeagueRow& row : league) {
    const bool fitted = row.why.empty();
    const std::string outcome = row.chosen ? "chosen" : row.why;
    Tree::Members m;
    m.emplace_back("method", Value(row.method));
    m.emplace_back("nll", fitted ? Value(row.nll) : Value{});
    m.emplace_back("se", fitted ? Value(row.se) : Value{});
    m.emplace_back("gain", fitted ? Value(row.gain) : Value{});
    m.emplace_back("gain_se", fitted ? Value(row.gain_se) : Value{});
    m.emplace_back("outcome", Value(outcome));
    out.emplace_back(std::move(m));
  }
  return out;
}

}  // namespace

std::vector<BeforeAfter> fit_scores(const FittedModel& fitted, const FitOptions& options) {
  EvaluateOptions e;
  e.metrics = fitted.model.steps.back().method == "alpha" ? Keys{"disagreement_loss", "disagreement_ce"}
                                                          : Keys{"nll", "ece"};
  e.consensus = false;
  return compared(e.metrics, evaluated(fitted, options, e));
}

FitResults fit_results(const FittedModel& fitted, const FitOptions& options, int sample_items) {
  EvaluateOptions e;
  e.seed = options.seed;
  e.sample_items = sample_items;
  FitResults out = evaluated(fitted, options, e);
  if (!fitted.league.empty()) out.after.sections.emplace_back("league", league_section(fitted.league));
  return out;
}

bool has_fit_scores(const CalibrationModel& model, const RegressionItems& items) {
  return find_regression_calibrator(model.steps.front().method)->variances && items.passes() == 1;
}

std::vector<BeforeAfter> fit_scores(const CalibrationModel& model, const RegressionItems& items,
                                    const RegressionFitOptions& options) {
  if (!has_fit_scores(model, items)) return {};
  const Keys keys{"nll", "zms", "uce", "coverage_90"};
  return compared(keys, evaluated(model, items, options, keys));
}

FitResults fit_results(const CalibrationModel& model, const RegressionItems& items,
                       const RegressionFitOptions& options) {
  return evaluated(model, items, options, {});
}

}  // namespace plumb
