// Simulated lesions whose true probabilities are known: they show no error, and planted errors are found.
#include <gtest/gtest.h>

#include <cmath>

#include "plumb/evaluate/cases.hpp"
#include "plumb/simulate/segmentation.hpp"

namespace plumb {
namespace {

constexpr int kSize = 32, kRaters = 4, kImages = 24, kPixels = kSize * kSize;
constexpr int kSets = 8;

enum class Planted { nothing, over_confident, shifted, bad_rater };

struct Lesions {
  std::vector<std::string> names;
  std::vector<Items> items;
};

double over_confident(double p) {
  const double a = p * p, b = (1 - p) * (1 - p);  // log-odds twice as large
  return a / (a + b);
}

Lesions draw_lesions(Planted planted, std::uint64_t seed) {
  Lesions out;
  for (int image = 0; image < kImages; ++image) {
    std::vector<std::uint8_t> grey(kPixels), masks(kRaters * kPixels);
    std::vector<double> truth(kPixels), p(kPixels);
    draw_segmentation({.size = kSize, .raters = kRaters, .seed = seed}, image, grey, truth, masks);
    std::vector<std::int32_t> ratings(kPixels * kRaters);
    for (int i = 0; i < kPixels; ++i) {
      const int shift = i % kSize >= 3 ? i - 3 : i;  // three pixels to the side
      p[i] = planted == Planted::over_confident ? over_confident(truth[i])
             : planted == Planted::shifted      ? truth[shift]
                                                : truth[i];
      for (int r = 0; r < kRaters; ++r) {
        const bool bad = planted == Planted::bad_rater && r == kRaters - 1;
        ratings[i * kRaters + r] = masks[r * kPixels + (bad ? shift : i)];
      }
    }
    Items items;
    items.predictions = Predictions({Rows(array_of(std::move(p), {kPixels}, "p"))}, Scale::probability);
    items.votes = Votes::from_ratings(Rows(array_of(std::move(ratings), {kPixels, kRaters}, "v")), 2);
    out.items.push_back(std::move(items));
    out.names.push_back(std::to_string(image));
  }
  return out;
}

Result judge_lesions(Planted planted, std::uint64_t seed) {
  const Lesions set = draw_lesions(planted, seed);
  const auto read = [&](std::int64_t i) {
    return Case{set.names[i], set.names[i], {}, {"a", "b", "c", "d"}, set.items[i]};
  };
  return evaluate_cases(set.names, read,
                        {.evaluate = {.metrics = {"ece", "brier"}, .bootstrap = 200, .threads = 1}});
}

/// In how many of the sets a calibrated model is rejected at 5%.
int rejected(Planted planted) {
  int out = 0;
  for (int set = 0; set < kSets; ++set)
    out += *judge_lesions(planted, 400 + set)["ece"].p_value <= 0.05 ? 1 : 0;
  return out;
}

TEST(Lesions, TheTruthShowsNoErrorAndPlantedErrorsAreFound) {
  // At 5%, more than 2 of 8 happen by chance in fewer than 6 of 1000 runs.
  EXPECT_LE(rejected(Planted::nothing), 2);
  EXPECT_GE(rejected(Planted::over_confident), kSets - 1);
  EXPECT_GE(rejected(Planted::shifted), kSets - 1);
}

TEST(Lesions, TheBadRaterStandsOut) {
  const auto ece_by_rater = [](const Result& r) {
    std::vector<double> out;
    for (const auto& [name, section] : r.sections)
      if (name == "per_rater")
        for (const auto& [rater, values] : std::get<Tree::Members>(section.node))
          out.push_back(
              std::get<double>(std::get<Value>(std::get<Tree::Members>(values.node).front().second.node)));
    return out;
  };
  for (int set = 0; set < 3; ++set) {
    const std::vector<double> good = ece_by_rater(judge_lesions(Planted::nothing, 500 + set)),
                              bad = ece_by_rater(judge_lesions(Planted::bad_rater, 500 + set));
    ASSERT_EQ(bad.size(), static_cast<std::size_t>(kRaters));
    EXPECT_EQ(bad[0], good[0]);
    EXPECT_GT(bad[3], 1.5 * good[3]);
    for (int r = 0; r < 3; ++r) EXPECT_GT(bad[3], bad[r]);
  }
}

}  // namespace
}  // namespace plumb
