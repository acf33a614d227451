#include "train/inference.hpp"

#include "train/tensors.hpp"

namespace plumb::train {
namespace {

// Enough items to keep a GPU busy, few enough for the activations to fit in the caches of a CPU.
std::int64_t batch_size(const torch::Tensor& inputs, torch::Device device) {
  const std::int64_t pixels = inputs.dim() == 4 ? inputs.size(2) * inputs.size(3) : inputs.size(1);
  return std::clamp<std::int64_t>((device.is_cuda() ? 1 << 21 : 1 << 16) / std::max<std::int64_t>(pixels, 1),
                                  32, 4096);
}

}  // namespace

Inferred infer(Network& net, const torch::Tensor& inputs, const Normalisation& normalisation,
               torch::Device device, const InferenceOptions& options) {
  torch::NoGradGuard no_grad;
  net.eval();
  if (options.dropout) {
    set_dropout(net, true);
    seed_torch(options.seed);
  }
  const bool half = options.half && device.is_cuda() && net.convolves();
  const std::int64_t batch = options.batch > 0 ? options.batch : batch_size(inputs, device);
  const Normalisation norm = normalisation.to(device);
  std::vector<torch::Tensor> outputs, features;
  for (std::int64_t begin = 0; begin < inputs.size(0); begin += batch) {
    const std::int64_t end = std::min(begin + batch, inputs.size(0));
    torch::Tensor x = norm.apply(inputs.slice(0, begin, end).to(device, /*non_blocking=*/true));
    x = laid_out(augment(x, options.augmentation, seed_for(options.seed, "batch", begin)));
    const Output out = net.forward(half ? x.to(torch::kFloat16) : x);
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
