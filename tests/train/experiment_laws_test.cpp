// A small version of Liu 2022, Table 1: over fixed seeds CaPE estimates the probabilities better than
// cross-entropy stopped early, and the oracle, which sees redrawn labels, is better still.
#include <gtest/gtest.h>

#include <cmath>

#include "support.hpp"
#include "train/trainer.hpp"

namespace plumb::train {
namespace {

constexpr int kSeeds = 20;
// A mean difference of two standard errors or more is not due to these seeds.
constexpr double kStandardErrors = 2;

TrainOptions setting(const std::string& method, std::uint64_t seed) {
  TrainOptions o;
  o.method = method;
  o.hidden = {128, 128};
  o.lr = 0.1;
  o.batch = 64;
  o.seed = seed;
  return o;
}

double mse_p(const std::string& method, std::uint64_t seed) {
  const Dataset d = testing::risk_data(800, 10, seed + 1);
  TrainOptions o = setting(method, seed);
  o.epochs = 50;
  o.patience = 15;
  o.plateau = 5;
  o.cape_lr = 0.03;
  TrainState s = start_training(o, d, torch::kCPU);
  EXPECT_TRUE(run_training(s, d, torch::kCPU, {}));
  return metrics_of(s.model, d.test, torch::kCPU).at("mse_p").value();
}

// Thirty epochs past the early-stopped model at its own rate, nothing stopped: the mean over the last six of
// what validation says (two rounds of m = 3). With m = 1000 CaPE never calibrates: cross-entropy goes on.
double late_mse_p(const std::string& method, std::int64_t every, std::uint64_t seed) {
  const Dataset d = testing::risk_data(800, 10, seed + 1);
  TrainOptions o = setting(method, seed);
  o.epochs = 20;
  o.patience = 0;
  o.cape_epochs = 30;
  o.cape_every = every;
  TrainState s = start_training(o, d, torch::kCPU);
  EXPECT_TRUE(run_training(s, d, torch::kCPU, {}));
  double mean = 0;
  for (std::size_t i = s.history.size() - 6; i < s.history.size(); ++i)
    mean += s.history[i].validation.at("mse_p").value() / 6;
  return mean;
}

struct Paired {
  double mean = 0, error = 0;
};

Paired paired(const std::vector<double>& a, const std::vector<double>& b) {
  Paired r;
  const auto n = static_cast<double>(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) r.mean += (a[i] - b[i]) / n;
  for (std::size_t i = 0; i < a.size(); ++i) r.error += std::pow(a[i] - b[i] - r.mean, 2) / (n - 1) / n;
  r.error = std::sqrt(r.error);
  return r;
}

// Liu 2022, Figures 4 and 5: with the calibration loss between, the network memorises less.
TEST(Experiment, CalibrationHoldsMemorisationBack) {
  torch::set_num_threads(1);
  std::vector<double> ce, bin, kernel;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    ce.push_back(late_mse_p("cape-bin", 1000, seed));
    bin.push_back(late_mse_p("cape-bin", 0, seed));
    kernel.push_back(late_mse_p("cape-kernel", 0, seed));
  }
  for (const auto* cape : {&bin, &kernel}) {
    const Paired gain = paired(ce, *cape);
    EXPECT_GT(gain.mean, 4 * gain.error) << gain.mean << " +- " << gain.error;
  }
}

TEST(Experiment, OracleThenCapeThenEarlyStop) {
  torch::set_num_threads(1);
  std::vector<double> ce, bin, kernel, oracle;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    ce.push_back(mse_p("ce", seed));
    bin.push_back(mse_p("cape-bin", seed));
    kernel.push_back(mse_p("cape-kernel", seed));
    oracle.push_back(mse_p("ce-resampled", seed));
    std::printf("seed %d: mse_p ce %.5f cape-bin %.5f cape-kernel %.5f oracle %.5f\n", static_cast<int>(seed),
                ce.back(), bin.back(), kernel.back(), oracle.back());
  }
  for (const auto* cape : {&bin, &kernel}) {
    const char* name = cape == &bin ? "cape-bin" : "cape-kernel";
    const Paired gain = paired(ce, *cape), gap = paired(*cape, oracle);
    EXPECT_GT(gain.mean, kStandardErrors * gain.error)
        << name << " against early stop: " << gain.mean << " +- " << gain.error;
    EXPECT_GT(gap.mean, kStandardErrors * gap.error)
        << name << " against the oracle: " << gap.mean << " +- " << gap.error;
  }
}

}  // namespace
}  // namespace plumb::train
