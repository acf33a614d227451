// A graph under construction: nodes, constants, and a fresh name for every value. Field numbers are
// those of onnx.proto.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "calibrate/protobuf.hpp"

namespace plumb::detail {

class OnnxGraph {
 public:
  using Ints = std::vector<std::pair<std::string, std::int64_t>>;
  static constexpr std::int64_t kFloat = 1, kInt64 = 7, kDouble = 11;

  /// The name of a node's only output.
  std::string node(const std::string& op, const std::vector<std::string>& inputs, const Ints& attributes = {},
                   std::string output = "");
  std::string constant(std::span<const double> values, const std::vector<std::int64_t>& shape);
  std::string constant(double value) { return constant(std::span(&value, 1), {}); }
  std::string constant(std::span<const std::int64_t> values, const std::vector<std::int64_t>& shape);
  std::string integer_constant(std::int64_t value) {
    return constant(std::span<const std::int64_t>(&value, 1), {1});
  }

  /// The file: one float32 input and output of N x width.
  [[nodiscard]] std::string model(const std::string& input, const std::string& output,
                                  std::int64_t width) const;

 private:
  std::string tensor(std::int64_t type, const std::string& raw, const std::vector<std::int64_t>& shape);
  std::string fresh() { return "v" + std::to_string(++names_); }
  std::vector<Message> nodes_, constants_;
  int names_ = 0;
};

}  // namespace plumb::detail
