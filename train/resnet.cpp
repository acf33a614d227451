#include "train/convolution.hpp"
#include "train/models.hpp"

namespace plumb::train {
namespace {

namespace nn = torch::nn;

// Two 3 x 3 convolutions and a shortcut (He 2016, basic block).
struct BlockImpl : nn::Module {
  BlockImpl(std::int64_t in, std::int64_t out, std::int64_t stride)
      : one(register_module("one", ConvNorm(in, out, 3, stride))),
        two(register_module("two", ConvNorm(out, out, 3))) {
    if (stride != 1 || in != out) shortcut = register_module("shortcut", ConvNorm(in, out, 1, stride));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor past = shortcut ? shortcut->run(x, {.relu = false}) : x;
    return two->run(one->forward(x), {.plus = past});
  }
  ConvNorm one, two;
  ConvNorm shortcut{nullptr};
};
TORCH_MODULE(Block);

struct ResNet18 : Network {
  ResNet18(std::int64_t channels, std::int64_t side, std::int64_t outputs, double dropout,
           std::int64_t width) {
    const bool small = side <= 64;
    stem->push_back(small ? ConvNorm(channels, width, 3) : ConvNorm(channels, width, 7, 2));
    if (!small) stem->push_back(nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2).padding(1)));
    register_module("stem", stem);
    std::int64_t in = width;
    for (int stage = 0; stage < 4; ++stage) {
      const std::int64_t out = width << stage;
      stages->push_back(Block(in, out, stage == 0 ? 1 : 2));
      stages->push_back(Block(out, out, 1));
      if (dropout > 0) stages->push_back(nn::Dropout(dropout));
      in = out;
    }
    register_module("stages", stages);
    drop = register_module("drop", nn::Dropout(dropout));
    last = register_module("last", nn::Linear(in, outputs));
    torch::NoGradGuard no_grad;
    for (const auto& module : modules(false)) {
      if (auto* c = module->as<nn::Conv2d>(); c != nullptr)
        nn::init::kaiming_normal_(c->weight, 0, torch::kFanOut, torch::kReLU);
    }
  }
  Output compute(const torch::Tensor& x) override {
    const torch::Tensor features = drop->forward(average_of_pixels(stages->forward(stem->forward(x))));
    return {last->forward(features), features};
  }
  nn::Sequential stem, stages;
  nn::Dropout drop{nullptr};
  nn::Linear last{nullptr};
};

}  // namespace

NetworkPtr make_resnet18(std::int64_t channels, std::int64_t side, std::int64_t outputs, double dropout,
                         std::int64_t width) {
  return std::make_shared<ResNet18>(channels, side, outputs, dropout, width > 0 ? width : 64);
}

}  // namespace plumb::train
