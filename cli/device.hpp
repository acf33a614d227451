// `--device cuda`: the streaming sums of plumb evaluate on a CUDA device.
#pragma once

#include <string>

#include "plumb/evaluate/evaluate.hpp"
#include "plumb/evaluate/state.hpp"
#include "shell/flags.hpp"

namespace plumb::cli {

struct DeviceFlags {
  std::string device = "cpu";
  [[nodiscard]] bool cuda() const { return device == "cuda"; }
};
void add_device_flag(Flags& flags, DeviceFlags& f);
/// The result from sums that a device computed; `state`, when given, receives them. InputError without a
/// device, and for what is not computed on one.
[[nodiscard]] Result evaluate_on_device(const Items& items, EvaluateOptions options, EvaluateState* state);

}  // namespace plumb::cli
