#include "train/models.hpp"

#include "plumb/data/check.hpp"
#include "train/convolution.hpp"
#include "train/losses/regression.hpp"

namespace plumb::train {
namespace {

namespace nn = torch::nn;

struct LinearNet : Network {
  LinearNet(std::int64_t inputs, std::int64_t outputs)
      : last(register_module("last", nn::Linear(inputs, outputs))) {}
  [[nodiscard]] bool convolves() const override { return false; }
  Output compute(const torch::Tensor& x) override {
    const torch::Tensor flat = x.flatten(1);
    return {last->forward(flat), flat};
  }
  nn::Linear last;
};

struct Mlp : Network {
  Mlp(std::int64_t inputs, const std::vector<std::int64_t>& hidden, std::int64_t outputs, double dropout) {
    std::int64_t width = inputs;
    for (const std::int64_t h : hidden) {
      body->push_back(nn::Linear(width, h));
      body->push_back(nn::ReLU());
      if (dropout > 0) body->push_back(nn::Dropout(dropout));
      width = h;
    }
    register_module("body", body);
    last = register_module("last", nn::Linear(width, outputs));
  }
  [[nodiscard]] bool convolves() const override { return false; }
  Output compute(const torch::Tensor& x) override {
    const torch::Tensor features = body->is_empty() ? x.flatten(1) : body->forward(x.flatten(1));
    return {last->forward(features), features};
  }
  nn::Sequential body;
  nn::Linear last{nullptr};
};

struct Cnn : Network {
  Cnn(std::int64_t channels, std::int64_t outputs, double dropout)
      : one(register_module("one", nn::Conv2d(nn::Conv2dOptions(channels, 32, 5).padding(2)))),
        two(register_module("two", nn::Conv2d(nn::Conv2dOptions(32, 64, 7).padding(3)))),
        three(register_module("three", nn::Conv2d(nn::Conv2dOptions(64, 128, 11).padding(5)))),
        drop(register_module("drop", nn::Dropout(dropout))),
        last(register_module("last", nn::Linear(128, outputs))) {}
  Output compute(const torch::Tensor& x) override {
    // "Same" padding of the pools: the remainder at the edge is pooled separately.
    torch::Tensor h = torch::max_pool2d(convolve(one, x), 2, 2, 0, 1, /*ceil_mode=*/true);
    h = torch::max_pool2d(convolve(two, h), 4, 4, 0, 1, /*ceil_mode=*/true);
    const torch::Tensor features = drop->forward(average_of_pixels(convolve(three, h)));
    return {last->forward(features), features};
  }
  nn::Conv2d one, two, three;
  nn::Dropout drop;
  nn::Linear last;
};

}  // namespace

Output Network::forward(const torch::Tensor& x) {
  Output out = compute(x);
  if (!measures()) return out;
  const auto both = out.logits.chunk(2, 1);
  out.logits = torch::cat(
      {units_.shift + units_.scale * both[0], both[1].clamp_min(kLowestSpread) + units_.spread}, 1);
  return out;
}

void Network::measure_in(const Units& units) {
  units_.shift = register_buffer("target_shift", units.shift);
  units_.scale = register_buffer("target_scale", units.scale);
  units_.spread = register_buffer("target_spread", units.spread);
}

NetworkPtr make_linear(std::int64_t inputs, std::int64_t outputs) {
  return std::make_shared<LinearNet>(inputs, outputs);
}
NetworkPtr make_cnn(std::int64_t channels, std::int64_t outputs, double dropout) {
  return std::make_shared<Cnn>(channels, outputs, dropout);
}

NetworkPtr make_network(const TrainOptions& o, const std::vector<std::int64_t>& input, std::int64_t outputs) {
  std::int64_t inputs = 1;
  for (const std::int64_t n : input) inputs *= n;
  const auto dropout = [&](double own) { return o.dropout.value_or(own); };
  if (o.model == "linear") return make_linear(inputs, outputs);
  if (o.model == "mlp") return std::make_shared<Mlp>(inputs, o.hidden, outputs, dropout(0));
  if (input.size() != 3)
    throw InputError("⟦model⟧ " + o.model +
                     " is for images, and the data are rows of numbers; use linear or mlp");
  if (o.model == "cnn") return make_cnn(input[0], outputs, dropout(0.5));
  if (o.model == "resnet18")
    return make_resnet18(input[0], std::min(input[1], input[2]), outputs, dropout(0), o.width);
  if (o.model == "vgg16-small") return make_vgg16_small(input[0], outputs, dropout(0.5), o.width);
  if (input[1] % 4 != 0 || input[2] % 4 != 0)
    throw InputError("⟦model⟧ unet-small needs images whose sides are multiples of 4, not " +
                     show_shape(input));
  return make_unet_small(input[0], outputs, dropout(0), o.width);
}

std::int64_t set_dropout(Network& net, bool on) {
  std::int64_t layers = 0;
  for (const auto& module : net.modules(/*include_self=*/false)) {
    const bool plain = module->as<nn::Dropout>() != nullptr,
               channels = module->as<nn::Dropout2d>() != nullptr;
    if (!plain && !channels) continue;
    module->train(on);
    const double p =
        plain ? module->as<nn::Dropout>()->options.p() : module->as<nn::Dropout2d>()->options.p();
    layers += p > 0 ? 1 : 0;
  }
  return layers;
}

void set_dropout_rate(Network& net, double rate) {
  for (const auto& module : net.modules(/*include_self=*/false)) {
    if (auto* plain = module->as<nn::Dropout>(); plain != nullptr) plain->options.p(rate);
    if (auto* channels = module->as<nn::Dropout2d>(); channels != nullptr) channels->options.p(rate);
  }
}

}  // namespace plumb::train
