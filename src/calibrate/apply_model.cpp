#include "plumb/calibrate/apply_model.hpp"

#include <algorithm>

#include "calibrate/passes.hpp"
#include "plumb/calibrate/alpha.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/data/check.hpp"
#include "plumb/metrics/raters/disagreement.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/progress.hpp"

namespace plumb {
namespace {

constexpr std::int64_t kHeldNumbers = std::int64_t{1} << 21;  // in memory at a time
constexpr std::int64_t kApplyNumbers = 16384;                 // of one call of the pipeline

// Two columns came in, two columns go out.
bool in_pairs(const Predictions& p) { return p.binary() && p.sources().front().width() == 2; }

void copy_rows(const PredictionBlock& block, bool pairs, std::span<double> out) {
  if (!pairs) {
    std::copy(block.z.begin(), block.z.end(), out.begin());
    return;
  }
  for (std::int64_t i = 0; i < std::ssize(block.z); ++i) {
    out[2 * i] = 1 - block.z[i];
    out[2 * i + 1] = block.z[i];
  }
}

void check_features(const CalibrationModel& model, const Predictions& predictions, const Rows& features) {
  if (features.empty()) return;
  const Step& last = model.steps.back();
  if (last.method != "alpha" || alpha_features(last) == 0)
    throw InputError("⟦features⟧: " + model.name + " was fitted without features");
  check_same_rows(predictions.sources().front().name(), predictions.items(), features.name(),
                  features.rows());
}

}  // namespace

std::vector<std::int64_t> calibrated_shape(const Predictions& p) {
  if (in_pairs(p)) return {p.items(), 2};
  return p.binary() ? std::vector<std::int64_t>{p.items()}
                    : std::vector<std::int64_t>{p.items(), p.classes()};
}

void apply_model(const CalibrationModel& model, const Predictions& predictions, const ApplyOptions& options,
                 const CalibratedSink& sink) {
  check_fits(model, predictions);
  check_features(model, predictions, options.features);
  const Pipeline pipeline(model);
  const Step* alpha = model.steps.back().method == "alpha" ? &model.steps.back() : nullptr;
  const bool pairs = in_pairs(predictions);
  const std::int64_t n = predictions.items(), width = predictions.width(), columns = pairs ? 2 : width;
  const std::int64_t most = std::max<std::int64_t>(1, kHeldNumbers / columns);
  const std::int64_t block = std::max<std::int64_t>(1, kApplyNumbers / width);
  std::vector<double> z, concentration, disagreement;
  Progress progress(options.progress, options.cancel);
  progress.expect(n);
  for (std::int64_t first = 0; first < n; first += most) {
    const std::int64_t rows = std::min(most, n - first);
    z.resize(rows * columns);
    concentration.resize(alpha != nullptr ? rows : 0);
    disagreement.resize(options.disagreement ? rows : 0);
    parallel_blocks(rows, block, options.threads, [&](int, std::int64_t begin, std::int64_t end) {
      PredictionBlock p;
      pipeline.apply(predictions, first + begin, first + end, p);
      std::span<double> alpha_0;
      if (alpha != nullptr) {
        alpha_0 = std::span(concentration).subspan(begin, end - begin);
        alpha_concentration(*alpha, options.features, first + begin, first + end, alpha_0);
      }
      if (options.disagreement) {
        DisagreementForecast forecast;
        if (predictions.samples() == 1) {
          forecast_disagreement(p, predictions.classes(), alpha_0, forecast);
        } else {
          PredictionBlock pass;
          for (int s = 0; s < predictions.samples(); ++s) {
            pipeline.apply(detail::one_pass(predictions, s), first + begin, first + end, pass);
            add_sample_forecast(pass, predictions.classes(), alpha_0, s, predictions.samples(), forecast);
          }
        }
        for (std::int64_t i = begin; i < end; ++i)
          disagreement[i] = forecast.p[(i - begin) * forecast.columns];
      }
      copy_rows(p, pairs, std::span(z).subspan(begin * columns));
    });
    sink({first, rows, z, concentration, disagreement});
    progress.add(rows);
  }
}

Items apply_model(const CalibrationModel& model, const Items& items, const ApplyOptions& options) {
  check_fits(model, items.predictions);
  check_features(model, items.predictions, options.features);
  if (!model.class_names.empty() && !items.class_names.empty() && model.class_names != items.class_names) {
    std::string names;
    for (const std::string& name : model.class_names) names += (names.empty() ? "" : ",") + name;
    throw InputError(model.name + " was fitted with other ⟦classes⟧, or in another order (" + names +
                     "); give the predictions in that order");
  }
  Items out = calibrated(items, model, options.threads);
  const Step& last = model.steps.back();
  if (last.method == "alpha" && items.concentration.empty() &&
      (alpha_features(last) == 0 || !options.features.empty())) {
    std::vector<double> alpha_0(items.size());
    alpha_concentration(last, options.features, 0, items.size(), alpha_0);
    out.concentration = {Rows(array_of(std::move(alpha_0), {items.size()}, model.name + " (alpha_0)"))};
  }
  return out;
}

}  // namespace plumb
