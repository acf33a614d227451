#include "demo_data.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/npy.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/simulate/regression_images.hpp"

namespace plumb::cli {
namespace {

constexpr DemoProportions kRegressionImagesParts{5000, 2000, 2000};

constexpr const char* kRegressionImagesReadme =
    R"(Simulated images with a measured target whose noise can be seen (for the methods of Laves 2021). @WHAT@

train/, validation/ and test/ (and test-clahe/, if requested: the test images after contrast equalisation) hold
  images.npy    N x 1 x @SIZE@ x @SIZE@ uint8
  targets.npy   @SHAPE@ float64   mean plus normal noise of that variance
  mean.npy      @SHAPE@ float64   the best prediction
  variance.npy  @SHAPE@ float64   the irreducible noise: the aleatoric variance

Try, from the folder above this one:
  how well the truth does
    plumb evaluate --mean @DIR@/test/mean.npy --variance @DIR@/test/variance.npy --targets @DIR@/test/targets.npy
  a network that predicts mean and variance
    plumb train --data @DIR@ --model cnn --head gaussian --optimizer adam --lr 0.0003 --out runs/regression
)";

constexpr const char* kCells =
    "Cells under a\nmicroscope: the target is the share of tumour cells (dark and large); the fainter the stain, the larger the error.";
constexpr const char* kInstruments =
    "An instrument\nin an endoscope: the target is the position of its tip (x, y in widths of the image); the denser the smoke, the larger the error.";

void write_regression_images(const DemoPart& part, RegressionImageOptions o, bool quiet) {
  o.seed = part.seed;
  const std::int64_t d = o.outputs, n = part.items;
  std::vector<double> mean(n * d), variance(n * d), targets(n * d);
  write_images(part, {1, o.size, o.size}, quiet, [&](std::int64_t i, std::span<std::uint8_t> image) {
    const RegressionImage item = draw_regression_image(o, i, image);
    for (std::int64_t k = 0; k < d; ++k) {
      const std::int64_t at = i * d + k;
      mean[at] = item.mean[k];
      variance[at] = item.variance[k];
      targets[at] = item.target[k];
    }
  });
  std::vector<std::int64_t> shape{part.items};
  if (d > 1) shape.push_back(o.outputs);
  write_npy(part.file("mean.npy"), mean, shape);
  write_npy(part.file("variance.npy"), variance, shape);
  write_npy(part.file("targets.npy"), targets, shape);
}

std::string readme_of(const RegressionImageOptions& o) {
  std::string text = filled_in(kRegressionImagesReadme, "@WHAT@", o.outputs == 1 ? kCells : kInstruments);
  text = filled_in(text, "@SHAPE@", o.outputs == 1 ? "N" : "N x 2");
  return filled_in(text, "@SIZE@", std::to_string(o.size));
}

}  // namespace

int demo_regression_images_command(const Args& args) {
  Flags flags(
      "demo regression-images",
      "Writes images with noisy targets of known mean and variance; the noise level is visible in the image.");
  DemoOptions options{.out = "regression-images", .items = total(kRegressionImagesParts)};
  std::int64_t outputs = 1, size = 32;
  flags.integer("--outputs", outputs, "1: share of tumour cells; 2: position of an instrument");
  flags.integer("--size", size, "pixels along each side, 16 to 128");
  add_demo_flags(flags, options, true);
  flags.examples("Example:\n  plumb demo regression-images --outputs 2 --out instruments");
  if (!flags.parse(args)) return kDone;
  if (outputs != 1 && outputs != 2)
    throw InputError("--outputs must be 1 or 2, not " + std::to_string(outputs));
  const RegressionImageOptions o{.outputs = narrow<int>(outputs), .size = between("--size", size, 16, 128)};
  const std::vector<DemoPart> parts = make_parts(options, kRegressionImagesParts);
  for (const DemoPart& part : parts) write_regression_images(part, o, options.quiet);
  finish_demo(options, parts, readme_of(o));
  return kDone;
}

}  // namespace plumb::cli
