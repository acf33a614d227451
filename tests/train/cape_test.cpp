#include "train/cape.hpp"

#include <gtest/gtest.h>

#include "plumb/data/check.hpp"
#include "plumb/metrics/ordered/empirical.hpp"
#include "support.hpp"
#include "train/trainer.hpp"

namespace plumb::train {
namespace {

using testing::risk_data;

TrainOptions quick(const std::string& method) {
  TrainOptions o;
  o.method = method;
  o.hidden = {16};
  o.epochs = 4;
  o.patience = 0;
  o.cape_epochs = 7;
  o.lr = 0.05;
  o.threads = 1;
  return o;
}

std::vector<std::string> losses_of(const TrainOptions& o) {
  const Dataset d = risk_data(200, 4, 1);
  TrainState s = start_training(o, d, torch::kCPU);
  EXPECT_TRUE(run_training(s, d, torch::kCPU, {}));
  std::vector<std::string> names;
  for (const HistoryRow& row : s.history) names.push_back(row.loss);
  return names;
}

TEST(Cape, TrainingAndTheCoreHaveTheSameDefaults) {
  EXPECT_EQ(TrainOptions{}.cape_bins, EmpiricalOptions{}.bins);
  EXPECT_EQ(TrainOptions{}.cape_neighbours, EmpiricalOptions{}.neighbours);
  EXPECT_EQ(TrainOptions{}.cape_sigma, EmpiricalOptions{}.sigma);
}

TEST(Cape, CalibratesEveryMthEpochAfterTheEarlyStop) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(losses_of(quick("cape-bin")),
            (Names{"ce", "ce", "ce", "ce", "ce", "ce", "calibration", "ce", "ce", "calibration", "ce"}));
  TrainOptions o = quick("cape-kernel");
  o.cape_epochs = 4;
  EXPECT_EQ(losses_of(o), (Names{"ce", "ce", "ce", "ce", "ce", "ce", "ce", "calibration"}));
  o.from_start = true;
  EXPECT_EQ(losses_of(o), (Names{"ce", "ce", "ce", "calibration"}));
  o.from_start = false;
  o.strength = 0.3;
  o.cape_epochs = 2;
  EXPECT_EQ(losses_of(o), (Names{"ce", "ce", "ce", "ce", "weighted", "weighted"}));
}

TEST(Cape, TheFirstPhaseIsCrossEntropyBitForBit) {
  const Dataset d = risk_data(200, 4, 1);
  TrainOptions ce = quick("ce"), cape = quick("cape-bin");
  TrainState a = start_training(ce, d, torch::kCPU), b = start_training(cape, d, torch::kCPU);
  ASSERT_TRUE(run_training(a, d, torch::kCPU, {}));
  ASSERT_TRUE(run_training(b, d, torch::kCPU, {}));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(a.history[i].train_loss, b.history[i].train_loss);
    EXPECT_EQ(a.history[i].validation, b.history[i].validation);
  }
  // The starting model remains a candidate: CaPE never ends with a worse validation log-loss.
  EXPECT_LE(b.schedule.best, a.schedule.best);
}

TEST(Cape, EmpiricalProbabilitiesByHand) {
  TrainOptions o = quick("cape-bin");
  o.cape_bins = 2;
  const torch::Tensor logits = torch::tensor({-3.0f, 2.0f, -1.0f, 0.5f}).unsqueeze(1);
  const torch::Tensor votes = torch::tensor({{1.0f, 0.0f}, {0.0f, 1.0f}, {0.0f, 1.0f}, {3.0f, 1.0f}});
  const torch::Tensor e = empirical_probabilities(o, Head::sigmoid, logits, votes);
  // Sorted: items 0, 2 | 3, 1, with outcomes 0, 1 | 1/4, 1.
  EXPECT_EQ(e[0].item<double>(), 0.5);
  EXPECT_EQ(e[2].item<double>(), 0.5);
  EXPECT_EQ(e[3].item<double>(), 0.625);
  EXPECT_EQ(e[1].item<double>(), 0.625);
  // A softmax of two classes with the same odds says the same.
  const torch::Tensor two = torch::cat({torch::zeros_like(logits), logits}, 1);
  EXPECT_TRUE(torch::equal(empirical_probabilities(o, Head::softmax, two, votes), e));
  // A kernel that sees everything and knows no distance gives the mean outcome.
  o.method = "cape-kernel";
  o.cape_neighbours = 100;
  o.cape_sigma = 1e6;
  const torch::Tensor k = empirical_probabilities(o, Head::sigmoid, logits, votes);
  for (std::int64_t i = 0; i < 4; ++i) EXPECT_NEAR(k[i].item<double>(), 2.25 / 4, 1e-6);
}

TEST(Cape, RefusesWhatItIsNotDefinedFor) {
  Dataset d = risk_data(50, 3, 1);
  d.train.votes[7].fill_(0);
  EXPECT_THROW((void)start_training(quick("cape-bin"), d, torch::kCPU), InputError);
  Dataset three;
  three.classes = 3;
  three.train = three.validation = three.test = testing::image_split(30, 8, 3, 1);
  EXPECT_THROW((void)start_training(quick("cape-bin"), three, torch::kCPU), InputError);
}

}  // namespace
}  // namespace plumb::train
