#include "train/models.hpp"

#include <gtest/gtest.h>

#include "plumb/data/check.hpp"
#include "train/tensors.hpp"

namespace plumb::train {
namespace {

std::int64_t weights(const Network& net) {
  std::int64_t n = 0;
  for (const auto& p : net.parameters()) n += p.numel();
  return n;
}

TEST(Models, ResNet18HasThePublishedNumberOfWeights) {
  torch::manual_seed(1);
  // 11,689,512 with 1000 classes (He 2016, as counted by torchvision).
  EXPECT_EQ(weights(*make_resnet18(3, 224, 1000, 0, 64)), 11689512);
}

TEST(Models, MimorisCnnHasItsLayers) {
  const auto net = make_cnn(1, 2, 0.5);
  // 32 (25 + 1) + 64 (32 49 + 1) + 128 (64 121 + 1) + 2 (128 + 1).
  EXPECT_EQ(weights(*net), 832 + 100416 + 991360 + 258);
  net->eval();
  const Output out = net->forward(torch::rand({3, 1, 28, 28}));
  EXPECT_EQ(out.logits.sizes().vec(), (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(out.features.sizes().vec(), (std::vector<std::int64_t>{3, 128}));
}

TEST(Models, AllTakeAndGiveTheirShapes) {
  torch::manual_seed(1);
  TrainOptions o;
  o.width = 4;
  for (const char* name : {"linear", "mlp", "cnn", "resnet18", "vgg16-small"}) {
    o.model = name;
    const auto net = make_network(o, {3, 20, 24}, 5);
    net->train();
    const Output out = net->forward(torch::rand({2, 3, 20, 24}));
    EXPECT_EQ(out.logits.sizes().vec(), (std::vector<std::int64_t>{2, 5})) << name;
    EXPECT_EQ(out.features.size(0), 2) << name;
    // Every weight has a gradient: nothing is left out of the way from input to output.
    out.logits.square().sum().backward();
    for (const auto& p : net->named_parameters())
      EXPECT_TRUE(p.value().grad().defined()) << name << " " << p.key();
  }
  o.model = "unet-small";
  const auto unet = make_network(o, {1, 16, 24}, 2);
  EXPECT_EQ(unet->forward(torch::rand({2, 1, 16, 24})).logits.sizes().vec(),
            (std::vector<std::int64_t>{2, 2, 16, 24}));
  EXPECT_THROW((void)make_network(o, {1, 15, 24}, 2), InputError);
  o.model = "cnn";
  EXPECT_THROW((void)make_network(o, {12}, 2), InputError);
}

// A network whose normalisations have seen something, on the GPU where there is one.
NetworkPtr seasoned(const char* name, torch::Device device) {
  torch::manual_seed(3);
  TrainOptions o;
  o.model = name;
  o.width = 8;
  o.dropout = 0.25;
  const auto net = make_network(o, {3, 24, 32}, 2);
  torch::NoGradGuard no_grad;
  for (const auto& module : net->modules(false)) {
    auto* norm = module->as<torch::nn::BatchNorm2d>();
    if (norm == nullptr) continue;
    norm->running_mean.normal_(0, 0.2);
    norm->running_var.uniform_(0.5, 2);
    norm->weight.uniform_(0.5, 2);
    norm->bias.normal_(0, 0.2);
  }
  place(*net, device);
  net->eval();
  return net;
}

double gap(const torch::Tensor& a, const torch::Tensor& b) {
  return ((a - b).abs().max() / b.abs().max()).item<double>();
}

// Without gradients normalisations are folded into convolutions: the outputs are those of the layers apart.
TEST(Models, FoldedNormalisationsGiveTheSameOutputs) {
  const torch::Device device = device_of("auto");
  for (const char* name : {"cnn", "resnet18", "vgg16-small", "unet-small"}) {
    const auto net = seasoned(name, device);
    const torch::Tensor x = laid_out(torch::rand({5, 3, 24, 32}).to(device));
    const Output apart = net->forward(x);
    EXPECT_TRUE(apart.logits.requires_grad());
    torch::NoGradGuard no_grad;
    const Output folded = net->forward(x);
    EXPECT_LT(gap(folded.logits, apart.logits), device.is_cuda() ? 5e-3 : 1e-5) << name;
    EXPECT_LT(gap(folded.features, apart.features), device.is_cuda() ? 5e-3 : 1e-5) << name;
    if (!device.is_cuda()) continue;
    const Output half = net->forward(x.to(torch::kFloat16));
    EXPECT_EQ(half.logits.scalar_type(), torch::kFloat32);
    EXPECT_LT(gap(half.logits, apart.logits), 1e-2) << name;
  }
}

TEST(Models, TheSeedDecidesTheWeights) {
  TrainOptions o;
  const auto make = [&](std::uint64_t seed) {
    torch::manual_seed(seed);
    return make_network(o, {4}, 1)->parameters().front().clone();
  };
  EXPECT_TRUE(torch::equal(make(5), make(5)));
  EXPECT_FALSE(torch::equal(make(5), make(6)));
}

TEST(McDropout, DrawsWhileNormalisationStaysFixed) {
  torch::manual_seed(2);
  const auto net = make_resnet18(1, 16, 1, 0.3, 4);
  const torch::Tensor x = torch::rand({4, 1, 16, 16});
  net->eval();
  const torch::Tensor still = net->forward(x).logits;
  EXPECT_TRUE(torch::equal(net->forward(x).logits, still));
  EXPECT_EQ(set_dropout(*net, true), 5);
  EXPECT_FALSE(torch::equal(net->forward(x).logits, net->forward(x).logits));
  set_dropout(*net, false);
  EXPECT_TRUE(torch::equal(net->forward(x).logits, still));  // running means have not moved
  EXPECT_EQ(set_dropout(*make_resnet18(1, 16, 1, 0, 4), true), 0);
}

}  // namespace
}  // namespace plumb::train
