#include "plumb/data/predictions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "plumb/numeric/simd.hpp"
#include "unit/data/complaint.hpp"

namespace plumb {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
// exp and the division behind it are good to a few units in the last place.
constexpr double kTight = 4e-16;

std::int64_t length(std::size_t n) { return static_cast<std::int64_t>(n); }

Rows column(std::vector<double> values, const std::string& name = "probs.npy") {
  const std::int64_t n = length(values.size());
  return Rows(array_of(std::move(values), {n}, name));
}
Rows matrix(std::vector<double> values, std::int64_t width, const std::string& name = "probs.npy") {
  const std::int64_t n = length(values.size()) / width;
  return Rows(array_of(std::move(values), {n, width}, name));
}

Predictions probabilities(Rows rows, bool normalize = false) {
  return Predictions({std::move(rows)}, Scale::probability, {.normalize = normalize});
}
Predictions logits(Rows rows) { return Predictions({std::move(rows)}, Scale::logit); }

std::vector<double> read_all(const Predictions& p) {
  PredictionBlock block;
  p.read(0, p.items(), block);
  EXPECT_EQ(block.size, p.items());
  EXPECT_EQ(block.width, p.width());
  return block.z;
}

std::string refusal(const Predictions& p) {
  return complaint([&] { (void)read_all(p); });
}

/// Rows of positive numbers with sum 1 up to rounding.
std::vector<double> simplex(std::int64_t rows, std::int64_t width, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  std::vector<double> z(static_cast<std::size_t>(rows * width));
  for (std::int64_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < width; ++j) {
      double& x = z[static_cast<std::size_t>(i * width + j)];
      x = static_cast<double>(bits() >> 11) * 0x1p-53 + 1e-3;
      sum += x;
    }
    for (std::int64_t j = 0; j < width; ++j) z[static_cast<std::size_t>(i * width + j)] /= sum;
  }
  return z;
}

TEST(Predictions, ShapesDecideTheTask) {
  EXPECT_TRUE(probabilities(column({0.5})).binary());
  EXPECT_EQ(probabilities(column({0.5})).classes(), 2);
  EXPECT_TRUE(probabilities(matrix({0.5}, 1)).binary());
  EXPECT_TRUE(probabilities(matrix({0.5, 0.5}, 2)).binary());
  EXPECT_EQ(probabilities(matrix({0.5, 0.5}, 2)).width(), 1);
  EXPECT_EQ(probabilities(matrix({0.2, 0.3, 0.5}, 3)).classes(), 3);
  EXPECT_EQ(probabilities(matrix({0.2, 0.3, 0.5}, 3)).width(), 3);
}

TEST(Predictions, ValuesArriveAsGiven) {
  EXPECT_EQ(read_all(probabilities(column({0, 1, 0.25}))), (std::vector<double>{0, 1, 0.25}));
  const std::vector<double> z = {0.2, 0.3, 0.4999, 1, 0, 0};
  EXPECT_EQ(read_all(probabilities(matrix(z, 3))), z);
  EXPECT_EQ(read_all(probabilities(matrix({0.3, 0.7, 0.9, 0.1001}, 2))), (std::vector<double>{0.7, 0.1001}));
  EXPECT_EQ(read_all(probabilities(Rows(array_of(std::vector<float>{0.1f}, {1}, "f")))),
            (std::vector<double>{static_cast<double>(0.1f)}));
  EXPECT_EQ(read_all(probabilities(Rows(array_of(std::vector<std::uint8_t>{0, 1, 1}, {3}, "hard")))),
            (std::vector<double>{0, 1, 1}));
  EXPECT_TRUE(read_all(probabilities(column({}))).empty());
}

