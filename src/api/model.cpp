#include "plumb/api/model.hpp"

#include <algorithm>

#include "plumb/calibrate/alpha.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/calibrate/onnx.hpp"
#include "plumb/calibrate/regression/map.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"

namespace plumb {
namespace {

void check_task(const CalibrationModel& model, bool regression) {
  if ((model.task == "regression") == regression) return;
  throw InputError(regression
                       ? "the model calibrates class probabilities, but the items are those of a regression"
                       : "the model calibrates variances, but the items have class predictions");
}

/// Calls use(block, variance map) block by block.
template <class Use>
void over_blocks(const CalibrationModel& model, const RegressionItems& items, const Use& use) {
  check_task(model, true);
  check_regression(items, false);
  const Step& step = model.steps.front();
  const auto map = make_variance_map(step, items.outputs());
  if (map->needs_parts() && !items.has_parts())
    throw InputError("the model was fitted on the parts of the variance; give ⟦aleatoric⟧ and ⟦epistemic⟧");
  double clip = 0;
  for (const auto& [key, value] : step.fit.options)
    if (const double* x = std::get_if<double>(&value); key == "clip" && x != nullptr) clip = *x;
  RegressionBlock block;
  for (std::int64_t begin = 0; begin < items.size(); begin += block_rows(items)) {
    read_regression(items, begin, std::min(items.size(), begin + block_rows(items)), block);
    for (std::vector<double>* column : {&block.variance, &block.aleatoric})
      for (double& v : *column) v = std::max(v, clip);
    use(block, *map);
  }
}

/// From output by output to item by item.
void append(const RegressionBlock& block, std::span<const double> column, std::vector<double>& rows) {
  for (std::int64_t i = 0; i < block.size; ++i)
    for (std::int64_t j = 0; j < block.outputs; ++j) rows.push_back(column[j * block.size + i]);
}

}  // namespace

Items Model::apply(const Items& items, const Rows& features) const {
  check_task(parts_, false);
  Items out = calibrated(items, parts_, 0);
  if (const Step& last = parts_.steps.back(); last.method == "alpha") {
    std::vector<double> alpha(items.size());
    alpha_concentration(last, features, 0, items.size(), alpha);
    out.concentration = {Rows(array_of(std::move(alpha), {items.size()}, "alpha_0"))};
  }
  return out;
}

RegressionItems Model::apply(const RegressionItems& items) const {
  std::vector<double> column, variance;
  over_blocks(parts_, items, [&](const RegressionBlock& block, const VarianceMap& map) {
    if (!map.has_variance())
      throw InputError("the model holds conformal intervals, which have no variance; ask for its intervals");
    column.resize(block.variance.size());
    map.variance(block, column);
    append(block, column, variance);
  });
  if (items.passes() > 1) throw InputError("passes are calibrated through their total");
  RegressionItems out = items;
  out.aleatoric.clear();
  out.epistemic = Rows();
  out.total = Rows(array_of(std::move(variance), {items.size(), items.outputs()}, "calibrated variance"));
  out.total_is_std = false;
  return out;
}

Intervals Model::intervals(const RegressionItems& items, double level) const {
  check_level(level);
  if (items.mean.empty())
    throw InputError("the bounds of intervals lie around the mean; give it with ⟦mean⟧");
  Intervals out;
  std::vector<double> low, high;
  over_blocks(parts_, items, [&](const RegressionBlock& block, const VarianceMap& map) {
    low.resize(block.mean.size());
    high.resize(block.mean.size());
    map.offsets(block, level, low, high);
    for (std::size_t k = 0; k < block.mean.size(); ++k) {
      low[k] += block.mean[k];
      high[k] += block.mean[k];
    }
    append(block, low, out.low);
    append(block, high, out.high);
  });
  return out;
}

void Model::save(const std::string& path) const { write_file(path, to_bytes()); }
std::string Model::to_bytes() const { return model_text(parts_); }
Model Model::from_bytes(std::string_view bytes) { return Model(parse_model(bytes, "the model")); }
std::string Model::to_onnx() const { return onnx_text(parts_); }

Model fit(std::string_view method, const Items& items, const FitOptions& options) {
  CalibrationModel model;
  model.task = items.binary() ? "binary" : "multiclass";
  model.classes = items.classes();
  model.class_names = items.class_names;
  model.input = items.predictions.scale() == Scale::logit && items.predictions.samples() == 1
                    ? "logits"
                    : "probabilities";
  model.version = version();
  model.steps = fit_calibrator(method, items, options);
  return Model(std::move(model));
}

Model fit_after(const Model& first, std::string_view method, const Items& items, const FitOptions& options) {
  CalibrationModel model = first.parts();
  for (Step& step : fit_calibrator(method, calibrated(items, model, options.threads), options))
    model.steps.push_back(std::move(step));
  return Model(std::move(model));
}

Model fit(std::string_view method, const RegressionItems& items, const RegressionFitOptions& options) {
  CalibrationModel model;
  model.task = "regression";
  model.input = items.has_parts() ? "parts" : "variance";
  model.version = version();
  model.steps.push_back(fit_regression_calibrator(method, items, options));
  model.steps.back().fit.options.emplace_back("clip", options.clip);
  model.classes = options.per_output ? items.outputs() : 0;
  return Model(std::move(model));
}

Model load(const std::string& path) { return Model(load_model(path)); }

}  // namespace plumb
