#include <fmt/format.h>

#include <cmath>

#include "calibrate/regression/rows.hpp"
#include "plumb/calibrate/regression/apply_model.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/regression/evaluate.hpp"

namespace plumb::detail {
namespace {

constexpr int kFolds = 5;
constexpr double kManyTimes = 10;  // an error so many times as large is worse, whatever its spread
const std::vector<std::string> kJudges{"nll", "uce"};

struct FoldRows {
  std::vector<std::int64_t> in, out;
};

// By unit: groups stay together.
std::vector<FoldRows> fold_rows(const RegressionItems& items, std::uint64_t seed) {
  const std::vector<std::uint64_t> units = regression_units(items);
  std::vector<FoldRows> folds(kFolds);
  for (std::int64_t i = 0; i < std::ssize(units); ++i) {
    const auto at = static_cast<int>(kFolds * random_uniform(seed, Purpose::split, 1, units[i]));
    for (int f = 0; f < kFolds; ++f) (f == at ? folds[f].in : folds[f].out).push_back(i);
  }
  return folds;
}

// One criterion by fold, before and after.
struct Judged {
  std::vector<double> before, after;
  [[nodiscard]] static double mean(const std::vector<double>& x) {
    double sum = 0;
    for (const double v : x) sum += v;
    return sum / static_cast<double>(x.size());
  }
  /// After is above before by more than a standard error over the folds, whose fits share most of their data
  /// (Nadeau and Bengio 2003: variance times 1 + k n_test/n_train). The error uce is noisy in small folds and
  /// needs two; one that a few wild variances have made ten times as large is worse whatever its spread.
  [[nodiscard]] bool worse(bool error) const {
    const auto n = static_cast<double>(before.size());
    if (n < 2) return false;
    const double by = mean(after) - mean(before);
    if (error && by > (kManyTimes - 1) * mean(before)) return true;
    double squares = 0;
    for (std::size_t f = 0; f < before.size(); ++f) squares += std::pow(after[f] - before[f] - by, 2);
    return by > (error ? 2 : 1) * std::sqrt(squares / (n - 1) / n * (1 + n / (n - 1)));
  }
};

CalibrationModel model_of_step(Step step, const RegressionItems& items, const RegressionFitOptions& options) {
  CalibrationModel out;
  out.task = "regression";
  out.classes = options.per_output ? items.outputs() : 0;
  out.steps.push_back(std::move(step));
  return out;
}

// A few variances that are far too large raise uce many times over, which folds need not show: their fits may
// lack the item that causes it. On its own data a fit looks its best, so chance is no reason.
std::string worse_on_own_data(const RegressionItems& items, const Step& step,
                              const RegressionFitOptions& options, const RegressionOptions& e) try {
  const auto before = evaluate_regression(items, e)["uce"].value,
             after =
                 evaluate_regression(calibrated(items, model_of_step(step, items, options)), e)["uce"].value;
  if (!before || !after || *after <= kManyTimes * *before) return "";
  return fmt::format(
      "Even on the data it was fitted on it is worse than no calibration: uce {:.4g} against {:.4g}", *after,
      *before);
} catch (const InputError&) {  // of the folds' comparison, which says so
  return "";
}

// Why there is nothing to compare, or empty.
std::string why_not_compared(const RegressionCalibratorRow& row, const RegressionItems& items) {
  // Networks and ranks take hundreds of passes, factors a few.
  const bool slow = row.method.starts_with("aux");
  const double most = slow ? 2e4 : 1e6;
  if (!row.variances) return "it gives intervals, not variances";
  if (items.passes() > 1) return "stochastic passes are calibrated through their total variance";
  if (static_cast<double>(items.size()) * items.outputs() > most)
    return "the data set is too large to fit five more times";
  if (items.size() < 10 * kFolds) return fmt::format("fewer than {} items", 10 * kFolds);
  return "";
}

}  // namespace

void check_held_out(const RegressionCalibratorRow& row, const RegressionItems& items,
                    const RegressionFitOptions& options, Step& step) {
  const std::string skipped = "Not compared with the plain variances on held-out folds: ",
                    advice = ". Compare ⟦method⟧ sigma, or leave the variances as they are.";
  RegressionOptions e;
  e.threads = options.threads;
  e.clip = options.clip;
  e.metrics = kJudges;
  if (row.variances && items.passes() == 1)
    if (const std::string worse = worse_on_own_data(items, step, options, e); !worse.empty())
      step.fit.warnings.push_back(worse + advice);
  if (const std::string why = why_not_compared(row, items); !why.empty()) {
    step.fit.warnings.push_back(skipped + why + ".");
    return;
  }
  std::vector<Judged> judged(kJudges.size());
  try {
    for (const FoldRows& fold : fold_rows(items, options.seed)) {
      if (fold.in.empty() || fold.out.empty()) continue;
      const CalibrationModel model = model_of_step(row.fit(items.gather(fold.out), options), items, options);
      const RegressionItems held = items.gather(fold.in);
      const Result before = evaluate_regression(held, e),
                   after = evaluate_regression(calibrated(held, model), e);
      for (std::size_t j = 0; j < kJudges.size(); ++j) {
        const auto &b = before[kJudges[j]].value, &a = after[kJudges[j]].value;
        if (!b || !a) continue;
        judged[j].before.push_back(*b);
        judged[j].after.push_back(*a);
      }
    }
  } catch (const InputError& error) {
    step.fit.warnings.push_back(skipped + error.sentence() + ".");
    return;
  }
  std::string worse;
  for (std::size_t j = 0; j < kJudges.size(); ++j)
    if (judged[j].worse(kJudges[j] == "uce"))
      worse += fmt::format("{}{} {:.4g} against {:.4g}", worse.empty() ? "" : ", ", kJudges[j],
                           Judged::mean(judged[j].after), Judged::mean(judged[j].before));
  if (!worse.empty())
    step.fit.warnings.push_back("On held-out folds it is worse than no calibration: " + worse + advice);
}

}  // namespace plumb::detail
