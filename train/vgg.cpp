#include "train/convolution.hpp"
#include "train/models.hpp"

namespace plumb::train {
namespace {

namespace nn = torch::nn;

struct Vgg16Small : Network {
  Vgg16Small(std::int64_t channels, std::int64_t outputs, double dropout, std::int64_t width) {
    constexpr int kConvolutions[5] = {2, 2, 3, 3, 3};
    std::int64_t in = channels;
    for (int stage = 0; stage < 5; ++stage) {
      nn::Sequential part;
      const std::int64_t out = width << std::min(stage, 3);
      for (int i = 0; i < kConvolutions[stage]; ++i) {
        part->push_back(ConvNorm(in, out, 3));
        in = out;
      }
      stages.push_back(register_module("stage" + std::to_string(stage + 1), part));
    }
    drop1 = register_module("drop1", nn::Dropout(dropout));
    dense = register_module("dense", nn::Linear(in, 128));
    drop2 = register_module("drop2", nn::Dropout(dropout));
    last = register_module("last", nn::Linear(128, outputs));
  }
  Output compute(const torch::Tensor& x) override {
    torch::Tensor h = x;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      h = stages[i]->forward(h);
      // Small images run out of pixels before they run out of pools.
      if (i + 1 < stages.size() && h.size(2) > 1 && h.size(3) > 1) h = torch::max_pool2d(h, 2);
    }
    h = drop1->forward(h.amax({2, 3}).to(torch::kFloat32));
    const torch::Tensor features = drop2->forward(torch::relu(dense->forward(h)));
    return {last->forward(features), features};
  }
  std::vector<nn::Sequential> stages;
  nn::Dropout drop1{nullptr}, drop2{nullptr};
  nn::Linear dense{nullptr}, last{nullptr};
};

}  // namespace

NetworkPtr make_vgg16_small(std::int64_t channels, std::int64_t outputs, double dropout, std::int64_t width) {
  return std::make_shared<Vgg16Small>(channels, outputs, dropout, width > 0 ? width : 32);
}

}  // namespace plumb::train
