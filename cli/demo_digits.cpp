#include <filesystem>

#include "demo_data.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/idx.hpp"
#include "plumb/io/npy.hpp"
#include "plumb/simulate/digits.hpp"

namespace plumb::cli {
namespace {

// Mimori 2021, appendix E: images of each part, and votes per image.
constexpr DemoProportions kDigitsParts{50000, 10000, 10000};
constexpr int kTrainVotes = 1, kTestVotes = 10;

constexpr const char* kDigitsReadme =
    R"(Binary labels of @WHOSE@ digits in three modes of uncertainty (Mimori 2021, appendix E). An annotator of image i says 1 with
probability q_i. Numerals 0 and 1: q is 0 and 1. 2 to 5: q is close to 0 or 1, differently for each image, and the image does
not tell which. 6 to 9: q is near 0.2, 0.4, 0.6, 0.8, and annotators of one image disagree. Mean probabilities do not tell 2 from
6, or 5 from 9; how often two annotators disagree does.

train/ (1 vote per image), validation/ (@VOTES@) and test/ (10) hold
  images.npy    N x 1 x 28 x 28 uint8
  counts.npy    N x 2 int64    votes for 0 and for 1
  labels.npy    N uint8        the first vote
  truth.npy     N float64      q
  expected.npy  N float64      the mean of q over images of that numeral: the best prediction from the image
  numeral.npy   N uint8        0 to 9

Try, from the folder above this one:
  the best forecasts: calibrated, but wrong about how often two annotators disagree
    plumb evaluate --probs @DIR@/test/expected.npy --counts @DIR@/test/counts.npy
  a network, to be calibrated with alpha afterwards
    plumb train --data @DIR@ --model cnn --optimizer adam --lr 0.001 --targets counts --out runs/cnn
)";

/// MNIST's digits, in file order; empty when they are to be drawn.
struct Mnist {
  std::vector<std::uint8_t> images, numerals;
  [[nodiscard]] std::int64_t size() const { return std::ssize(numerals); }
};

IdxBytes read_part(const std::string& base, int axes) {
  return read_idx(std::filesystem::exists(base) ? base : base + ".gz", axes);
}

// The 60,000 of the training files and the 10,000 of the test files, or those of the two that are there.
Mnist read_mnist(const std::string& folder) {
  Mnist out;
  for (const char* name : {"train", "t10k"}) {
    const std::string base = folder + "/" + name, images = base + "-images-idx3-ubyte";
    if (!std::filesystem::exists(images) && !std::filesystem::exists(images + ".gz")) continue;
    const IdxBytes pixels = read_part(images, 3), labels = read_part(base + "-labels-idx1-ubyte", 1);
    if (pixels.shape[1] != kDigitSize || pixels.shape[2] != kDigitSize)
      throw InputError(images + " has images of " + show_shape(std::span(pixels.shape).last(2)) +
                       ", not 28 x 28");
    check_same_rows(images, pixels.shape[0], base + "-labels-idx1-ubyte", labels.shape[0]);
    for (const std::uint8_t label : labels.values)
      if (label > 9)
        throw InputError(base + "-labels-idx1-ubyte holds the label " + std::to_string(int{label}) +
                         ", which is not a digit");
    out.images.insert(out.images.end(), pixels.values.begin(), pixels.values.end());
    out.numerals.insert(out.numerals.end(), labels.values.begin(), labels.values.end());
  }
  if (out.numerals.empty())
    throw InputError("there is no train-images-idx3-ubyte or t10k-images-idx3-ubyte (or .gz) in " + folder +
                     "; leave out --mnist for drawn digits");
  return out;
}

// Where a part begins among n digits: the papers' training, validation and test images when all
// 70,000 are there.
std::int64_t first_of(const DemoPart& part, std::int64_t n) {
  const std::int64_t all = total(kDigitsParts);
  const std::int64_t test = (2 * kDigitsParts[2] * n + all) / (2 * all),
                     validation = (2 * kDigitsParts[1] * n + all) / (2 * all);
  return part.name == "train" ? 0 : part.name == "validation" ? n - test - validation : n - test;
}

void write_digits(const DemoPart& part, const Mnist& mnist, int votes, bool quiet) {
  const std::int64_t first = mnist.size() > 0 ? first_of(part, mnist.size()) : 0;
  std::vector<std::uint8_t> numerals;
  for (std::int64_t i = 0; i < part.items; ++i)
    numerals.push_back(mnist.size() > 0 ? mnist.numerals[first + i] : digit_numeral(part.seed, i));
  const ThreeModeLabels labels = label_three_modes(numerals, {.votes = votes, .seed = part.seed});
  const std::array column{part.items};
  write_npy(part.file("numeral.npy"), numerals, column);
  write_npy(part.file("labels.npy"), labels.labels, column);
  write_npy(part.file("truth.npy"), labels.truth, column);
  write_npy(part.file("expected.npy"), labels.expected, column);
  write_npy(part.file("counts.npy"), labels.counts, std::array{part.items, std::int64_t{2}});
  write_images(part, {1, kDigitSize, kDigitSize}, quiet, [&](std::int64_t i, std::span<std::uint8_t> image) {
    if (mnist.size() == 0) return draw_digit(part.seed, i, numerals[i], image);
    std::copy_n(mnist.images.begin() + (first + i) * std::ssize(image), image.size(), image.begin());
  });
}

}  // namespace

int demo_digits_command(const Args& args) {
  Flags flags("demo digits",
              "Writes drawn digits with votes of annotators who are certain, divided, or uncertain.");
  DemoOptions options{.out = "digits", .items = total(kDigitsParts)};
  std::int64_t votes = 2;
  std::string mnist_folder;
  flags.integer("--validation-votes", votes, "votes per image in the validation part");
  flags.text("--mnist", "FOLDER", mnist_folder,
             "MNIST's digits (idx files, plain or .gz) instead of drawn ones");
  add_demo_flags(flags, options, true);
  flags.examples(
      "Example:\n  plumb demo digits --out digits\n  plumb demo digits --items 7000 --validation-votes 5 --out digits");
  if (!flags.parse(args)) return kDone;
  const int validation_votes = between("--validation-votes", votes, 1, 1000);
  const Mnist mnist = mnist_folder.empty() ? Mnist{} : read_mnist(mnist_folder);
  if (mnist.size() > 0 && !flags.given("--items")) options.items = mnist.size();
  if (mnist.size() > 0 && options.items > mnist.size())
    throw InputError("--items is " + std::to_string(options.items) + ", but " + mnist_folder + " has " +
                     counted(mnist.size(), "digit"));
  const std::vector<DemoPart> parts = make_parts(options, kDigitsParts);
  for (const DemoPart& part : parts) {
    const int n = part.name == "train"        ? kTrainVotes
                  : part.name == "validation" ? validation_votes
                                              : kTestVotes;
    write_digits(part, mnist, n, options.quiet);
  }
  const std::string readme = filled_in(kDigitsReadme, "@VOTES@", std::to_string(votes));
  finish_demo(options, parts, filled_in(readme, "@WHOSE@", mnist.size() > 0 ? "MNIST's" : "drawn"));
  return kDone;
}

}  // namespace plumb::cli
