#include "train/convolution.hpp"
#include "train/models.hpp"

namespace plumb::train {
namespace {

namespace nn = torch::nn;

nn::Sequential twice(std::int64_t in, std::int64_t out) {
  nn::Sequential s;
  s->push_back(ConvNorm(in, out, 3));
  s->push_back(ConvNorm(out, out, 3));
  return s;
}

torch::Tensor twice_as_large(const torch::Tensor& x) {
  namespace F = torch::nn::functional;
  return F::interpolate(x, F::InterpolateFuncOptions()
                               .size(std::vector<std::int64_t>{2 * x.size(2), 2 * x.size(3)})
                               .mode(torch::kNearest));
}

struct UnetSmall : Network {
  UnetSmall(std::int64_t channels, std::int64_t outputs, double dropout, std::int64_t w)
      : down1(register_module("down1", twice(channels, w))),
        down2(register_module("down2", twice(w, 2 * w))),
        bottom(register_module("bottom", twice(2 * w, 4 * w))),
        up2(register_module("up2", twice(6 * w, 2 * w))),
        up1(register_module("up1", twice(3 * w, w))),
        drop(register_module("drop", nn::Dropout2d(dropout))),
        last(register_module("last", nn::Conv2d(nn::Conv2dOptions(w, outputs, 1)))) {}
  Output compute(const torch::Tensor& x) override {
    const torch::Tensor a = down1->forward(x);
    const torch::Tensor b = down2->forward(torch::max_pool2d(a, 2));
    const torch::Tensor c = drop->forward(bottom->forward(torch::max_pool2d(b, 2)));
    const torch::Tensor d = up2->forward(torch::cat({twice_as_large(c), b}, 1));
    const torch::Tensor e = up1->forward(torch::cat({twice_as_large(d), a}, 1));
    return {convolve(last, e, {.relu = false}).to(torch::kFloat32), average_of_pixels(c)};
  }
  nn::Sequential down1, down2, bottom, up2, up1;
  nn::Dropout2d drop;
  nn::Conv2d last;
};

}  // namespace

NetworkPtr make_unet_small(std::int64_t channels, std::int64_t outputs, double dropout, std::int64_t width) {
  return std::make_shared<UnetSmall>(channels, outputs, dropout, width > 0 ? width : 16);
}

}  // namespace plumb::train
