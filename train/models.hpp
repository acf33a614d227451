// The networks. Each returns its outputs and the features of its penultimate layer.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <vector>

#include "train/options/options.hpp"

namespace plumb::train {

struct Output {
  torch::Tensor logits;    ///< N x outputs; unet-small: N x outputs x H x W
  torch::Tensor features;  ///< N x F, what the last layer sees (after dropout)
};

/// How the targets of a regression are measured, for each of d outputs: the last layer predicts
/// (y - shift) / scale. `spread` is added to log variance or log b on the way back (heads.hpp).
struct Units {
  torch::Tensor shift, scale, spread;  ///< d, float32
};

class Network : public torch::nn::Module {
 public:
  /// Without gradients x may be float16, which convolutions then use; outputs are float32, those of a
  /// regression in the units of its targets.
  [[nodiscard]] Output forward(const torch::Tensor& x);
  [[nodiscard]] virtual bool convolves() const { return true; }
  /// From now on outputs are means and logarithms of spreads in these units. The units are buffers and move
  /// with the weights: to a device, into a snapshot, into a file. To be called once.
  void measure_in(const Units& units);
  [[nodiscard]] bool measures() const { return units_.shift.defined(); }

 protected:
  virtual Output compute(const torch::Tensor& x) = 0;

 private:
  Units units_;
};
using NetworkPtr = std::shared_ptr<Network>;

/// `input` is the shape of one item: {D} or {C, H, W}. Weights are drawn from LibTorch's generator, which
/// must be seeded first.
[[nodiscard]] NetworkPtr make_network(const TrainOptions& o, const std::vector<std::int64_t>& input,
                                      std::int64_t outputs);

[[nodiscard]] NetworkPtr make_linear(std::int64_t inputs, std::int64_t outputs);
/// Three convolutions (5, 7, 11 wide), pooling 2 and 4, global average, dropout (Mimori 2021, appendix E).
[[nodiscard]] NetworkPtr make_cnn(std::int64_t channels, std::int64_t outputs, double dropout);
/// He 2016. Images of 64 pixels or fewer keep their size in the first layer (3 x 3, stride 1, no pooling).
/// Dropout after each of the four stages and before the last layer (Laves 2021, section 3).
[[nodiscard]] NetworkPtr make_resnet18(std::int64_t channels, std::int64_t side, std::int64_t outputs,
                                       double dropout, std::int64_t width);
/// VGG16's thirteen convolutions with batch normalisation at half the width, global maximum, dropout, 128
/// units, dropout (after Mimori 2021, appendix F).
[[nodiscard]] NetworkPtr make_vgg16_small(std::int64_t channels, std::int64_t outputs, double dropout,
                                          std::int64_t width);
/// Three levels of an encoder-decoder with skips; an output for each pixel.
[[nodiscard]] NetworkPtr make_unet_small(std::int64_t channels, std::int64_t outputs, double dropout,
                                         std::int64_t width);

/// Dropout draws at prediction time while everything else stays in evaluation mode (MC dropout).
/// Returns how many dropout layers there are.
std::int64_t set_dropout(Network& net, bool on);
/// From now on all dropout layers have this rate.
void set_dropout_rate(Network& net, double rate);

}  // namespace plumb::train