TEST(Predictions, EveryLayoutGivesTheSameBits) {
  const std::int64_t n = 301, k = 10;
  const std::vector<double> z = simplex(n, k, 5);
  std::vector<double> fortran(z.size());
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < k; ++j)
      fortran[static_cast<std::size_t>(j * n + i)] = z[static_cast<std::size_t>(i * k + j)];
  }
  Array strided = array_of(fortran, {n, k}, "fortran");
  strided.strides = {8, 8 * n};
  const Rows shards({array_of(std::vector<double>(z.begin(), z.begin() + 100 * k), {100, k}, "a"),
                     array_of(std::vector<double>(z.begin() + 100 * k, z.end()), {n - 100, k}, "b")});
  for (const bool normalize : {false, true}) {
    const std::vector<double> want = read_all(probabilities(matrix(z, k), normalize));
    EXPECT_EQ(read_all(probabilities(Rows(strided), normalize)), want);
    EXPECT_EQ(read_all(probabilities(shards, normalize)), want);
    for (const std::string& target : simd_targets()) {
      force_simd_target(target);
      EXPECT_EQ(read_all(probabilities(matrix(z, k), normalize)), want) << target;
    }
    force_simd_target("");
    // Blocks of any size give the same column.
    for (const std::int64_t size : {1, 7, 64}) {
      std::vector<double> pieces;
      PredictionBlock block;
      const Predictions p = probabilities(shards, normalize);
      for (std::int64_t i = 0; i < n; i += size) {
        p.read(i, std::min(n, i + size), block);
        pieces.insert(pieces.end(), block.z.begin(), block.z.end());
      }
      EXPECT_EQ(pieces, want) << size;
    }
  }
}

TEST(Predictions, SumsAreAcceptedWithinATolerance) {
  EXPECT_NO_THROW((void)read_all(probabilities(matrix({0.2, 0.3, 0.499}, 3))));
  EXPECT_NO_THROW((void)read_all(probabilities(matrix({0.2, 0.3, 0.501}, 3))));
  EXPECT_NO_THROW((void)read_all(probabilities(matrix({0.499, 0.5}, 2))));
  EXPECT_EQ(
      refusal(probabilities(matrix({0.2, 0.3, 0.5, 0.2, 0.3, 0.4}, 3))),
      "probs.npy, row 1 sums to 0.9; the probabilities of an item must sum to 1 within 0.001; use .normalize to rescale rows");
  EXPECT_EQ(
      refusal(probabilities(matrix({0.5, 0.502}, 2))),
      "probs.npy, row 0 sums to 1.002; the probabilities of an item must sum to 1 within 0.001; use .normalize to rescale rows");
}

TEST(Predictions, NormalizeRescalesRows) {
  EXPECT_EQ(read_all(probabilities(matrix({1, 1, 2, 0, 0, 5}, 3), true)),
            (std::vector<double>{0.25, 0.25, 0.5, 0, 0, 1}));
  EXPECT_EQ(read_all(probabilities(matrix({1, 3, 30, 10}, 2), true)), (std::vector<double>{0.75, 0.25}));
  EXPECT_EQ(read_all(probabilities(column({0.25}), true)), (std::vector<double>{0.25}));
  EXPECT_EQ(
      refusal(probabilities(column({1.5}), true)),
      "probs.npy, row 0 is 1.5; a probability must lie in [0, 1]; if these are log-odds, use .logits, and if they are percentages, divide by 100");
  EXPECT_EQ(refusal(probabilities(matrix({0, 0, 0}, 3), true)),
            "probs.npy, row 0 sums to 0; .normalize needs a positive finite sum");
  EXPECT_EQ(refusal(probabilities(matrix({0, 0}, 2), true)),
            "probs.npy, row 0 sums to 0; .normalize needs a positive finite sum");
  EXPECT_EQ(refusal(probabilities(matrix({1e308, 1e308, 1}, 3), true)),
            "probs.npy, row 0 sums to inf; .normalize needs a positive finite sum");
  EXPECT_EQ(
      refusal(probabilities(matrix({0.5, -0.25, 1}, 3), true)),
      "probs.npy, row 0, column 1 is -0.25; a probability must lie in [0, 1]; if these are logits, use .logits; otherwise correct the model's output");
}

