#include "train/models.hpp"

namespace plumb::train {
namespace {

namespace nn = torch::nn;

nn::Conv2d conv(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
}

// Two 3 x 3 convolutions and a shortcut (He 2016, basic block).
struct BlockImpl : nn::Module {
  BlockImpl(std::int64_t in, std::int64_t out, std::int64_t stride)
      : conv1(register_module("conv1", conv(in, out, 3, stride))),
        conv2(register_module("conv2", conv(out, out, 3, 1))),
        norm1(register_module("norm1", nn::BatchNorm2d(out))),
        norm2(register_module("norm2", nn::BatchNorm2d(out))) {
    if (stride != 1 || in != out) {
      shortcut->push_back(conv(in, out, 1, stride));
      shortcut->push_back(nn::BatchNorm2d(out));
    }
    register_module("shortcut", shortcut);
  }
  torch::Tensor forward(const torch::Tensor& x) {
    torch::Tensor h = torch::relu(norm1->forward(conv1->forward(x)));
    h = norm2->forward(conv2->forward(h));
    return torch::relu(h + (shortcut->is_empty() ? x : shortcut->forward(x)));
  }
  nn::Conv2d conv1, conv2;
  nn::BatchNorm2d norm1, norm2;
  nn::Sequential shortcut;
};
TORCH_MODULE(Block);

struct ResNet18 : Network {
  ResNet18(std::int64_t channels, std::int64_t side, std::int64_t outputs, double dropout,
           std::int64_t width) {
    const bool small = side <= 64;
    stem->push_back(small ? conv(channels, width, 3, 1) : conv(channels, width, 7, 2));
    stem->push_back(nn::BatchNorm2d(width));
    stem->push_back(nn::ReLU());
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
  Output forward(const torch::Tensor& x) override {
    const torch::Tensor features = drop->forward(stages->forward(stem->forward(x)).mean({2, 3}));
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
