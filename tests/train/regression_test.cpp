#include "train/run.hpp"

#include <gtest/gtest.h>

#include "support.hpp"
#include "train/heads.hpp"
#include "train/history.hpp"

namespace plumb::train {
namespace {

using testing::Folder;
using testing::npy;
using testing::quick;

// Targets of people: far from 0, of a deviation far from 1.
Dataset ages(double factor, double shift) {
  Dataset d = testing::regression_data(4);
  for (Split* s : {&d.train, &d.validation, &d.test}) {
    const torch::Tensor x = s->inputs.slice(1, 0, 1), noise = s->inputs.slice(1, 3, 4);
    s->targets = (35 + 15 * x + 5 * noise) * factor + shift;
    s->inputs = s->inputs.slice(1, 0, 3).clone();  // the noise is not seen
  }
  return d;
}

TEST(Regression, LearnsTargetsFarFromZeroWithTheOptionsAsTheyCome) {
  for (const char* head : {"gaussian", "laplace"}) {
    const Folder folder;
    testing::write_data(folder / "data", ages(1, 0));
    TrainOptions o;
    o.data = folder / "data";
    o.out = folder / "run";
    o.head = head;
    o.device = "cpu";
    o.threads = 1;
    const RunResult r = train_run(o, {});
    // 250 is the variance of the targets, 25 of their noise.
    EXPECT_LT(r.metric("validation", "mse").value(), 45) << head;
    EXPECT_LT(r.metric("test", "mse").value(), 45) << head;
    EXPECT_NEAR(r.metric("test", "variance").value(), 35, 20) << head;
  }
}

TEST(Regression, OtherUnitsOfTheTargetsAreOtherUnitsOfThePredictions) {
  const Folder folder;
  testing::write_data(folder / "one", ages(1, 0));
  testing::write_data(folder / "thousand", ages(1000, 7));
  testing::write_data(folder / "tiny", ages(1e-9, 0));
  for (const std::int64_t members : {1, 2}) {
    const auto predicted = [&](const std::string& data) {
      TrainOptions o = quick(folder, data + "_" + std::to_string(members));
      o.data = folder / data;
      o.epochs = 8;
      o.ensemble = members;
      (void)train_run(o, {});
      PredictOptions p;
      p.run = o.out;
      p.out = o.out + "-predicted";
      p.device = "cpu";
      p.threads = 1;
      (void)predict_run(p, {});
      return std::make_pair(npy(p.out + "/mean.npy"), npy(p.out + "/variance.npy"));
    };
    const auto one = predicted("one"), thousand = predicted("thousand"), tiny = predicted("tiny");
    for (std::size_t i = 0; i < one.first.size(); ++i) {
      // Roundings of float32, which eight epochs of steps enlarge; the deviation of the targets is 16.
      EXPECT_NEAR(thousand.first[i], 1000 * one.first[i] + 7, 1000 * 0.02);
      EXPECT_NEAR(thousand.second[i] / (1e6 * one.second[i]), 1, 5e-3);
      EXPECT_NEAR(tiny.first[i] * 1e9, one.first[i], 0.02);
      EXPECT_NEAR(tiny.second[i] * 1e18 / one.second[i], 1, 5e-3);
    }
  }
}

TEST(Regression, SigmaScaleIsEquation9AndBestOnItsOwnItems) {
  const torch::Tensor outputs = torch::tensor({{0.0, 0.0}, {1.0, std::log(4.0)}}, torch::kFloat64);
  const torch::Tensor y = torch::tensor({{3.0}, {5.0}}, torch::kFloat64);
  const Metrics m = regression_metrics(Head::gaussian, outputs, y);
  EXPECT_NEAR(m.at("sigma_scale").value(), std::sqrt((9 / 1.0 + 16 / 4.0) / 2), 1e-12);
  EXPECT_LE(m.at("nll_scaled").value(), m.at("nll").value());
  for (const double s : {2.0, 3.0}) {
    EXPECT_LE(m.at("nll_scaled").value(),
              regression_metrics(Head::gaussian, outputs, y, s).at("nll_scaled").value());
  }
}

TEST(Regression, TheLaplaceScaleIsTheMeanOfErrorsOverB) {
  const torch::Tensor outputs = torch::tensor({{0.0, 0.0}, {1.0, std::log(4.0)}}, torch::kFloat64);
  const torch::Tensor y = torch::tensor({{3.0}, {5.0}}, torch::kFloat64);
  const Metrics m = regression_metrics(Head::laplace, outputs, y);
  EXPECT_NEAR(m.at("sigma_scale").value(), (3 / 1.0 + 4 / 4.0) / 2, 1e-12);
  EXPECT_LE(m.at("nll_scaled").value(),
            regression_metrics(Head::laplace, outputs, y, 1.9).at("nll_scaled").value());
}

}  // namespace
}  // namespace plumb::train