TEST(Predictions, BadProbabilitiesAreNamed) {
  EXPECT_EQ(
      refusal(probabilities(column({0.5, kNaN}))),
      "probs.npy, row 1 is nan; a probability must be a number in [0, 1]; leave out the item or correct the model's output");
  EXPECT_EQ(
      refusal(probabilities(matrix({0.2, 0.8, 0, 0.5, kInf, 0.5}, 3))),
      "probs.npy, row 1, column 1 is inf; a probability must be a number in [0, 1]; leave out the item or correct the model's output");
  EXPECT_EQ(
      refusal(probabilities(column({0.5, -1.25, 3}))),
      "probs.npy, row 1 is -1.25; a probability must lie in [0, 1]; if these are log-odds, use .logits");
  EXPECT_EQ(
      refusal(probabilities(matrix({0.5, 0.25, 0.25, 2.5, -1, 0}, 3))),
      "probs.npy, row 1, column 1 is -1; a probability must lie in [0, 1]; these look like logits: use .logits");
  EXPECT_EQ(
      refusal(probabilities(matrix({20, 30, 50}, 3))),
      "probs.npy, row 0, column 0 is 20; a probability must lie in [0, 1]; use .normalize to rescale rows to sum to 1, or .logits if these are logits");
  EXPECT_EQ(
      refusal(probabilities(matrix({1.5, -0.5}, 2))),
      "probs.npy, row 0, column 1 is -0.5; a probability must lie in [0, 1]; these look like logits: use .logits");
}

TEST(Predictions, TheFirstBadRowIsNamedWhereverItStands) {
  std::vector<double> z = simplex(50, 5, 9);
  z[7 * 5 + 4] += 0.5;
  z[30 * 5] = kNaN;
  const Predictions p = probabilities(matrix(z, 5));
  EXPECT_NE(refusal(p).find("row 7 sums to 1.5"), std::string::npos) << refusal(p);
  PredictionBlock block;
  EXPECT_NE(complaint([&] { p.read(8, 50, block); }).find("row 30, column 0 is nan"), std::string::npos);
  EXPECT_NO_THROW(p.read(8, 30, block));
  Array csv = array_of(std::vector<double>{0.5, 7}, {2}, "v.csv:p");
  csv.first_row = 2;
  EXPECT_NE(refusal(probabilities(Rows(csv))).find("v.csv:p, row 1 (line 3) is 7"), std::string::npos);
}

TEST(Predictions, BadShapesAreNamed) {
  EXPECT_EQ(complaint([] { Predictions({}, Scale::probability); }),
            "no predictions given; use .probs or .logits");
  EXPECT_EQ(complaint([] { logits(Rows(array_of(std::vector<std::string>{"a"}, {1}, "x.csv:p"))); }),
            "x.csv:p holds text; logits must be numbers");
  EXPECT_EQ(
      complaint([] {
        probabilities(Rows(array_of(std::vector<double>(12, 0.5), {2, 2, 3}, "s.npy")));
      }),
      "s.npy is 2 x 2 x 3; predictions are N or N x K; name the axes of images with .axes, for example NHWK; for stacked samples use .samples or .sample_logits");
  EXPECT_EQ(complaint([] {
              probabilities(Rows(array_of(std::vector<double>{}, {4, 0}, "z.npy")));
            }),
            "z.npy is 4 x 0; at least one column is needed");
  EXPECT_EQ(complaint([] {
              Predictions({column({1}, "a"), column({1, 0}, "b")}, Scale::probability);
            }),
            "a has 1 row but b has 2 rows; both must describe the same items in the same order");
  EXPECT_EQ(complaint([] {
              Predictions({matrix({1, 0}, 2, "a"), matrix({1, 0, 0}, 3, "b")}, Scale::probability);
            }),
            "a has 2 columns but b has 3 columns; samples must agree in shape");
}

