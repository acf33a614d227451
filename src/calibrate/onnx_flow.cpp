#include "calibrate/onnx_flow.hpp"

#include "plumb/calibrate/fit.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/calibrate/onnx.hpp"
#include "plumb/calibrate/scores.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb::detail {

OnnxFlow::OnnxFlow(std::string input, int classes, std::int64_t width)
    : input_(std::move(input)), classes_(classes), width_(width), is_logits_(input_ == "logits") {
  at_ = graph_.node("Cast", {input_}, {{"to", OnnxGraph::kDouble}});
}

std::string OnnxFlow::op(const std::string& name, const std::string& a, const std::string& b) {
  return graph_.node(name, {a, b});
}
std::string OnnxFlow::op(const std::string& name, const std::string& a, double b) {
  return graph_.node(name, {a, graph_.constant(b)});
}
std::string OnnxFlow::softmax(const std::string& u) {
  return width_ == 1 ? unary("Sigmoid", u) : graph_.node("Softmax", {u}, {{"axis", 1}});
}

const std::string& OnnxFlow::logits() {
  if (is_logits_) return at_;
  is_logits_ = true;
  const std::string low = op("Max", at_, kScoreClip);
  if (width_ > 1) return at_ = unary("Log", low);
  const std::string p = op("Min", low, 1 - kScoreClip);
  return at_ = op("Sub", unary("Log", p), unary("Log", op("Sub", graph_.constant(1.0), p)));
}

const std::string& OnnxFlow::probabilities() {
  if (is_logits_) finish(at_);
  return at_;
}

void OnnxFlow::give_probabilities(std::string z) {
  at_ = std::move(z);
  is_logits_ = false;
}

void OnnxFlow::want_log_probabilities(const std::string& method, std::optional<double> temperature) {
  if (width_ == 1)
    throw InputError("the ONNX export has no " + method + " for binary tasks; fit platt or beta");
  std::string u = logits();
  if (temperature) u = op("Div", u, *temperature);
  at_ = unary("Log", op("Max", softmax(u), kScoreClip));
}

void OnnxFlow::finish_product(std::span<const double> w, std::span<const double> b) {
  const std::string u = logits();
  const std::int64_t k = classes_;
  std::vector<double> transposed(k * k);
  for (std::int64_t i = 0; i < k; ++i)
    for (std::int64_t j = 0; j < k; ++j) transposed[j * k + i] = w[i * k + j];
  finish(op("Add", op("MatMul", u, graph_.constant(transposed, {k, k})), row(b)));
}

std::string OnnxFlow::bin(const std::string& x, const std::string& edges) {
  const std::string wide = graph_.node("Unsqueeze", {x, graph_.integer_constant(2)});
  const std::string above =
      graph_.node("Cast", {graph_.node("GreaterOrEqual", {wide, edges})}, {{"to", OnnxGraph::kInt64}});
  return graph_.node("ReduceSum", {above, graph_.integer_constant(2)}, {{"keepdims", 0}});
}

std::string OnnxFlow::model() {
  graph_.node("Cast", {probabilities()}, {{"to", OnnxGraph::kFloat}}, "calibrated");
  return graph_.model(input_, "calibrated", width_);
}

}  // namespace plumb::detail

namespace plumb {

std::string onnx_text(const CalibrationModel& model) {
  if (model.task == "regression")
    throw InputError("the ONNX export is for class probabilities; this model is for regression");
  const int classes = narrow<int>(model.classes);
  detail::OnnxFlow flow(model.input == "logits" ? "logits" : "probabilities", classes,
                        model.task == "binary" ? 1 : classes);
  const Pipeline checked(model);  // methods and parameters
  for (const Step& step : model.steps) {
    find_calibrator(step.method)->onnx(flow, step);
  }
  return flow.model();
}

}  // namespace plumb
