#include "train/heads.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/data/check.hpp"
#include "train/losses/regression.hpp"

namespace plumb::train {
namespace {

TEST(Heads, AutoFollowsTheData) {
  EXPECT_EQ(head_of("auto", Task::classification, 2), Head::sigmoid);
  EXPECT_EQ(head_of("auto", Task::classification, 3), Head::softmax);
  EXPECT_EQ(head_of("auto", Task::regression, 0), Head::gaussian);
  EXPECT_EQ(head_of("softmax", Task::classification, 2), Head::softmax);
  EXPECT_THROW((void)head_of("sigmoid", Task::classification, 3), InputError);
  EXPECT_THROW((void)head_of("gaussian", Task::classification, 2), InputError);
  EXPECT_EQ(head_width(Head::laplace, 0, 3), 6);
}

TEST(Heads, ALaplaceScaleHasTwiceItsSquareAsVariance) {
  const torch::Tensor outputs = torch::tensor({{1.0, std::log(3.0)}}, torch::kFloat64);
  EXPECT_NEAR(mean_variance(Head::laplace, outputs).variance.item<double>(), 18, 1e-12);
  EXPECT_NEAR(mean_variance(Head::gaussian, outputs).variance.item<double>(), 3, 1e-12);
}

TEST(Units, AreMeanAndDeviationOfEachColumn) {
  const torch::Tensor y = torch::tensor({{1.0f, 0.1f, 1e20f}, {5.0f, 0.1f, 3e20f}});
  const Units u = units_of(Head::gaussian, y);
  EXPECT_TRUE(torch::allclose(u.shift, torch::tensor({3.0f, 0.1f, 2e20f})));
  EXPECT_TRUE(torch::allclose(u.scale, torch::tensor({2.0f, 1.0f, 1e20f})));  // a constant keeps its units
  EXPECT_NEAR(u.spread[0].item<double>(), 2 * std::log(2.0), 1e-6);
  EXPECT_NEAR(units_of(Head::laplace, y).spread[0].item<double>(), std::log(2.0), 1e-6);
}

// The likelihood of y in its own units is that of (y - shift) / scale, less the logarithm of the scale: the
// gradients, and so everything that is learned, are those of standardised targets.
TEST(Units, GiveTheGradientsOfStandardisedTargets) {
  for (const Head head : {Head::gaussian, Head::laplace}) {
    const torch::Tensor x = torch::randn({9, 4}), y = 35 + 1500 * torch::randn({9, 2});
    const Units u = units_of(head, y);
    const auto gradients = [&](bool own) {
      torch::manual_seed(6);
      const NetworkPtr net = make_linear(4, 4);
      if (own) net->measure_in(u);
      const torch::Tensor out = net->forward(x).logits, z = own ? y : (y - u.shift) / u.scale;
      const torch::Tensor loss =
          head == Head::gaussian ? functional::gaussian_nll(out, z) : functional::laplace_nll(out, z);
      loss.backward();
      std::vector<torch::Tensor> all{loss.detach()};
      for (const torch::Tensor& p : net->parameters()) all.push_back(p.grad());
      return all;
    };
    const auto own = gradients(true), standardised = gradients(false);
    EXPECT_NEAR(own[0].item<double>(), (standardised[0] + u.scale.log().mean()).item<double>(), 1e-5);
    for (std::size_t i = 1; i < own.size(); ++i)  // float32 of a hundred operations
      EXPECT_LT((own[i] - standardised[i]).abs().max().item<double>(), 1e-5);
  }
}

TEST(PredictiveVariance, IsEquation10) {
  const torch::Tensor means = torch::tensor({1.0, 2.0, 6.0}, torch::kFloat64).reshape({3, 1, 1});
  const torch::Tensor variances = torch::tensor({0.5, 1.0, 3.0}, torch::kFloat64).reshape({3, 1, 1});
  const PredictiveParts p = predictive_parts(means, variances);
  EXPECT_DOUBLE_EQ(p.mean.item<double>(), 3);
  EXPECT_DOUBLE_EQ(p.aleatoric.item<double>(), 1.5);
  EXPECT_NEAR(p.epistemic.item<double>(), (4 + 1 + 9) / 3.0, 1e-12);
  // One pass says nothing about the model.
  EXPECT_EQ(predictive_parts(means.slice(0, 0, 1), variances.slice(0, 0, 1)).epistemic.item<double>(), 0);
}

}  // namespace
}  // namespace plumb::train
