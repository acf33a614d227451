#include <cmath>
#include <filesystem>

#include "demo_data.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/npy.hpp"
#include "plumb/io/pictures.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/simulate/segmentation.hpp"

namespace plumb::cli {
namespace {

constexpr DemoProportions kSegmentationParts{400, 100, 100};
constexpr std::int64_t kMostBytes = std::int64_t{1} << 32;  // of one part, in memory

constexpr const char* kSegmentationReadme =
    R"(Simulated lesions outlined by @RATERS@ raters whose borders differ, most where the border is blurred, and the probability that a
rater marks each pixel. The pixels of one rater's border are dependent: the image, not the pixel, is the unit of resampling.

train/, validation/ and test/ (and test-clahe/, if requested: the test images after contrast equalisation) hold
  images.npy    N x 1 x @SIZE@ x @SIZE@ uint8
  ratings.npy   N x @RATERS@ x @SIZE@ x @SIZE@ uint8   1 where the rater marked the pixel
  labels.npy    N x @SIZE@ x @SIZE@ uint8       the first rater's
  truth.npy     N x @SIZE@ x @SIZE@ float64     the probability of a mark
and the same with a row for each pixel, as plumb evaluate takes them (not in train/):
  pixel_truth.npy    float64            pixel_ratings.npy  uint8, @RATERS@ columns
  pixel_image.npy    int64, the image's number
a manifest, cases.csv, of files in the folder cases (not in train/): an over-confident model's probabilities (.npy) and
the mask of each rater (.png)

Try, from the folder above this one:
  how well the true probabilities do
    plumb evaluate --probs @DIR@/test/pixel_truth.npy --ratings @DIR@/test/pixel_ratings.npy --groups @DIR@/test/pixel_image.npy --metrics ece,brier
  an over-confident model, image by image
    plumb evaluate --manifest @DIR@/test/cases.csv --bootstrap 200
  a network
    plumb train --data @DIR@ --model unet-small --targets ratings --optimizer adam --lr 0.001 --out runs/unet
)";

struct Masks {
  std::vector<double> truth;
  std::vector<std::uint8_t> ratings;  // N x R x pixels
};

Masks write_images_of(const DemoPart& part, const SegmentationOptions& o, bool quiet) {
  const std::int64_t n = part.items, raters = o.raters, pixels = std::int64_t{o.size} * o.size;
  Masks m{std::vector<double>(n * pixels), std::vector<std::uint8_t>(n * raters * pixels)};
  write_images(part, {1, o.size, o.size}, quiet, [&](std::int64_t i, std::span<std::uint8_t> image) {
    draw_segmentation(o, i, image, std::span(m.truth).subspan(i * pixels, pixels),
                      std::span(m.ratings).subspan(i * raters * pixels, raters * pixels));
  });
  return m;
}

void write_rows(const DemoPart& part, const Masks& m, std::int64_t pixels, std::int64_t raters) {
  const std::int64_t rows = part.items * pixels;
  std::vector<std::uint8_t> ratings(m.ratings.size());
  std::vector<std::int64_t> image(rows);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t i = row / pixels, pixel = row % pixels;
    image[row] = i;
    for (std::int64_t r = 0; r < raters; ++r)
      ratings[row * raters + r] = m.ratings[(i * raters + r) * pixels + pixel];
  }
  write_npy(part.file("pixel_ratings.npy"), ratings, std::array{rows, raters});
  write_npy(part.file("pixel_truth.npy"), m.truth, std::array{rows});
  write_npy(part.file("pixel_image.npy"), image, std::array{rows});
}

/// A model that is over-confident: log-odds half as large again as the true ones.
std::vector<float> overconfident(std::span<const double> truth) {
  std::vector<float> out;
  for (const double q : truth) {
    const double a = std::pow(q, 1.5), b = std::pow(1 - q, 1.5);
    out.push_back(static_cast<float>(a / (a + b)));
  }
  return out;
}

void write_cases(const DemoPart& part, const Masks& m, std::int64_t size, std::int64_t raters) {
  const std::int64_t pixels = size * size;
  std::filesystem::create_directories(part.file("cases"));
  std::string table = "case,probs";
  for (std::int64_t r = 1; r <= raters; ++r) table += ",rater_" + std::to_string(r);
  for (std::int64_t i = 0; i < part.items; ++i) {
    const std::string name = "image" + std::to_string(i), stem = "cases/" + name;
    write_npy(part.file(stem + "_probs.npy"), overconfident(std::span(m.truth).subspan(i * pixels, pixels)),
              std::array{size, size});
    table += "\n" + name + "," + stem + "_probs.npy";
    for (std::int64_t r = 0; r < raters; ++r) {
      const std::string file = stem + "_rater_" + std::to_string(r + 1) + ".png";
      write_file(part.file(file), encode_png(std::span(m.ratings).subspan((i * raters + r) * pixels, pixels),
                                             narrow<int>(size), narrow<int>(size), 1));
      table += "," + file;
    }
  }
  write_file(part.file("cases.csv"), table + "\n");
}

void write_segmentation(const DemoPart& part, SegmentationOptions o, bool quiet) {
  o.seed = part.seed;
  const Masks m = write_images_of(part, o, quiet);
  const std::int64_t size = o.size, pixels = size * size, raters = o.raters;
  std::vector<std::uint8_t> first;
  for (std::int64_t i = 0; i < part.items; ++i) {
    const auto from = m.ratings.begin() + i * raters * pixels;
    first.insert(first.end(), from, from + pixels);
  }
  write_npy(part.file("ratings.npy"), m.ratings, std::array{part.items, raters, size, size});
  write_npy(part.file("truth.npy"), m.truth, std::array{part.items, size, size});
  write_npy(part.file("labels.npy"), first, std::array{part.items, size, size});
  if (part.name != "train") write_rows(part, m, pixels, raters);
  if (part.name != "train") write_cases(part, m, size, raters);
}

}  // namespace

int demo_segmentation_command(const Args& args) {
  Flags flags(
      "demo segmentation",
      "Writes images of lesions, the outlines of several raters, and the true probability of each pixel.");
  DemoOptions options{.out = "segmentation", .items = total(kSegmentationParts)};
  std::int64_t size = 64, raters = 5;
  flags.integer("--size", size, "pixels along each side, 16 to 256");
  flags.integer("--raters", raters, "number of raters per image, 1 to 50");
  add_demo_flags(flags, options, true);
  flags.examples("Example:\n  plumb demo segmentation --out segmentation");
  if (!flags.parse(args)) return kDone;
  const SegmentationOptions o{.size = between("--size", size, 16, 256),
                              .raters = between("--raters", raters, 1, 50)};
  if (options.items * size * size * (9 + 2 * raters) > kMostBytes)
    throw InputError("there is not enough memory for so many pixels; lower --items, --size or --raters");
  const std::vector<DemoPart> parts = make_parts(options, kSegmentationParts);
  for (const DemoPart& part : parts) write_segmentation(part, o, options.quiet);
  const std::string readme = filled_in(kSegmentationReadme, "@SIZE@", std::to_string(size));
  finish_demo(options, parts, filled_in(readme, "@RATERS@", std::to_string(raters)));
  return kDone;
}

}  // namespace plumb::cli
