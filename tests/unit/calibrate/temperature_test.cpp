#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <optional>

#include "calibrate/temperature.hpp"
#include "calibrate/tune.hpp"
#include "parametric.hpp"
#include "plumb/io/npy.hpp"
#include "plumb/numeric/simd.hpp"

namespace plumb {
namespace {

using test::fit;
using test::simulate;
using test::Simulated;
using test::to_items;
using test::VoteForm;

double temperature_of(const Step& step) { return test::values(step, "T")[0]; }

bool warns(const Step& step, const std::string& of) {
  for (const std::string& w : step.fit.warnings)
    if (w.find(of) != std::string::npos) return true;
  return false;
}

Items logits(std::vector<double> u, std::int64_t n, int k, std::vector<std::int64_t> label) {
  Items items;
  const std::vector<std::int64_t> shape =
      k == 2 ? std::vector<std::int64_t>{n} : std::vector<std::int64_t>{n, k};
  items.predictions = Predictions({Rows(array_of(std::move(u), shape, "logits.npy"))}, Scale::logit);
  items.votes = Votes::from_labels(Rows(array_of(std::move(label), {n}, "labels.npy")), k);
  return items;
}

// Labels drawn from softmax(u / 2.5): T is found within a few of its standard errors (about 0.02 at this n).
TEST(Temperature, FindsAPlantedTemperature) {
  for (const int k : {2, 4, 30}) {
    RandomStream rng(5, Purpose::demo, static_cast<std::uint32_t>(k));
    constexpr std::int64_t n = 40000;
    constexpr double kT = 2.5;
    std::vector<double> u;
    std::vector<std::int64_t> y;
    for (std::int64_t i = 0; i < n; ++i) {
      std::vector<test::Real> row(static_cast<std::size_t>(k));
      for (std::size_t c = k == 2 ? 1 : 0; c < row.size(); ++c) {
        u.push_back(5 * rng.normal());
        row[c] = u.back() / kT;
      }
      const auto p = test::softmax(row);
      double r = rng.uniform();
      std::size_t c = 0;
      while (c + 1 < p.size() && r >= static_cast<double>(p[c])) r -= static_cast<double>(p[c++]);
      y.push_back(static_cast<std::int64_t>(c));
    }
    const Step step = fit("temperature", logits(u, n, k, y));
    EXPECT_NEAR(temperature_of(step), kT, 0.12) << k << " classes";
    EXPECT_LE(step.fit.iterations, 12);
    EXPECT_LE(step.fit.gradient_norm, 1e-9);
  }
}

// The derivatives of one pass against differences of its values.
TEST(Temperature, DerivativesAreThoseOfTheValue) {
  for (const int k : {2, 3, 8, 13}) {
    const Items items =
        to_items(simulate({.n = 200, .classes = k, .raters = 3, .vary = true}), VoteForm::counts);
    detail::TemperaturePass pass(items, detail::tally(items, 1).mass, 1);
    for (const double beta : {0.2, 1.0, 3.0}) {
      constexpr double h = 1e-4;
      const auto at = pass(beta), up = pass(beta + h), down = pass(beta - h);
      EXPECT_NEAR(at.first, (up.value - down.value) / (2 * h), 1e-6);
      EXPECT_NEAR(at.second, (up.first - down.first) / (2 * h), 1e-5);
    }
  }
}

TEST(Temperature, RowOrderAndFloat32KeepTheBits) {
  for (const int k : {2, 11}) {
    const Simulated s = simulate({.n = 3000, .classes = k, .raters = 3, .vary = true, .sharpen = 2});
    const Step step = fit("temperature", to_items(s, VoteForm::counts));
    const Simulated moved = take(s, test::shuffled(s.size(), 4));
    EXPECT_EQ(temperature_of(step), temperature_of(fit("temperature", to_items(moved, VoteForm::counts))));

    Items wide = test::logit_items(s, VoteForm::counts), narrow = wide;
    std::vector<float> f;
    std::vector<double> d(s.z.size());
    wide.predictions.sources().front().read(0, wide.size(), d);
    for (double& x : d) f.push_back(static_cast<float>(x)), x = static_cast<double>(f.back());
    const std::vector<std::int64_t> shape =
        k == 2 ? std::vector<std::int64_t>{3000} : std::vector<std::int64_t>{3000, k};
    wide.predictions = Predictions({Rows(array_of(d, shape, "a"))}, Scale::logit);
    narrow.predictions = Predictions({Rows(array_of(f, shape, "b"))}, Scale::logit);
    const double t = temperature_of(fit("temperature", wide));
    EXPECT_EQ(t, temperature_of(fit("temperature", narrow)));
    for (const std::string& target : simd_targets()) {
      force_simd_target(target);
      EXPECT_EQ(t, temperature_of(fit("temperature", narrow))) << target;
    }
    force_simd_target("");
  }
}

TEST(Temperature, WithoutAnOptimumThePriorHoldsIt) {
  const Step apart = fit("temperature", logits({-1, -2, 1, 3}, 4, 2, {0, 0, 1, 1}));
  EXPECT_GT(temperature_of(apart), 0.05);
  EXPECT_TRUE(warns(apart, "The scores separate the classes, so the objective has no finite optimum"));
  const Step wrong = fit("temperature", logits({-2, -2, 2, 0.1, -0.1, 0.1}, 6, 2, {0, 1, 0, 0, 1, 0}));
  EXPECT_GT(temperature_of(wrong), 1);
  EXPECT_LT(temperature_of(wrong), 100);
  EXPECT_TRUE(warns(wrong, "do not predict"));
  // More votes against the scores than the prior has: what is left are equal probabilities.
  const Step against = fit("temperature", logits({-1, -2, 1, 3}, 4, 2, {1, 1, 0, 0}));
  EXPECT_EQ(temperature_of(against), detail::kLargestT);
  EXPECT_TRUE(warns(against, "left at its bound"));
  const Step flat = fit("temperature", logits({2, 2, 2, 5, 5, 5}, 2, 3, {0, 1}));
  EXPECT_EQ(temperature_of(flat), 1);
  EXPECT_TRUE(warns(flat, "changes nothing"));
  const Step apart3 = fit("temperature", logits({3, 0, 0, 0, 0, 1}, 2, 3, {0, 2}));
  EXPECT_GT(temperature_of(apart3), 0.05);
}

TEST(Temperature, TheSearchEndsAtItsBounds) {
  for (const bool right : {true, false}) {
    const Items items =
        logits({-1, -2, 1, 3}, 4, 2,
               right ? std::vector<std::int64_t>{0, 0, 1, 1} : std::vector<std::int64_t>{1, 1, 0, 0});
    const auto fit = detail::fit_temperature(items, detail::tally(items, 1), {.threads = 1});
    EXPECT_EQ(fit.T, right ? detail::kSmallestT : detail::kLargestT);
    EXPECT_LE(fit.passes, 12);
    EXPECT_FALSE(fit.no_optimum.empty());
  }
}

// Scores far out of scale: T = 1000 and 0.003 are found as well, in few passes.
TEST(Temperature, FindsFarTemperatures) {
  const Simulated s = simulate({.n = 2000, .classes = 4, .seed = 8});
  const auto u = test::naive_logits(s);
  std::vector<std::int64_t> y;
  for (const auto& v : s.votes) y.push_back(v[0]);
  const double t = temperature_of(fit("temperature", logits(u, 2000, 4, y)));
  for (const double scale : {1000.0, 0.003, 30.0}) {
    std::vector<double> x = u;
    for (double& v : x) v *= scale;
    const Step step = fit("temperature", logits(x, 2000, 4, y));
    EXPECT_NEAR(temperature_of(step) / scale, t, 1e-7) << scale;
    EXPECT_LE(step.fit.iterations, 20) << scale;
  }
}

/// Half of the CIFAR-10 test set under a VGG16; no items without the data.
std::optional<Items> cifar(std::int64_t begin) {
  const char* given = std::getenv("PLUMB_DATA");
  const std::filesystem::path folder =
      given ? std::filesystem::path(given)
            : std::filesystem::path(PLUMB_SOURCE_DIR) / ".." / "shared" / "data";
  const auto probs = folder / "plambda_cifar10_vgg16_probs.npy";
  if (!std::filesystem::exists(probs)) return std::nullopt;
  std::vector<std::int64_t> rows(5000);
  std::iota(rows.begin(), rows.end(), begin);
  Items items;
  items.predictions = Predictions({Rows(read_npy(probs.string())).gather(rows)}, Scale::probability);
  items.votes =
      Votes::from_labels(Rows(read_npy((folder / "plambda_cifar10_labels.npy").string())).gather(rows), 10);
  return items;
}

// The optimum, from an independent minimiser; a script in wide use stops at 1.702.
TEST(Temperature, GoldenOnCifar10) {
  const auto items = cifar(0);
  if (!items) GTEST_SKIP() << "the CIFAR-10 predictions are not in PLUMB_DATA";
  const Step step = fit("temperature", *items);
  EXPECT_NEAR(temperature_of(step), 1.7359, 5e-5);
  EXPECT_LE(step.fit.iterations, 12);
}

TEST(Temperature, AndItsRelativesHelpOnTheOtherHalfOfCifar10) {
  const auto items = cifar(0), other = cifar(5000);
  if (!items) GTEST_SKIP() << "the CIFAR-10 predictions are not in PLUMB_DATA";
  const double none = detail::log_loss(*other, fit("none", *items), 2).mean();
  for (const char* method :
       {"temperature", "ets", "vector", "matrix", "dirichlet", "structured-vector", "structured-matrix"}) {
    const Step step = fit(method, *items);
    EXPECT_TRUE(step.fit.converged) << method;
    const double loss = detail::log_loss(*other, step, 2).mean();
    EXPECT_LT(loss, none) << method;
    RecordProperty(method, std::to_string(loss));
  }
}

}  // namespace
}  // namespace plumb
