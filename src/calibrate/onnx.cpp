#include "plumb/calibrate/onnx.hpp"

#include "calibrate/onnx_flow.hpp"
#include "plumb/calibrate/fit.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb {

std::string onnx_text(const CalibrationModel& model) {
  if (model.task == "regression")
    throw InputError("the ONNX export is for class probabilities; this model is for regression");
  const int classes = narrow<int>(model.classes);
  detail::OnnxFlow flow(model.input == "logits" ? "logits" : "probabilities", classes,
                        model.task == "binary" ? 1 : classes);
  for (const Step& step : model.steps) {
    (void)make_map(step, classes);  // checks method and parameters
    find_calibrator(step.method)->onnx(flow, step);
  }
  return flow.model();
}

}  // namespace plumb
