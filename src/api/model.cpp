#include "plumb/api/model.hpp"

#include "plumb/calibrate/fit_model.hpp"
#include "plumb/calibrate/onnx.hpp"
#include "plumb/calibrate/regression/apply_model.hpp"
#include "plumb/calibrate/regression/map.hpp"
#include "plumb/data/check.hpp"
#include "plumb/model/model_file.hpp"

namespace plumb {

Items Model::apply(const Items& items, const ApplyOptions& options) const {
  Items out = apply_model(parts_, items, options);
  if (parts_.steps.back().method == "alpha" && out.concentration.empty())
    throw InputError("the alpha step was fitted with features; give those of the items with ⟦features⟧");
  return out;
}

std::vector<double> Model::variances(const RegressionItems& items) const {
  check_fits(parts_, items);
  if (!make_variance_map(parts_.steps.front(), items.outputs())->has_variance())
    throw InputError("this is a conformal model, which gives intervals and no variances; use its intervals");
  std::vector<double> out;
  apply_model(parts_, items, {}, [&](const CalibratedVariances& block) {
    out.insert(out.end(), block.variance.begin(), block.variance.end());
  });
  return out;
}

RegressionItems Model::apply(const RegressionItems& items) const {
  std::vector<double> variance = variances(items);
  if (items.passes() > 1)
    throw InputError(
        "passes are calibrated through their total variance; ask for the variances of the model");
  RegressionItems out = items;
  out.aleatoric.clear();
  out.epistemic = Rows();
  out.total = Rows(array_of(std::move(variance), {items.size(), items.outputs()}, "calibrated variance"));
  out.total_is_std = false;
  return out;
}

Intervals Model::intervals(const RegressionItems& items, double level) const {
  check_level(level);
  Intervals out;
  apply_model(parts_, items, {.variances = false, .levels = {level}}, [&](const CalibratedVariances& block) {
    for (std::size_t k = 0; k < block.bounds.size(); k += 2) {
      out.low.push_back(block.bounds[k]);
      out.high.push_back(block.bounds[k + 1]);
    }
  });
  return out;
}

void Model::save(const std::string& path) const { save_model(parts_, path); }
std::string Model::to_bytes() const { return model_text(parts_); }
Model Model::from_bytes(std::string_view bytes) { return Model(parse_model(bytes, "the model")); }
std::string Model::to_onnx() const { return onnx_text(parts_); }

Model fit(std::string_view method, const Items& items, const FitOptions& options) {
  return Model(fit_model(method, items, options).model);
}

Model fit_after(const Model& first, std::string_view method, const Items& items, const FitOptions& options) {
  return Model(fit_model(method, items, options, &first.parts()).model);
}

Model fit(std::string_view method, const RegressionItems& items, const RegressionFitOptions& options) {
  return Model(fit_regression_model(method, items, options));
}

Model load(const std::string& path) { return Model(load_model(path)); }

}  // namespace plumb