TEST(Predictions, LogitsBecomeProbabilities) {
  // Golden: logistic(1), logistic(-2), softmax(0, 1, 2) to 20 digits.
  const std::vector<double> one = read_all(logits(column({0, 1, -2, 800, -800})));
  EXPECT_EQ(one[0], 0.5);
  EXPECT_NEAR(one[1], 0.73105857863000487926, kTight);
  EXPECT_NEAR(one[2], 0.11920292202211755594, kTight);
  EXPECT_EQ(one[3], 1.0);
  EXPECT_EQ(one[4], 0.0);
  const std::vector<double> soft = read_all(logits(matrix({0, 1, 2, 1000, 1000, -1e308}, 3)));
  EXPECT_NEAR(soft[0], 0.090030573170380457998, kTight);
  EXPECT_NEAR(soft[1], 0.24472847105479765141, kTight);
  EXPECT_NEAR(soft[2], 0.66524095577482189053, kTight);
  EXPECT_EQ(soft[3], 0.5);
  EXPECT_EQ(soft[5], 0.0);
  // Two logits: only their difference matters, however large.
  EXPECT_EQ(read_all(logits(matrix({3, 4, 0, 0, 1e308, -1e308}, 2))), (std::vector<double>{one[1], 0.5, 0}));
  EXPECT_EQ(logits(matrix({3, 4}, 2)).width(), 1);
}

TEST(Predictions, BadLogitsAreNamed) {
  EXPECT_EQ(
      complaint([] {
        (void)read_all(logits(column({0, kInf}, "logits.npy")));
      }),
      "logits.npy, row 1 is inf; a logit must be finite; leave out the item, or give the predictions as probabilities with .probs");
  EXPECT_NE(complaint([] {
              (void)read_all(logits(matrix({0, 1, kNaN}, 3, "l")));
            }).find("l, row 0, column 2 is nan"),
            std::string::npos);
  EXPECT_NE(complaint([] {
              (void)read_all(logits(matrix({-kInf, 1}, 2, "l")));
            }).find("l, row 0, column 0 is -inf"),
            std::string::npos);
}

TEST(Predictions, SamplesAreAveragedInTheOrderGiven) {
  const Predictions p({column({0.25, 1}), column({0.5, 1}), column({0.5, 1})}, Scale::probability);
  EXPECT_EQ(p.samples(), 3);
  EXPECT_EQ(read_all(p), (std::vector<double>{(0.25 + 0.5 + 0.5) / 3, 1}));
  PredictionBlock block;
  p.read_sample(0, 1, 2, block);
  EXPECT_EQ(block.z, std::vector<double>{1});
  p.read_sample(2, 0, 1, block);
  EXPECT_EQ(block.z, std::vector<double>{0.5});
  // Logits: the mean of the probabilities, not the probability of the mean logit.
  const Predictions l({column({0}), column({1})}, Scale::logit);
  EXPECT_EQ(read_all(l)[0], (0.5 + read_all(logits(column({1})))[0]) / 2);
  const Predictions wide({matrix({1, 1, 2}, 3), matrix({0, 0, 1}, 3)}, Scale::probability,
                         {.normalize = true});
  EXPECT_EQ(read_all(wide), (std::vector<double>{0.125, 0.125, 0.75}));
  EXPECT_NE(complaint([] {
              (void)read_all(Predictions({column({0.5}, "a"), column({2}, "b")}, Scale::probability));
            }).find("b, row 0 is 2"),
            std::string::npos);
}

TEST(Predictions, MeansOfSamplesStayInsideTheUnitInterval) {
  std::vector<Rows> samples;
  for (int s = 0; s < 49; ++s) samples.push_back(column({1, std::nextafter(1.0, 0.0), 0}));
  for (const double p : read_all(Predictions(samples, Scale::probability))) {
    EXPECT_GE(p, 0);
    EXPECT_LE(p, 1);
  }
}

