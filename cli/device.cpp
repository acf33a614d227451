#include "device.hpp"

#include "plumb/cuda/device.hpp"
#include "plumb/cuda/sums.hpp"

namespace plumb::cli {

void add_device_flag(Flags& flags, DeviceFlags& f) {
  flags.choice("--device", {"cpu", "cuda"}, f.device,
               "where the sums are computed; cuda: an NVIDIA GPU, for metrics that need sums alone");
}

Result evaluate_on_device(const Items& items, EvaluateOptions options, EvaluateState* state) {
  const cuda::DeviceInfo device = cuda::device_info();
  cuda::choose_metrics(items, options);
  const EvaluateState sums = cuda::evaluate_state(items, options);
  Result result = finish(sums, options);
  result.command = "evaluate";
  result.notes.push_back(
      "the sums were computed on " + device.name +
      "; they have the bits of the CPU's, and metrics that need more than sums are left out");
  if (state != nullptr) *state = sums;
  return result;
}

}  // namespace plumb::cli
