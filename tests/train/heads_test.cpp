#include "train/heads.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/data/check.hpp"

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
