#include "plumb/calibrate/onnx.hpp"

#include <algorithm>
#include <limits>

#include "calibrate/onnx_graph.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/calibrate/scores.hpp"
#include "plumb/data/check.hpp"

namespace plumb {
namespace {

// Follows Pipeline: what flows is either logits or probabilities, and each step asks for what it wants.
class Exporter {
 public:
  explicit Exporter(const CalibrationModel& model)
      : classes_(static_cast<int>(model.classes)), width_(model.task == "binary" ? 1 : model.classes) {
    input_ = model.input == "logits" ? "logits" : "probabilities";
    logits_ = input_ == "logits";
    at_ = g_.node("Cast", {input_}, {{"to", detail::OnnxGraph::kDouble}});
    for (const Step& step : model.steps) add(step);
    want_probabilities();
    g_.node("Cast", {at_}, {{"to", detail::OnnxGraph::kFloat}}, "calibrated");
  }
  [[nodiscard]] std::string text() const { return g_.model(input_, "calibrated", width_); }

 private:
  using Name = std::string;
  Name op(const Name& name, const Name& a, const Name& b) { return g_.node(name, {a, b}); }
  Name op(const Name& name, const Name& a, double b) { return g_.node(name, {a, g_.constant(b)}); }
  Name unary(const Name& name, const Name& a) { return g_.node(name, {a}); }
  Name row(std::span<const double> v) { return g_.constant(v, {static_cast<std::int64_t>(v.size())}); }
  Name softmax(const Name& u) {
    return width_ == 1 ? unary("Sigmoid", u) : g_.node("Softmax", {u}, {{"axis", 1}});
  }

  void want_logits() {
    if (logits_) return;
    logits_ = true;
    const Name low = op("Max", at_, kScoreClip);
    if (width_ > 1) {
      at_ = unary("Log", low);
      return;
    }
    const Name p = op("Min", low, 1 - kScoreClip);
    at_ = op("Sub", unary("Log", p), unary("Log", op("Sub", g_.constant(1.0), p)));
  }
  void want_probabilities() {
    if (!logits_) return;
    logits_ = false;
    at_ = softmax(at_);
  }
  void finish(const Name& u) {
    at_ = softmax(u);
    logits_ = false;
  }

  void add(const Step& step) {
    (void)make_map(step, classes_);  // checks the parameters
    const std::string& m = step.method;
    if (m == "none" || m == "alpha") return want_probabilities();
    if (m == "isotonic" || m == "histogram") return tables(step);
    want_logits();
    if (m == "temperature") return finish(op("Div", at_, scalar_parameter(step, "T")));
    if (m == "platt")
      return finish(op("Add", op("Mul", at_, scalar_parameter(step, "a")), scalar_parameter(step, "b")));
    if (m == "quadratic") {
      const Name slope =
          op("Add", op("Mul", at_, scalar_parameter(step, "w2")), scalar_parameter(step, "w1"));
      return finish(op("Add", op("Mul", slope, at_), scalar_parameter(step, "b")));
    }
    if (m == "beta") return beta(step);
    if (m == "spline") return spline(step);
    if (m == "ets") return ets(step);
    if (m == "mix-n-match") {
      ets(step);
      return tables(step);
    }
    linear(step);
  }

  // log p and -log(1 - p) of log-odds u, from log(1 + exp(-|u|)).
  void beta(const Step& step) {
    const Name soft = unary("Log", op("Add", unary("Exp", unary("Neg", unary("Abs", at_))), 1.0));
    const Name p = op("Sub", op("Min", at_, 0.0), soft), q = op("Add", op("Max", at_, 0.0), soft);
    const Name sum =
        op("Add", op("Mul", p, scalar_parameter(step, "a")), op("Mul", q, scalar_parameter(step, "b")));
    finish(op("Add", sum, scalar_parameter(step, "c")));
  }

  void ets(const Step& step) {
    const auto w = parameter(step, "w", {3});
    const Name scaled = softmax(op("Div", at_, scalar_parameter(step, "T"))), plain = softmax(at_);
    at_ = op("Add", op("Add", op("Mul", scaled, w[0]), op("Mul", plain, w[1])), w[2] / classes_);
    logits_ = false;
  }

