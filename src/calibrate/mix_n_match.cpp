// Mix-n-match (Zhang, Kailkhura, Han 2020; Liu 2022, eq. 24): an ensemble of temperatures, then isotonic.
#include "calibrate/onnx_flow.hpp"
#include "calibrate/tables.hpp"

namespace plumb::detail {
namespace {

Step fit_mix_n_match(const Items& items, const FitOptions& options) {
  Step step = kEts.fit(items, options);
  Step table = kIsotonic.fit(calibrated(items, model_of(step, items.classes()), options.threads), options);
  step.method = "mix-n-match";
  for (Parameter& p : table.parameters) step.parameters.push_back(std::move(p));
  return step;
}

MapPtr map_mix_n_match(const Step& step, int classes) {
  return make_rows_map(Scale::logit, [first = kEts.map(step, classes), second = map_tables(step, classes)](
                                         std::span<const double> in, int width, std::span<double> z) {
    first->apply(in, width, z);
    second->apply(z, width, z);
  });
}

void onnx_mix_n_match(OnnxFlow& flow, const Step& step) {
  kEts.onnx(flow, step);
  onnx_tables(flow, step);
}

}  // namespace

constinit const CalibratorRow kMixNMatch{"mix-n-match",    Tasks::any,           Complexity::free,
                                         {"prior_votes"},  fit_mix_n_match,      map_mix_n_match,
                                         onnx_mix_n_match, "ets, then isotonic", 3};

}  // namespace plumb::detail
