#include "plumb/calibrate/regression/apply_model.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "plumb/calibrate/regression/map.hpp"
#include "plumb/data/check.hpp"

namespace plumb {
namespace {

double clip_of(const Step& step) {
  for (const auto& [key, value] : step.fit.options)
    if (const double* x = std::get_if<double>(&value); key == "clip" && x != nullptr) return *x;
  return 0;
}

/// Blocks of the items, with variances below `clip` raised to it.
template <class Body>
void each_block(const RegressionItems& items, double clip, Body body) {
  RegressionBlock block;
  const std::int64_t n = items.size(), step = block_rows(items);
  for (std::int64_t begin = 0; begin < n; begin += step) {
    read_regression(items, begin, std::min(n, begin + step), block);
    for (std::vector<double>* column : {&block.variance, &block.aleatoric})
      for (double& v : *column) v = std::max(v, clip);
    body(block);
  }
}

// Columns lie output by output; people and files have them item by item.
void to_rows(std::span<const double> columns, std::int64_t rows, std::span<double> out) {
  const std::int64_t width = std::ssize(columns) / rows;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < width; ++j) out[i * width + j] = columns[j * rows + i];
}

/// The map of the model's step, with the model's name in what is wrong with it.
std::unique_ptr<VarianceMap> map_of(const CalibrationModel& model, int outputs) {
  try {
    return make_variance_map(model.steps.front(), outputs);
  } catch (const InputError& e) {
    throw InputError(model.name.empty() ? e.sentence() : model.name + ": " + e.sentence());
  }
}

/// Parameters are finite, but those of 1e308 make infinities.
void check_finite(std::span<const double> values, const CalibrationModel& model, const char* what) {
  for (const double v : values)
    if (!std::isfinite(v))
      throw InputError((model.name.empty() ? "the model" : model.name) +
                       " is not a usable calibrator: it gives " + what + " of " + show(v) +
                       "; fit it again with plumb calibrate fit");
}

class Bounds {
 public:
  std::span<const double> compute(const RegressionBlock& block, const VarianceMap& map,
                                  std::span<const double> levels) {
    const std::int64_t rows = block.size, width = block.outputs, each = 2 * std::ssize(levels);
    low_.resize(rows * width);
    high_.resize(rows * width);
    bounds_.resize(rows * width * each);
    for (std::int64_t l = 0; l < std::ssize(levels); ++l) {
      map.offsets(block, levels[l], low_, high_);
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < width; ++j) {
          double* at = bounds_.data() + (i * width + j) * each + 2 * l;
          at[0] = block.mean[j * rows + i] + low_[j * rows + i];
          at[1] = block.mean[j * rows + i] + high_[j * rows + i];
        }
    }
    return bounds_;
  }

 private:
  std::vector<double> low_, high_, bounds_;
};

RegressionItems with_variances(const RegressionItems& items, const CalibrationModel& model, double clip) {
  if (items.passes() > 1) throw InputError("passes are calibrated through their total variance");
  const std::int64_t n = items.size(), d = items.outputs();
  const auto map = map_of(model, items.outputs());
  std::vector<double> variance(n * d), columns;
  each_block(items, clip, [&](const RegressionBlock& block) {
    columns.resize(block.variance.size());
    map->variance(block, columns);
    check_finite(columns, model, "a variance");
    to_rows(columns, block.size, std::span(variance).subspan(block.begin * d));
  });
  RegressionItems out = items;
  out.aleatoric.clear();
  out.epistemic = Rows();
  out.total = Rows(array_of(std::move(variance), {n, d}, "calibrated variance"));
  out.total_is_std = false;
  return out;
}

}  // namespace

void check_fits(const CalibrationModel& model, const RegressionItems& items) {
  check_regression(items, false);
  if (model.task != "regression" || model.steps.size() != 1)
    throw InputError(model.name + " is a model for " + model.task +
                     ", but the inputs are those of a regression");
  if (map_of(model, items.outputs())->needs_parts() && !items.has_parts())
    throw InputError(model.name +
                     " was fitted on the parts of the variance; give ⟦aleatoric⟧ and ⟦epistemic⟧");
}

void apply_model(const CalibrationModel& model, const RegressionItems& items,
                 const RegressionApplyOptions& options, const VarianceSink& sink) {
  check_fits(model, items);
  if (!options.levels.empty() && items.mean.empty())
    throw InputError("the bounds of intervals lie around the mean; give it with ⟦mean⟧");
  const auto map = map_of(model, items.outputs());
  std::vector<double> columns, variance;
  Bounds bounds;
  each_block(items, clip_of(model.steps.front()), [&](const RegressionBlock& block) {
    CalibratedVariances out{block.begin, block.size, {}, {}};
    if (options.variances) {
      columns.resize(block.size * block.outputs);
      variance.resize(columns.size());
      map->variance(block, columns);
      check_finite(columns, model, "a variance");
      to_rows(columns, block.size, variance);
      out.variance = variance;
    }
    if (!options.levels.empty()) {
      out.bounds = bounds.compute(block, *map, options.levels);
      check_finite(out.bounds, model, "an interval with a bound");
    }
    sink(out);
  });
}

RegressionItems apply_model(const CalibrationModel& model, const RegressionItems& items) {
  check_fits(model, items);
  return with_variances(items, model, clip_of(model.steps.front()));
}

RegressionItems calibrated(const RegressionItems& items, const CalibrationModel& model) {
  check_fits(model, items);
  return with_variances(items, model, 0);
}

}  // namespace plumb
