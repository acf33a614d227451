#include "calibrate/onnx_graph.hpp"

#include <bit>
#include <cstring>

namespace plumb::detail {
namespace {

// raw_data is little-endian whatever the machine.
template <class T>
std::string little_endian(std::span<const T> values) {
  std::string out;
  for (const T v : values) {
    const auto bits = std::bit_cast<std::uint64_t>(v);
    for (int byte = 0; byte < 8; ++byte) out += static_cast<char>(bits >> (8 * byte) & 255);
  }
  return out;
}

Message value_info(const std::string& name, std::int64_t width) {
  Message shape;
  shape.message(1, Message().bytes(2, "N"))
      .message(1, Message().number(1, static_cast<std::uint64_t>(width)));
  Message tensor;
  tensor.number(1, OnnxGraph::kFloat).message(2, shape);
  return Message().bytes(1, name).message(2, Message().message(1, tensor));
}

}  // namespace

std::string OnnxGraph::node(const std::string& op, const std::vector<std::string>& inputs,
                            const Ints& attributes, std::string output) {
  constexpr std::uint64_t kTypeInt = 2;
  if (output.empty()) output = fresh();
  Message m;
  for (const std::string& in : inputs) m.bytes(1, in);
  m.bytes(2, output).bytes(3, op + "_" + output).bytes(4, op);
  for (const auto& [name, value] : attributes)
    m.message(5, Message().bytes(1, name).number(3, static_cast<std::uint64_t>(value)).number(20, kTypeInt));
  nodes_.push_back(std::move(m));
  return output;
}

std::string OnnxGraph::tensor(std::int64_t type, const std::string& raw,
                              const std::vector<std::int64_t>& shape) {
  const std::string name = "c" + std::to_string(constants_.size());
  Message m;
  for (const std::int64_t extent : shape) m.number(1, static_cast<std::uint64_t>(extent));
  m.number(2, static_cast<std::uint64_t>(type)).bytes(8, name).bytes(9, raw);
  constants_.push_back(std::move(m));
  return name;
}

std::string OnnxGraph::constant(std::span<const double> values, const std::vector<std::int64_t>& shape) {
  return tensor(kDouble, little_endian(values), shape);
}
std::string OnnxGraph::constant(std::span<const std::int64_t> values,
                                const std::vector<std::int64_t>& shape) {
  return tensor(kInt64, little_endian(values), shape);
}

std::string OnnxGraph::model(const std::string& input, const std::string& output, std::int64_t width) const {
  constexpr std::uint64_t kIrVersion = 8, kOpset = 13;
  Message graph;
  for (const Message& n : nodes_) graph.message(1, n);
  graph.bytes(2, "calibrator");
  for (const Message& c : constants_) graph.message(5, c);
  graph.message(11, value_info(input, width)).message(12, value_info(output, width));
  return Message()
      .number(1, kIrVersion)
      .bytes(2, "plumb")
      .message(7, graph)
      .message(8, Message().bytes(1, "").number(2, kOpset))
      .text();
}

}  // namespace plumb::detail
