#include "train/inference.hpp"

#include <ATen/autocast_mode.h>
#include <torch/version.h>

#include "train/tensors.hpp"

namespace plumb::train {
namespace {

class HalfPrecision {
 public:
  explicit HalfPrecision(bool on) : on_(on) { set(on_); }
  HalfPrecision(const HalfPrecision&) = delete;
  HalfPrecision& operator=(const HalfPrecision&) = delete;
  ~HalfPrecision() {
    if (!on_) return;
    at::autocast::clear_cache();
    set(false);
  }

 private:
  static void set(bool on) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
    at::autocast::set_autocast_enabled(at::kCUDA, on);
#else
    at::autocast::set_enabled(on);
#endif
  }
  bool on_;
};

}  // namespace

Inferred infer(Network& net, const torch::Tensor& inputs, const Normalisation& normalisation,
               torch::Device device, const InferenceOptions& options) {
  torch::NoGradGuard no_grad;
  net.eval();
  if (options.dropout) {
    set_dropout(net, true);
    seed_torch(options.seed);
  }
  const HalfPrecision half(options.half && device.is_cuda());
  const Normalisation norm = normalisation.to(device);
  std::vector<torch::Tensor> outputs, features;
  for (std::int64_t begin = 0; begin < inputs.size(0); begin += options.batch) {
    const std::int64_t end = std::min(begin + options.batch, inputs.size(0));
    torch::Tensor x = norm.apply(inputs.slice(0, begin, end).to(device, /*non_blocking=*/true));
    x = laid_out(augment(x, options.augmentation, seed_for(options.seed, "batch", begin)));
    const Output out = net.forward(x);
    outputs.push_back(out.logits);
    if (options.features) features.push_back(out.features);
  }
  net.eval();
  Inferred r;
  r.outputs = torch::cat(outputs).to(torch::kCPU, torch::kFloat32);
  if (options.features) r.features = torch::cat(features).to(torch::kCPU, torch::kFloat32);
  return r;
}

}  // namespace plumb::train
