#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "train/losses/classification.hpp"
#include "train/losses/regression.hpp"

namespace plumb::train {
namespace {

namespace F = functional;
using Loss = std::function<torch::Tensor(const torch::Tensor&)>;

// Central differences in double with step 1e-6 err by about 1e-10 / 1e-6 of the loss, and by step^2
// of its curvature.
constexpr double kGradientTolerance = 2e-8;
// Sums of a few dozen doubles in another order.
constexpr double kSumTolerance = 1e-12;

void check_gradient(const char* name, const Loss& loss, const torch::Tensor& at) {
  const torch::Tensor x = at.clone().set_requires_grad(true);
  loss(x).backward();
  const torch::Tensor gradient = x.grad();
  constexpr double kStep = 1e-6;
  for (std::int64_t i = 0; i < at.numel(); ++i) {
    torch::Tensor up = at.clone(), down = at.clone();
    up.view({-1})[i] += kStep;
    down.view({-1})[i] -= kStep;
    const double numeric = (loss(up).item<double>() - loss(down).item<double>()) / (2 * kStep);
    EXPECT_NEAR(gradient.view({-1})[i].item<double>(), numeric, kGradientTolerance)
        << name << ", element " << i;
  }
}

torch::Tensor doubles(std::vector<double> values, std::vector<std::int64_t> shape) {
  return torch::tensor(values, torch::kFloat64).reshape(shape);
}

// Five items of three classes with 0 to 4 votes, logits without ties; and a binary task.
const torch::Tensor& logits3() {
  static const torch::Tensor t =
      doubles({1.2, -0.3, 0.5, -2.0, 0.7, 0.1, 3.0, 1.0, -1.5, 0.2, 0.4, -0.6, 5.0, -4.0, 0.0}, {5, 3});
  return t;
}
const torch::Tensor& votes3() {
  static const torch::Tensor t = doubles({1, 0, 0, 0, 2, 1, 3, 0, 1, 0, 0, 0, 0, 1, 0}, {5, 3});
  return t;
}
const torch::Tensor& logits1() {
  static const torch::Tensor t = doubles({-1.3, 0.4, 2.2, -0.1, 4.0, -3.0}, {6, 1});
  return t;
}
const torch::Tensor& votes2() {
  static const torch::Tensor t = doubles({1, 0, 0, 1, 1, 2, 1, 0, 0, 1, 0, 3}, {6, 2});
  return t;
}

// The naive reference: probabilities by exp, one item and one class at a time.
double naive(const torch::Tensor& u, const torch::Tensor& y,
             const std::function<double(double p, double k)>& term) {
  double sum = 0, votes = 0;
  for (std::int64_t i = 0; i < y.size(0); ++i) {
    std::vector<double> p(static_cast<std::size_t>(y.size(1)));
    if (u.size(1) == 1) {
      p[1] = 1 / (1 + std::exp(-u[i][0].item<double>()));
      p[0] = 1 - p[1];
    } else {
      double total = 0;
      for (std::size_t k = 0; k < p.size(); ++k)
        total += p[k] = std::exp(u[i][static_cast<std::int64_t>(k)].item<double>());
      for (double& q : p) q /= total;
    }
    for (std::size_t k = 0; k < p.size(); ++k) {
      const double n = y[i][static_cast<std::int64_t>(k)].item<double>();
      sum += n * term(p[k], static_cast<double>(p.size()));
      votes += n;
    }
  }
  return sum / votes;
}

TEST(SoftCrossEntropy, IsEquation53) {
  const auto log_loss = [](double p, double) { return -std::log(p); };
  EXPECT_NEAR(F::soft_cross_entropy(logits3(), votes3()).item<double>(), naive(logits3(), votes3(), log_loss),
              kSumTolerance);
  EXPECT_NEAR(F::soft_cross_entropy(logits1(), votes2()).item<double>(), naive(logits1(), votes2(), log_loss),
              kSumTolerance);
  // Golden: one vote each at p = 1/2 and p = 1/4.
  const torch::Tensor u = doubles({0, 0, std::log(3.0), 0}, {2, 2});
  EXPECT_NEAR(F::soft_cross_entropy(u, doubles({1, 0, 0, 1}, {2, 2})).item<double>(), 1.5 * std::numbers::ln2,
              kSumTolerance);
}

TEST(SoftCrossEntropy, ABatchWithoutVotesIsZeroAndHasNoGradient) {
  const torch::Tensor u = logits3().clone().set_requires_grad(true);
  const torch::Tensor loss = F::soft_cross_entropy(u, torch::zeros_like(votes3()));
  loss.backward();
  EXPECT_EQ(loss.item<double>(), 0);
  EXPECT_EQ(u.grad().abs().max().item<double>(), 0);
}

TEST(SoftCrossEntropy, SurvivesExtremeLogits) {
  const double loss =
      F::soft_cross_entropy(doubles({900, -900}, {2, 1}), doubles({1, 0, 0, 1}, {2, 2})).item<double>();
  EXPECT_NEAR(loss, 900, 1e-9);
}

TEST(FocalLoss, IsEquation27AndCrossEntropyAtGammaZero) {
  for (const double gamma : {0.5, 1.0, 2.0, 3.0}) {
    const auto term = [&](double p, double) { return -std::pow(1 - p, gamma) * std::log(p); };
    EXPECT_NEAR(F::focal_loss(logits3(), votes3(), gamma).item<double>(), naive(logits3(), votes3(), term),
                kSumTolerance);
    EXPECT_NEAR(F::focal_loss(logits1(), votes2(), gamma).item<double>(), naive(logits1(), votes2(), term),
                kSumTolerance);
  }
  EXPECT_NEAR(F::focal_loss(logits3(), votes3(), 0).item<double>(),
              F::soft_cross_entropy(logits3(), votes3()).item<double>(), kSumTolerance);
}

TEST(EntropyLoss, SubtractsTheMeanEntropy) {
  // Each vote of an item carries the item's entropy: -sum_k p log p, here spelled out for the sigmoid.
  double sum = 0, votes = 0;
  for (std::int64_t i = 0; i < 6; ++i) {
    const double p = 1 / (1 + std::exp(-logits1()[i][0].item<double>()));
    const double n = votes2()[i].sum().item<double>();
    sum += n * -(p * std::log(p) + (1 - p) * std::log(1 - p));
    votes += n;
  }
  const double ce = F::soft_cross_entropy(logits1(), votes2()).item<double>();
  EXPECT_NEAR(F::entropy_loss(logits1(), votes2(), 0.7).item<double>(), ce - 0.7 * sum / votes,
              kSumTolerance);
}

TEST(LabelSmoothing, SpreadsEpsilon) {
  double sum = 0, votes = 0;
  for (std::int64_t i = 0; i < 5; ++i) {
    const torch::Tensor logp = torch::log_softmax(logits3()[i], 0);
    const double n = votes3()[i].sum().item<double>();
    for (std::int64_t k = 0; k < 3; ++k)
      sum -= (0.9 * votes3()[i][k].item<double>() + 0.1 * n / 3) * logp[k].item<double>();
    votes += n;
  }
  EXPECT_NEAR(F::label_smoothing_loss(logits3(), votes3(), 0.1).item<double>(), sum / votes, kSumTolerance);
}

TEST(Mmce, IsEquation28) {
  double sum = 0, items = 0;
  std::vector<double> r, residual;
  for (std::int64_t i = 0; i < 5; ++i) {
    const torch::Tensor p = torch::softmax(logits3()[i], 0);
    const auto top = p.argmax().item<std::int64_t>();
    const double n = votes3()[i].sum().item<double>();
    if (n == 0) continue;
    ++items;
    r.push_back(p[top].item<double>());
    residual.push_back(votes3()[i][top].item<double>() / n - r.back());
  }
  for (std::size_t i = 0; i < r.size(); ++i)
    for (std::size_t j = 0; j < r.size(); ++j)
      sum += residual[i] * residual[j] * std::exp(-std::abs(r[i] - r[j]) / 0.4);
  const double squared = sum / (items * items);
  EXPECT_NEAR(F::mmce_squared(logits3(), votes3(), 0.4).item<double>(), squared, kSumTolerance);
  EXPECT_NEAR(F::mmce_loss(logits3(), votes3(), 3).item<double>(),
              F::soft_cross_entropy(logits3(), votes3()).item<double>() + 3 * std::sqrt(squared),
              kSumTolerance);
}

TEST(Mmce, APerfectBatchHasAFiniteGradient) {
  // Logits of +-800 are probabilities of exactly 1: every residual is 0, where the root has no slope.
  const torch::Tensor u = doubles({800, -800}, {2, 1}).set_requires_grad(true);
  F::mmce_loss(u, doubles({0, 1, 1, 0}, {2, 2})).backward();
  EXPECT_TRUE(torch::isfinite(u.grad()).all().item<bool>());
}

TEST(CalibrationLoss, IsTheCrossEntropyAgainstEmpiricalProbabilities) {
  const torch::Tensor e = doubles({0.1, 0.5, 0.9, 0.4, 1.0, 0.0}, {6});
  double sum = 0;
  for (std::int64_t i = 0; i < 6; ++i) {
    const double p = 1 / (1 + std::exp(-logits1()[i][0].item<double>())), q = e[i].item<double>();
    sum -= q * std::log(p) + (1 - q) * std::log(1 - p);
  }
  EXPECT_NEAR(F::calibration_loss(logits1(), e).item<double>(), sum / 6, kSumTolerance);
  // Law: with p_emp = y it is the discrimination loss; at p = p_emp its gradient vanishes.
  const torch::Tensor y = doubles({0, 1, 0, 1, 1, 0}, {6});
  EXPECT_NEAR(F::calibration_loss(logits1(), y).item<double>(),
              F::soft_cross_entropy(logits1(), torch::stack({1 - y, y}, 1)).item<double>(), kSumTolerance);
  const torch::Tensor u = logits1().clone().set_requires_grad(true);
  F::calibration_loss(u, torch::sigmoid(logits1()).squeeze(1)).backward();
  EXPECT_LT(u.grad().abs().max().item<double>(), kSumTolerance);
}

TEST(RegressionLosses, AreTheLikelihoods) {
  const torch::Tensor outputs = doubles({0.5, -1.0, 0.2, -0.7, 2.0, 0.3, 1.1, 0.0}, {2, 4});
  const torch::Tensor y = doubles({0.1, -0.4, 2.5, 1.0}, {2, 2});
  double gaussian = 0, laplace = 0;
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t d = 0; d < 2; ++d) {
      const double error = y[i][d].item<double>() - outputs[i][d].item<double>(),
                   s = outputs[i][d + 2].item<double>();
      const double variance = std::exp(s), b = std::exp(s);
      gaussian +=
          -std::log(std::exp(-error * error / (2 * variance)) / std::sqrt(2 * std::numbers::pi * variance));
      laplace += -std::log(std::exp(-std::abs(error) / b) / (2 * b));
    }
  }
  EXPECT_NEAR(F::gaussian_nll(outputs, y).item<double>(), gaussian / 4, kSumTolerance);
  EXPECT_NEAR(F::laplace_nll(outputs, y).item<double>(), laplace / 4, kSumTolerance);
}