TEST(Predictions, StackedSamplesSplitWithoutACopy) {
  // element (s, i, j) = s / 4 or its complement
  const Array stacked = array_of(
      std::vector<double>{0, 1, 0.25, 0.75, 0.5, 0.5, 1, 0, 0.125, 0.875, 0.75, 0.25}, {2, 3, 2}, "s.npy");
  const std::vector<Rows> samples = split_samples(Rows(stacked));
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[1].contiguous<double>(0, 3), reinterpret_cast<const double*>(stacked.data) + 6);
  EXPECT_EQ(samples[1].where(2), "s.npy[1], row 2");
  EXPECT_EQ(read_all(Predictions(samples, Scale::probability)),
            (std::vector<double>{0.5, (0.75 + 0.875) / 2, 0.375}));
  // S x N, two shards along S, one of them in Fortran order
  Array fortran = array_of(std::vector<double>{0.1, 0.4, 0.2, 0.5, 0.3, 0.6}, {2, 3}, "f");
  fortran.strides = {8, 16};
  const std::vector<Rows> flat =
      split_samples(Rows({array_of(std::vector<double>{0.7, 0.8, 0.9}, {1, 3}, "c"), fortran}));
  ASSERT_EQ(flat.size(), 3u);
  EXPECT_EQ(read_all(probabilities(flat[0])), (std::vector<double>{0.7, 0.8, 0.9}));
  EXPECT_EQ(read_all(probabilities(flat[1])), (std::vector<double>{0.1, 0.2, 0.3}));
  EXPECT_EQ(read_all(probabilities(flat[2])), (std::vector<double>{0.4, 0.5, 0.6}));
  EXPECT_EQ(flat[2].where(1), "f[1], row 1");
  EXPECT_EQ(complaint([] {
              (void)split_samples(column({1, 2}, "flat.npy"));
            }),
            "flat.npy is 2; stacked samples are S x N or S x N x K");
  EXPECT_EQ(complaint([] {
              (void)split_samples(Rows(array_of(std::vector<std::string>{"a"}, {1, 1}, "t")));
            }),
            "t holds text; samples must be numbers");
}

TEST(Predictions, Gather) {
  const std::vector<std::int64_t> rows = {2, 0};
  const Predictions p({column({0.1, 0.2, 0.3}), column({0.5, 0.6, 0.7})}, Scale::probability);
  const Predictions picked = p.gather(rows);
  EXPECT_EQ(picked.items(), 2);
  EXPECT_EQ(picked.samples(), 2);
  EXPECT_EQ(read_all(picked), (std::vector<double>{(0.3 + 0.7) / 2, (0.1 + 0.5) / 2}));
  const Predictions scaled = probabilities(matrix({1, 1, 2, 0, 3, 1}, 3), true);
  EXPECT_EQ(read_all(scaled.gather(std::vector<std::int64_t>{1})), (std::vector<double>{0, 0.75, 0.25}));
  EXPECT_EQ(Predictions().gather({}).items(), 0);
}

TEST(Predictions, Argmax) {
  EXPECT_EQ(argmax(std::vector<double>{0.2, 0.4, 0.4}), 1);
  EXPECT_EQ(argmax(std::vector<double>{0.4, 0.2, 0.4}), 0);
  EXPECT_EQ(argmax(std::vector<double>{0.4}), 0);
  EXPECT_EQ(argmax({}), 0);
}

TEST(Predictions, TopLabels) {
  PredictionBlock binary;
  binary.z = {0.9, 0.5, 0.25, std::nextafter(0.5, 1.0)};
  binary.size = 4;
  binary.width = 1;
  std::vector<double> p(3);
  std::vector<std::uint32_t> label(3);
  top_labels(binary, 1, p, label);
  EXPECT_EQ(p, (std::vector<double>{0.5, 0.75, std::nextafter(0.5, 1.0)}));
  EXPECT_EQ(label, (std::vector<std::uint32_t>{0, 0, 1}));
  PredictionBlock many;
  many.size = 40;
  many.width = 11;
  many.z = simplex(40, 11, 21);
  p.resize(40);
  label.resize(40);
  top_labels(many, 0, p, label);
  for (std::size_t i = 0; i < 40; ++i) {
    const std::span<const double> row = std::span(many.z).subspan(i * 11, 11);
    EXPECT_EQ(label[i], static_cast<std::uint32_t>(argmax(row)));
    EXPECT_EQ(p[i], row[label[i]]);
  }
}

}  // namespace
}  // namespace plumb
