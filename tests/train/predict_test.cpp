#include "train/run.hpp"

#include <gtest/gtest.h>

#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "support.hpp"

namespace plumb::train {
namespace {

using testing::Folder;
using testing::npy;
using testing::quick;
namespace fs = std::filesystem;

TEST(Predict, KeepsAwayFromTheFilesOfRunsAndOfOthers) {
  const Folder folder;
  testing::write_data(folder / "data", testing::regression_data(1));
  TrainOptions o = quick(folder, "run");
  o.ensemble = 2;
  (void)train_run(o, {});
  const auto before = npy(o.out + "/test/mean.npy");
  PredictOptions p;
  p.device = "cpu";
  for (const char* run : {"run", "run/member_0"}) {
    p.run = folder / run;
    for (const char* out : {"run", "run/test", "run/validation/deep", "run/member_0", "run/member_1/mc",
                            "run/member_0/test", "run/mc/../train"}) {
      p.out = folder / out;
      EXPECT_THROW((void)predict_run(p, {}), InputError) << run << " " << out;
    }
  }
  EXPECT_EQ(npy(o.out + "/test/mean.npy"), before);
  fs::create_directories(folder / "mine");
  write_file(folder / "mine/labels.npy", "years of work");
  p.out = folder / "mine";
  EXPECT_THROW((void)predict_run(p, {}), InputError);
  p.out = folder / "run/mc";
  (void)predict_run(p, {});
  EXPECT_TRUE(fs::exists(folder / "run/mc/mean.npy"));
}

TEST(Predict, LeavesNothingOfAnOlderPrediction) {
  const Folder folder;
  testing::write_data(folder / "risk", testing::risk_data(80, 4, 1));
  testing::write_data(folder / "numbers", testing::regression_data(1));
  PredictOptions p;
  p.device = "cpu";
  p.out = folder / "out";
  for (const char* data : {"risk", "numbers"}) {
    TrainOptions o = quick(folder, std::string(data) + "-run");
    o.data = folder / data;
    (void)train_run(o, {});
    p.run = o.out;
    (void)predict_run(p, {});
  }
  EXPECT_TRUE(fs::exists(folder / "out/mean.npy"));
  for (const char* name : {"probs.npy", "samples.npy", "counts.npy", "labels.npy", "truth.npy"})
    EXPECT_FALSE(fs::exists(folder / ("out/" + std::string(name)))) << name;
}

TEST(Predict, RefusesInputsOfAnotherType) {
  const Folder folder;
  testing::write_data(folder / "data", testing::risk_data(80, 3, 1));
  const TrainOptions o = quick(folder, "run");
  (void)train_run(o, {});
  Dataset bytes = testing::risk_data(80, 3, 1);
  bytes.test.inputs = torch::ones_like(bytes.test.inputs, torch::kUInt8);
  testing::write_data(folder / "bytes", bytes);
  PredictOptions p;
  p.run = o.out;
  p.device = "cpu";
  p.out = folder / "same";
  (void)predict_run(p, {});
  p.data = folder / "bytes";
  p.out = folder / "other";
  EXPECT_THROW((void)predict_run(p, {}), InputError);
}

TEST(Predict, RegressionPartsAddUp) {
  const Folder folder;
  testing::write_data(folder / "data", testing::regression_data(1));
  TrainOptions o = quick(folder, "run");
  o.intra_training = true;
  const RunResult r = train_run(o, {});
  EXPECT_TRUE(r.metric("test", "mse").has_value());
  PredictOptions p;
  p.run = o.out;
  p.out = folder / "mc";
  p.samples = 4;
  p.mc_dropout = true;
  p.device = "cpu";
  (void)predict_run(p, {});
  const auto mean = npy(folder / "mc/mean.npy"), a = npy(folder / "mc/aleatoric.npy"),
             e = npy(folder / "mc/epistemic.npy");
  const auto variance = npy(folder / "mc/variance.npy"), means = npy(folder / "mc/mean_samples.npy");
  const std::size_t n = mean.size();
  for (std::size_t i = 0; i < n; ++i) {
    double m = 0, s = 0;
    for (std::size_t k = 0; k < 4; ++k) m += means[k * n + i] / 4;
    for (std::size_t k = 0; k < 4; ++k) s += (means[k * n + i] - m) * (means[k * n + i] - m) / 4;
    EXPECT_NEAR(mean[i], m, 1e-12);
    EXPECT_NEAR(e[i], s, 1e-12);
    EXPECT_NEAR(variance[i], a[i] + e[i], 1e-12);
    EXPECT_GT(a[i], 0);
  }
  p.mc_dropout = false;
  p.tta = true;
  EXPECT_THROW((void)predict_run(p, {}), InputError);  // nothing to augment
}

}  // namespace
}  // namespace plumb::train
