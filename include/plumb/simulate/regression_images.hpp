// Images with a target that is measured with noise, and noise that can be seen: for heteroscedastic
// regression (Laves 2021) with known mean and variance.
//
// One output: cells under a microscope; the target is the share of tumour cells (dark and large), and
// the fainter the stain, the less the observer can be trusted. Two outputs: the tip of an instrument in
// an endoscope; the target is its position, and the denser the smoke, the larger the error, more so
// along the shaft.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace plumb {

struct RegressionImageOptions {
  int outputs = 1;  ///< 1 or 2
  int size = 32;    ///< pixels, 16 to 128
  std::uint64_t seed = 0;
};

/// The first `outputs` entries hold: target = mean + sqrt(variance) times a standard normal.
struct RegressionImage {
  std::array<double, 2> mean{}, variance{}, target{};
};

/// One grey image of size x size: out.size() == size size. A function of (options, item).
[[nodiscard]] RegressionImage draw_regression_image(const RegressionImageOptions& options, std::int64_t item,
                                                    std::span<std::uint8_t> out);

}  // namespace plumb
