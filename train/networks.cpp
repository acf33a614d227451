// The deeper networks: ResNet-18, a small VGG16, a small U-Net.
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
    for (const auto& module : modules(false))
      if (auto* c = module->as<nn::Conv2d>(); c != nullptr)
        nn::init::kaiming_normal_(c->weight, 0, torch::kFanOut, torch::kReLU);
  }
  Output compute(const torch::Tensor& x) override {
    const torch::Tensor features = drop->forward(average_of_pixels(stages->forward(stem->forward(x))));
    return {last->forward(features), features};
  }
  nn::Sequential stem, stages;
  nn::Dropout drop{nullptr};
  nn::Linear last{nullptr};
};

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
      // Small images reach a single pixel before the last pooling.
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

nn::Sequential two_convolutions(std::int64_t in, std::int64_t out) {
  nn::Sequential s;
  s->push_back(ConvNorm(in, out, 3));
  s->push_back(ConvNorm(out, out, 3));
  return s;
}

torch::Tensor upsampled(const torch::Tensor& x) {
  namespace F = torch::nn::functional;
  return F::interpolate(x, F::InterpolateFuncOptions()
                               .size(std::vector<std::int64_t>{2 * x.size(2), 2 * x.size(3)})
                               .mode(torch::kNearest));
}

struct UnetSmall : Network {
  UnetSmall(std::int64_t channels, std::int64_t outputs, double dropout, std::int64_t w)
      : down1(register_module("down1", two_convolutions(channels, w))),
        down2(register_module("down2", two_convolutions(w, 2 * w))),
        bottom(register_module("bottom", two_convolutions(2 * w, 4 * w))),
        up2(register_module("up2", two_convolutions(6 * w, 2 * w))),
        up1(register_module("up1", two_convolutions(3 * w, w))),
        drop(register_module("drop", nn::Dropout2d(dropout))),
        last(register_module("last", nn::Conv2d(nn::Conv2dOptions(w, outputs, 1)))) {}
  Output compute(const torch::Tensor& x) override {
    const torch::Tensor a = down1->forward(x);
    const torch::Tensor b = down2->forward(torch::max_pool2d(a, 2));
    const torch::Tensor c = drop->forward(bottom->forward(torch::max_pool2d(b, 2)));
    const torch::Tensor d = up2->forward(torch::cat({upsampled(c), b}, 1));
    const torch::Tensor e = up1->forward(torch::cat({upsampled(d), a}, 1));
    return {convolve(last, e, {.relu = false}).to(torch::kFloat32), average_of_pixels(c)};
  }
  nn::Sequential down1, down2, bottom, up2, up1;
  nn::Dropout2d drop;
  nn::Conv2d last;
};

}  // namespace

NetworkPtr make_resnet18(std::int64_t channels, std::int64_t side, std::int64_t outputs, double dropout,
                         std::int64_t width) {
  return std::make_shared<ResNet18>(channels, side, outputs, dropout, width > 0 ? width : 64);
}

NetworkPtr make_vgg16_small(std::int64_t channels, std::int64_t outputs, double dropout, std::int64_t width) {
  return std::make_shared<Vgg16Small>(channels, outputs, dropout, width > 0 ? width : 32);
}

NetworkPtr make_unet_small(std::int64_t channels, std::int64_t outputs, double dropout, std::int64_t width) {
  return std::make_shared<UnetSmall>(channels, outputs, dropout, width > 0 ? width : 16);
}

}  // namespace plumb::train
