// Mix-n-match (Zhang, Kailkhura, Han 2020; Liu 2022, eq. 24): an ensemble of temperatures, then isotonic.
#include "calibrate/onnx_flow.hpp"
#include "calibrate/rows.hpp"
#include "calibrate/tables.hpp"

namespace plumb::detail {
namespace {

class TwoMaps final : public CalibrationMap {
 public:
  TwoMaps(MapPtr first, MapPtr second) : first_(std::move(first)), second_(std::move(second)) {}
  [[nodiscard]] Scale input() const override { return first_->input(); }
  void apply(std::span<const double> in, int width, std::span<double> z) const override {
    first_->apply(in, width, z);
    second_->apply(z, width, z);
  }

 private:
  MapPtr first_, second_;
};

Step fit_mix_n_match(const Items& items, const FitOptions& options) {
  Step step = kEts.fit(items, options);
  CalibrationModel model;
  model.classes = items.classes();
  model.steps = {step};
  Step table = kIsotonic.fit(calibrated(items, model, options.threads), options);
  step.method = "mix-n-match";
  for (Parameter& p : table.parameters) step.parameters.push_back(std::move(p));
  return step;
}

MapPtr map_mix_n_match(const Step& step, int classes) {
  return std::make_unique<TwoMaps>(kEts.map(step, classes), map_tables(step, classes));
}

void onnx_mix_n_match(OnnxFlow& flow, const Step& step) {
  kEts.onnx(flow, step);
  onnx_tables(flow, step);
}

}  // namespace

constinit const CalibratorRow kMixNMatch{
    "mix-n-match",   Tasks::any,      Complexity::free, {},
    fit_mix_n_match, map_mix_n_match, onnx_mix_n_match, "ets, then isotonic"};

}  // namespace plumb::detail
