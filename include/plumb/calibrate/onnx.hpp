// A model as an ONNX graph (opset 13): float32 in and out, double inside. Written byte by byte: a graph of a
// few nodes needs no protobuf library.
#pragma once

#include <string>

#include "plumb/calibrate/model.hpp"

namespace plumb {

/// The bytes of an .onnx file with one input ("logits" or "probabilities", as the model was fitted; N x K, or
/// N x 1 when binary) and one output ("calibrated", the same shape). `alpha` steps leave the probabilities
/// alone. InputError for regression models, which have no such form.
[[nodiscard]] std::string onnx_text(const CalibrationModel& model);

}  // namespace plumb