TEST(Gradients, OfEveryLossMatchFiniteDifferences) {
  const torch::Tensor e = doubles({0.1, 0.5, 0.9, 0.4, 0.7, 0.2}, {6});
  const torch::Tensor y = doubles({0.1, -0.4, 2.5, 1.0}, {2, 2});
  const torch::Tensor outputs = doubles({0.5, -1.0, 0.2, -0.7, 2.0, 0.3, 1.1, 0.0}, {2, 4});
  for (const auto& [u, v] : {std::pair{logits3(), votes3()}, std::pair{logits1(), votes2()}}) {
    const torch::Tensor votes = v;
    check_gradient(
        "soft cross-entropy", [&](const auto& x) { return F::soft_cross_entropy(x, votes); }, u);
    check_gradient(
        "focal", [&](const auto& x) { return F::focal_loss(x, votes, 2); }, u);
    check_gradient(
        "entropy", [&](const auto& x) { return F::entropy_loss(x, votes, 0.5); }, u);
    check_gradient(
        "mmce", [&](const auto& x) { return F::mmce_loss(x, votes, 3); }, u);
    check_gradient(
        "label smoothing", [&](const auto& x) { return F::label_smoothing_loss(x, votes, 0.1); }, u);
  }
  check_gradient(
      "calibration", [&](const auto& x) { return F::calibration_loss(x, e); }, logits1());
  check_gradient(
      "gaussian", [&](const auto& x) { return F::gaussian_nll(x, y); }, outputs);
  check_gradient(
      "laplace", [&](const auto& x) { return F::laplace_nll(x, y); }, outputs);
}

// Numbers of a naive implementation; tests/python/with_torch/test_losses.py has the same cases and numbers.
TEST(Losses, TheNumbersThatPythonHas) {
  const torch::Tensor empirical = doubles({0.1, 0.5, 0.9, 0.25, 1.0, 0.0}, {6});
  const auto near = [](const torch::Tensor& loss, double number) {
    EXPECT_NEAR(loss.item<double>(), number, kSumTolerance);
  };
  near(F::focal_loss(logits3(), votes3()), 1.5848888981490947);
  near(F::focal_loss(logits1(), votes2()), 1.0408172190284743);
  near(F::entropy_loss(logits3(), votes3()), 1.289081197795861);
  near(F::entropy_loss(logits1(), votes2()), 0.9556427534111811);
  near(F::mmce_loss(logits3(), votes3()), 2.6001994516448423);
  near(F::mmce_loss(logits1(), votes2()), 1.8433766478605365);
  near(F::calibration_loss(logits1(), empirical), 0.35754016092779395);
}

}  // namespace
}  // namespace plumb::train
