// The value that flows through the ONNX graph of a model, logits or probabilities; each step requests what it
// needs, as in Pipeline. A method's `onnx` takes the value, adds its nodes and returns the value.
#pragma once

#include <optional>

#include "calibrate/onnx_graph.hpp"
#include "plumb/calibrate/step.hpp"

namespace plumb::detail {

class OnnxFlow {
 public:
  /// Begins at the graph's input, "logits" or "probabilities"; width 1 is a binary task.
  OnnxFlow(std::string input, int classes, std::int64_t width);

  [[nodiscard]] int classes() const { return classes_; }
  [[nodiscard]] std::int64_t width() const { return width_; }

  /// The value as logits, or as probabilities.
  const std::string& logits();
  const std::string& probabilities();
  /// The value becomes log softmax(logits / T), clipped (no T: the logits as they are); InputError for binary
  /// tasks, naming the method.
  void want_log_probabilities(const std::string& method, std::optional<double> temperature);
  /// The value becomes these probabilities, softmax(u), or softmax(W u + b) of the present logits u.
  void give_probabilities(std::string z);
  void finish(const std::string& u) { give_probabilities(softmax(u)); }
  void finish_product(std::span<const double> w, std::span<const double> b);

  std::string op(const std::string& name, const std::string& a, const std::string& b);
  std::string op(const std::string& name, const std::string& a, double b);
  std::string unary(const std::string& name, const std::string& a) { return graph_.node(name, {a}); }
  std::string row(std::span<const double> v) { return graph_.constant(v, {std::ssize(v)}); }
  std::string softmax(const std::string& u);
  /// The number of edges at or below x, for edges of shape E or K x E: N x K whole numbers.
  std::string bin(const std::string& x, const std::string& edges);

  [[nodiscard]] OnnxGraph& graph() { return graph_; }
  /// The file; nothing may be added afterwards.
  [[nodiscard]] std::string model();

 private:
  OnnxGraph graph_;
  std::string input_;
  int classes_;
  std::int64_t width_;
  bool is_logits_;
  std::string at_;
};

}  // namespace plumb::detail