  void linear(const Step& step) {
    const std::string& m = step.method;
    const std::vector<std::int64_t> square{classes_, classes_};
    const bool on_logs = m == "dirichlet" || m.starts_with("structured");
    if (on_logs && width_ == 1)
      throw InputError("the ONNX export has no " + m + " for binary tasks; fit platt or beta");
    if (on_logs) {
      const Name scaled = m == "dirichlet" ? at_ : op("Div", at_, scalar_parameter(step, "T"));
      at_ = unary("Log", op("Max", softmax(scaled), kScoreClip));
    }
    const auto b = parameter(step, "b", {classes_});
    if (m == "vector" || m == "structured-vector") {
      const auto given = parameter(step, "v", {classes_});
      std::vector<double> v(given.begin(), given.end());
      if (on_logs)
        for (double& x : v) x += 1;
      return finish(op("Add", op("Mul", at_, row(v)), row(b)));
    }
    const auto given = parameter(step, m == "structured-matrix" ? "M" : "W", square);
    const auto k = static_cast<std::size_t>(classes_);
    std::vector<double> transposed(k * k);
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = 0; j < k; ++j) transposed[j * k + i] = given[i * k + j];
    if (m == "structured-matrix")
      for (std::size_t i = 0; i < k; ++i) transposed[i * (k + 1)] += 1 + parameter(step, "v", {classes_})[i];
    finish(op("Add", op("MatMul", at_, g_.constant(transposed, square)), row(b)));
  }

  // The number of edges at or below x, for edges of shape E or K x E: N x K whole numbers.
  Name cell(const Name& x, const Name& edges) {
    const Name wide = g_.node("Unsqueeze", {x, g_.whole(2)});
    const Name above =
        g_.node("Cast", {g_.node("GreaterOrEqual", {wide, edges})}, {{"to", detail::OnnxGraph::kInt64}});
    return g_.node("ReduceSum", {above, g_.whole(2)}, {{"keepdims", 0}});
  }

  void tables(const Step& step) {
    want_probabilities();
    const auto cells = parameter(step, "cells", {width_});
    const auto edges = vector_parameter(step, "edges"), values = vector_parameter(step, "values");
    const auto most = static_cast<std::size_t>(*std::max_element(cells.begin(), cells.end()));
    const auto columns = static_cast<std::size_t>(width_), slots = std::max<std::size_t>(most, 2) - 1;
    // Tables of one length, filled with edges that nothing reaches.
    std::vector<double> all_edges(columns * slots, std::numeric_limits<double>::infinity()),
        all_values(columns * (slots + 1), 0.5);
    std::vector<std::int64_t> start;
    std::size_t edge = 0, value = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      const auto n = static_cast<std::size_t>(cells[c]);
      start.push_back(static_cast<std::int64_t>(c * (slots + 1)));
      for (std::size_t i = 0; i + 1 < n; ++i) all_edges[c * slots + i] = edges[edge++];
      for (std::size_t i = 0; i < n; ++i) all_values[c * (slots + 1) + i] = values[value++];
    }
    const Name index = cell(at_, g_.constant(all_edges, {width_, static_cast<std::int64_t>(slots)}));
    const Name from = g_.constant(std::span<const std::int64_t>(start), {width_});
    at_ = op("Gather", row(all_values), op("Add", index, from));
    if (width_ > 1) at_ = op("Div", at_, g_.node("ReduceSum", {at_, g_.whole(1)}, {{"keepdims", 1}}));
  }

  void spline(const Step& step) {
    const auto knots = vector_parameter(step, "knots");
    const auto pieces = static_cast<std::int64_t>(knots.size()) + 1;
    const auto a = parameter(step, "pieces", {pieces, 4});
    std::vector<double> origin(1, knots[0]);
    origin.insert(origin.end(), knots.begin(), knots.end());
    const Name index = cell(at_, row(knots));
    const Name d = op("Sub", at_, op("Gather", row(origin), index));
    Name sum;
    for (std::size_t m = 4; m-- > 0;) {
      std::vector<double> column;
      for (std::size_t p = 0; p < static_cast<std::size_t>(pieces); ++p) column.push_back(a[4 * p + m]);
      const Name coefficient = op("Gather", row(column), index);
      sum = sum.empty() ? coefficient : op("Add", op("Mul", sum, d), coefficient);
    }
    finish(sum);
  }

  detail::OnnxGraph g_;
  int classes_;
  std::int64_t width_;
  std::string input_, at_;
  bool logits_ = true;
};

}  // namespace

std::string onnx_text(const CalibrationModel& model) {
  if (model.task == "regression")
    throw InputError("the ONNX export is for class probabilities; this model is for regression");
  return Exporter(model).text();
}

}  // namespace plumb
