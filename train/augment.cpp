#include "train/augment.hpp"

#include <numbers>

#include "plumb/numeric/random.hpp"

namespace plumb::train {

namespace {

namespace F = torch::nn::functional;

/// Where each pixel of the result is read.
torch::Tensor places(const torch::Tensor& images, const Augmentation& a, std::uint64_t seed) {
  const std::int64_t n = images.size(0);
  const double height = images.size(2), width = images.size(3);
  RandomStream random(seed, Purpose::sample);
  torch::Tensor theta = torch::zeros({n, 2, 3}, torch::kFloat32);
  auto t = theta.accessor<float, 3>();
  for (std::int64_t i = 0; i < n; ++i) {
    // Always four draws, so that switching one change off leaves the others as they were.
    const double mirror = random.uniform() < 0.5 && a.flip ? -1 : 1;
    const double angle = (2 * random.uniform() - 1) * a.rotation * std::numbers::pi / 180;
    const auto pixels = [&] { return std::floor(random.uniform() * (2 * a.shift + 1)) - a.shift; };
    const double dx = pixels(), dy = pixels();
    // Output pixel (x, y) in [-1, 1]^2 reads the input at theta (x, y, 1). The rotation is in pixels, hence
    // the ratios of the sides.
    t[i][0][0] = mirror * std::cos(angle);
    t[i][0][1] = -std::sin(angle) * height / width;
    t[i][0][2] = -2 * dx / width;
    t[i][1][0] = mirror * std::sin(angle) * width / height;
    t[i][1][1] = std::cos(angle);
    t[i][1][2] = -2 * dy / height;
  }
  return F::affine_grid(theta.to(images.device()), images.sizes(), /*align_corners=*/false);
}

}  // namespace

torch::Tensor augment(const torch::Tensor& images, const Augmentation& a, std::uint64_t seed) {
  if (!a.any() || images.dim() != 4) return images;
  return F::grid_sample(
      images, places(images, a, seed),
      F::GridSampleFuncOptions().mode(torch::kBilinear).padding_mode(torch::kBorder).align_corners(false));
}

torch::Tensor augment_votes(const torch::Tensor& votes, const Augmentation& a, std::uint64_t seed) {
  if (!a.any() || votes.dim() != 4) return votes;
  return F::grid_sample(
      votes, places(votes, a, seed),
      F::GridSampleFuncOptions().mode(torch::kNearest).padding_mode(torch::kZeros).align_corners(false));
}

}  // namespace plumb::train
