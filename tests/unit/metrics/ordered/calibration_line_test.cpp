#include "plumb/metrics/ordered/calibration_line.hpp"

#include <gtest/gtest.h>

#include <array>

#include "unit/metrics/ordered/column.hpp"

namespace plumb::test {
namespace {

// The fit ends with a Newton step from a gradient of 1e-10 per vote; the gradient here is added in
// long double.
constexpr long double kGradientTolerance = 1e-12L;
// The statement of the same model on different numbers, up to rounding of the logits.
constexpr double kTolerance = 1e-9;

long double logit(double p) {
  return std::log(static_cast<long double>(p)) - std::log1p(-static_cast<long double>(p));
}

// Gradient per vote of the log-likelihood in (intercept, slope).
std::array<long double, 2> gradient(const Column& c, long double a, long double b) {
  long double ga = 0, gb = 0, total = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    const long double x = logit(c.p[i]);
    const long double r = c.gain(i) - c.mass(i) / (1 + std::exp(-(a + b * x)));
    ga += r;
    gb += r * x;
    total += c.mass(i);
  }
  return {ga / total, gb / total};
}

// The intercept for a given slope, by bisection: the profile of the likelihood.
long double best_intercept(const Column& c, long double b) {
  long double low = -60, high = 60;
  for (int i = 0; i < 200; ++i) {
    const long double mid = (low + high) / 2;
    (gradient(c, mid, b)[0] > 0 ? low : high) = mid;
  }
  return (low + high) / 2;
}

// Law: both fits are stationary points of a concave function, so they are its maximum.
TEST(CalibrationLine, GradientVanishes) {
  for (const ColumnOptions& o : kinds()) {
    if (o.n < 3) continue;
    const Column c = random_column(o);
    const CalibrationLine line = calibration_line(c.view(), 0);
    ASSERT_TRUE(line.slope && line.intercept) << "seed " << o.seed << line.slope.why;
    EXPECT_LT(std::fabs(gradient(c, *line.intercept.value, 1)[0]), kGradientTolerance) << "seed " << o.seed;
    const long double a = best_intercept(c, *line.slope.value);
    EXPECT_LT(std::fabs(gradient(c, a, *line.slope.value)[1]), kGradientTolerance) << "seed " << o.seed;
  }
}

// Votes in exact proportion to a known line: the fit returns it.
TEST(CalibrationLine, RecoversAKnownLine) {
  for (const double slope : {0.3, 1.0, 2.5, -0.7}) {
    Column c;
    c.whole_counts = false;
    for (int i = 1; i < 40; ++i) {
      const double p = i / 40.0;
      const double shifted = static_cast<double>(1 / (1 + std::exp(-slope * logit(p))));
      c.p.push_back(p);
      c.trials.push_back(100);
      c.hits.push_back(100 * shifted);
    }
    EXPECT_NEAR(*calibration_line(c.view(), 0).slope.value, slope, kTolerance);
    for (std::size_t i = 0; i < c.size(); ++i) {
      c.hits[i] = static_cast<double>(100 / (1 + std::exp(-(logit(c.p[i]) + slope))));
    }
    EXPECT_NEAR(*calibration_line(c.view(), 0).intercept.value, slope, kTolerance);
  }
}

TEST(CalibrationLine, HardCasesConverge) {
  // Forecasts within 1e-6 of each other, far off, and nearly separated.
  Column near = random_column({.n = 400, .seed = 71});
  for (double& p : near.p) p = 0.5 + 1e-6 * p;
  Column far = random_column({.n = 400, .seed = 72});
  for (double& p : far.p) p *= 1e-12;
  Column sharp;
  for (int i = 0; i < 1000; ++i) {
    sharp.p.push_back((i + 0.5) / 1000);
    sharp.hits.push_back(i >= 500);
  }
  std::swap(sharp.hits[499], sharp.hits[500]);
  for (const Column& c : {near, far, sharp}) {
    const CalibrationLine line = calibration_line(c.view(), 0);
    ASSERT_TRUE(line.slope) << line.slope.why;
    ASSERT_TRUE(line.intercept) << line.intercept.why;
    EXPECT_LT(std::fabs(gradient(c, *line.intercept.value, 1)[0]), kGradientTolerance);
  }
}

TEST(CalibrationLine, UndefinedWithAReason) {
  Column c{.p = {0.2, 0.4, 0.6, 0.8}, .hits = {0, 0, 1, 1}, .trials = {}, .weight = {}, .times = {}};
  CalibrationLine line = calibration_line(c.view(), 0);
  EXPECT_NE(line.slope.why.find("separate"), std::string::npos);
  EXPECT_NEAR(*line.intercept.value, 0.0, kTolerance);
  c.hits = {1, 1, 0, 0};
  EXPECT_NE(calibration_line(c.view(), 0).slope.why.find("separate"), std::string::npos);
  c.p = {0.2, 0.5, 0.5, 0.8};  // one tie of a hit and a miss still separates
  c.hits = {0, 0, 1, 1};
  EXPECT_NE(calibration_line(c.view(), 0).slope.why.find("separate"), std::string::npos);
  c.hits = {0, 0, 0, 0};
  EXPECT_NE(calibration_line(c.view(), 0).slope.why.find("no hits"), std::string::npos);
  EXPECT_NE(calibration_line(c.view(), 0).intercept.why.find("no hits"), std::string::npos);
  c.hits = {1, 1, 1, 1};
  EXPECT_NE(calibration_line(c.view(), 0).slope.why.find("no misses"), std::string::npos);
  c.p = {0.3, 0.3, 0.3, 0.3};
  c.hits = {0, 1, 0, 1};
  line = calibration_line(c.view(), 0);
  EXPECT_NE(line.slope.why.find("equal"), std::string::npos);
  EXPECT_NEAR(*line.intercept.value, static_cast<double>(-logit(0.3)), kTolerance);
}

TEST(CalibrationLine, ZeroAndOneNeedAClip) {
  const Column c{.p = {0, 0, 0.4, 0.6, 1}, .hits = {0, 1, 1, 0, 1}, .trials = {}, .weight = {}, .times = {}};
  const CalibrationLine line = calibration_line(c.view(), 0);
  EXPECT_NE(line.slope.why.find("3 votes"), std::string::npos) << line.slope.why;
  EXPECT_NE(line.intercept.why.find("⟦clip⟧"), std::string::npos);
  Column clipped = c;
  for (double& p : clipped.p) p = std::clamp(p, 1e-3, 1 - 1e-3);
  EXPECT_EQ(*calibration_line(c.view(), 1e-3).slope.value, *calibration_line(clipped.view(), 0).slope.value);
  // 1 - 1e-20 is 1 in double: the log-odds are finite all the same.
  EXPECT_TRUE(calibration_line(c.view(), 1e-20).slope);
}

// Reference: the log-likelihoods as they stand, in long double, at the fitted lines.
TEST(CalibrationLine, LikelihoodRatioTests) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Column c = random_column({.n = 400, .seed = seed});
    const CalibrationLine line = calibration_line(c.view(), 0);
    const LinePValues p = calibration_line_p(c.view(), 0);
    const auto likelihood = [&](long double a, long double b) {
      long double sum = 0;
      for (std::size_t i = 0; i < c.size(); ++i) {
        const long double x = a + b * std::log(static_cast<long double>(c.p[i]) / (1 - c.p[i]));
        sum += c.hits[i] > 0 ? -std::log1p(std::exp(-x)) : -std::log1p(std::exp(x));
      }
      return sum;
    };
    // The intercept beside the fitted slope: the best on a fine grid, whose end is flat.
    const long double slope = *line.slope.value;
    long double free = 0, step = 1;
    for (int i = 0; i < 200; ++i) {
      const long double here = likelihood(free, slope);
      if (likelihood(free + step, slope) > here)
        free += step;
      else if (likelihood(free - step, slope) > here)
        free -= step;
      else
        step /= 2;
    }
    const long double shifted = likelihood(*line.intercept.value, 1);
    const auto tail = [](long double twice) {  // chi-square with one degree of freedom
      return static_cast<double>(std::erfc(std::sqrt(twice / 2)));
    };
    EXPECT_NEAR(*p.intercept, tail(2 * (shifted - likelihood(0, 1))), 1e-9) << "seed " << seed;
    EXPECT_NEAR(*p.slope, tail(2 * (likelihood(free, slope) - shifted)), 1e-7) << "seed " << seed;
  }
}

TEST(CalibrationLine, NoTestWithoutAFit) {
  const Column equal{.p = {0.3, 0.3, 0.3}, .hits = {1, 0, 0}, .trials = {}, .weight = {}, .times = {}};
  const LinePValues p = calibration_line_p(equal.view(), 0);
  EXPECT_FALSE(p.slope);
  EXPECT_NEAR(*p.intercept, 0.9, 0.05);  // one event where 0.9 were expected
  EXPECT_FALSE(calibration_line_p(Column{}.view(), 0).intercept);
}

}  // namespace
}  // namespace plumb::test
