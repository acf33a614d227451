#include "train/run.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "support.hpp"
#include "train/trainer.hpp"

namespace plumb::train {
namespace {

using testing::Folder;
using testing::npy;
using testing::quick;
namespace fs = std::filesystem;

TEST(Run, LeavesEverythingThatTheOtherCommandsRead) {
  const Folder folder;
  testing::write_data(folder / "data", testing::risk_data(120, 4, 1));
  const RunResult r = train_run(quick(folder, "run"), {});
  for (const char* name : {"config.json", "model.pt", "history.json", "history.csv", "result.json"})
    EXPECT_TRUE(fs::exists(folder / (std::string("run/") + name))) << name;
  EXPECT_FALSE(fs::exists(folder / "run/checkpoint.pt"));
  for (const char* part : {"train", "validation", "test"}) {
    std::vector<std::int64_t> shape;
    const std::string at = folder / ("run/" + std::string(part));
    const auto p = npy(at + "/probs.npy"), u = npy(at + "/logits.npy"), truth = npy(at + "/truth.npy");
    const auto labels = npy(at + "/labels.npy");
    (void)npy(at + "/features.npy", &shape);
    EXPECT_EQ(shape, (std::vector<std::int64_t>{static_cast<std::int64_t>(p.size()), 8}));
    double nll = 0, mse = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      EXPECT_NEAR(p[i], 1 / (1 + std::exp(-u[i])), 1e-12);
      nll -= std::log(labels[i] == 1 ? p[i] : 1 - p[i]) / static_cast<double>(p.size());
      mse += (p[i] - truth[i]) * (p[i] - truth[i]) / static_cast<double>(p.size());
    }
    EXPECT_NEAR(r.metric(part, "nll").value(), nll, 1e-9) << part;
    EXPECT_NEAR(r.metric(part, "mse_p").value(), mse, 1e-9) << part;
    EXPECT_TRUE(r.metric(part, "ece").has_value());
  }
  // A second call finds it finished; other options are refused.
  EXPECT_EQ(to_json(train_run(quick(folder, "run"), {})), to_json(r));
  TrainOptions other = quick(folder, "run");
  other.lr = 0.01;
  EXPECT_THROW((void)train_run(other, {}), InputError);
}

TEST(Run, AnInterruptedRunGoesOnFromItsFolder) {
  const Folder folder;
  testing::write_data(folder / "data", testing::risk_data(120, 4, 1));
  const RunResult straight = train_run(quick(folder, "straight"), {});
  int calls = 0;
  // Two batches of 60 items would be one epoch; the batch is 128, so each epoch asks twice.
  EXPECT_THROW((void)train_run(quick(folder, "cut"), {.interrupted = [&] { return ++calls > 3; }}),
               Interrupted);
  EXPECT_TRUE(fs::exists(folder / "cut/checkpoint.pt"));
  EXPECT_FALSE(fs::exists(folder / "cut/result.json"));
  const RunResult resumed = train_run(quick(folder, "cut"), {});
  EXPECT_EQ(resumed.metrics, straight.metrics);
  EXPECT_EQ(npy(folder / "cut/test/logits.npy"), npy(folder / "straight/test/logits.npy"));
}

TEST(Run, EnsemblesAverageTheirMembers) {
  const Folder folder;
  testing::write_data(folder / "data", testing::risk_data(120, 4, 1));
  TrainOptions o = quick(folder, "ensemble");
  o.ensemble = 2;
  const RunResult r = train_run(o, {});
  const auto a = npy(folder / "ensemble/member_0/test/probs.npy"),
             b = npy(folder / "ensemble/member_1/test/probs.npy");
  const auto mean = npy(folder / "ensemble/test/probs.npy");
  EXPECT_NE(a, b);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(mean[i], (a[i] + b[i]) / 2, 1e-15);
  EXPECT_TRUE(r.metric("test", "mse_p").has_value());
  PredictOptions p;
  p.run = o.out;
  p.out = folder / "mc";
  p.device = "cpu";
  p.samples = 3;
  p.mc_dropout = true;
  (void)predict_run(p, {});
  std::vector<std::int64_t> shape;
  (void)npy(folder / "mc/samples.npy", &shape);
  EXPECT_EQ(shape, (std::vector<std::int64_t>{6, 2000}));
}

TEST(Run, TuningKeepsTheBestValidationLogLoss) {
  const Folder folder;
  testing::write_data(folder / "data", testing::risk_data(120, 4, 1));
  TrainOptions o = quick(folder, "tuned");
  o.method = "label-smoothing";
  o.tune = {0.0, 0.9};
  const RunResult r = train_run(o, {});
  const double a = read_result(folder / "tuned/strength_0").metric("validation", "nll").value();
  const double b = read_result(folder / "tuned/strength_0.9").metric("validation", "nll").value();
  EXPECT_EQ(r.metric("validation", "nll").value(), std::min(a, b));
  EXPECT_TRUE(fs::exists(folder / "tuned/model.pt"));
  EXPECT_TRUE(fs::exists(folder / "tuned/tune.csv"));
}

TEST(Run, NeverWritesAmongTheDataOrOtherFiles) {
  const Folder folder;
  testing::write_data(folder / "data", testing::risk_data(80, 3, 1));
  for (const char* out : {"data", "data/test", "data/train/run", "data/../data", "data/run"}) {
    TrainOptions o = quick(folder, "run");
    o.out = folder / out;
    EXPECT_THROW((void)train_run(o, {}), InputError) << out;
  }
  std::filesystem::create_directories(folder / "mine");
  write_file(folder / "mine/thesis.txt", "years of work");
  TrainOptions o = quick(folder, "mine");
  EXPECT_THROW((void)train_run(o, {}), InputError);
}

TEST(Run, OneProcessAtATime) {
  const Folder folder;
  testing::write_data(folder / "data", testing::risk_data(80, 3, 1));
  for (const std::int64_t members : {1, 2}) {
    TrainOptions o = quick(folder, "run" + std::to_string(members));
    o.ensemble = members;
    std::string said;
    const auto second = [&] {  // in the midst of the first
      try {
        (void)train_run(o, {});
      } catch (const InputError& e) {
        said = e.what();
      }
      return false;
    };
    (void)train_run(o, {.interrupted = second});
    EXPECT_NE(said.find("another process is working on " + o.out), std::string::npos) << said;
    EXPECT_FALSE(fs::exists(o.out + "/.lock"));
  }
  // A file left by a dead process blocks no other process.
  const TrainOptions o = quick(folder, "left");
  int calls = 0;
  EXPECT_THROW((void)train_run(o, {.interrupted = [&] { return ++calls > 3; }}), Interrupted);
  write_file(o.out + "/.lock", "");
  EXPECT_EQ(train_run(o, {}).epochs, 3);
}

TEST(Run, CapeThatFindsNothingBetterNamesTheEpochThatIsKept) {
  const Folder folder;
  testing::write_data(folder / "data", testing::risk_data(80, 3, 1));
  TrainOptions o = quick(folder, "run");
  o.method = "cape-bin";
  o.lr = 0.5;
  o.epochs = 40;
  o.patience = 0;  // well past the best epoch
  o.cape_epochs = 3;
  o.cape_lr = 1e5;  // every step is a bad one
  std::string said;
  const RunResult r = train_run(o, {.say = [&](const std::string& text) { said += text; }});
  EXPECT_NE(said.find("early-stopped model is kept"), std::string::npos) << said;
  const Metrics kept = read_result(o.out).metrics.at("validation");
  std::ifstream in(o.out + "/history.json");
  const History h = parse_history({std::istreambuf_iterator<char>(in), {}});
  ASSERT_GE(r.best_epoch, 1);
  ASSERT_LT(r.best_epoch, 40);  // not the last of the early learning, with which it could be mistaken
  EXPECT_EQ(h.at(static_cast<std::size_t>(r.best_epoch) - 1).validation.at("nll"), kept.at("nll"));
  ASSERT_EQ(h.back().loss, "calibration");
  for (const HistoryRow& row : h) EXPECT_EQ(row.refresh_seconds > 0, row.loss == "calibration") << row.epoch;
}

TEST(Run, CapeStartsFromLayersOfItsOwnSizesOnly) {
  const Folder folder;
  testing::write_data(folder / "data", testing::risk_data(80, 3, 1));
  TrainOptions o = quick(folder, "small");
  (void)train_run(o, {});
  o.hidden = {o.hidden.front() + 1};
  o.method = "cape-bin";
  o.start_from = o.out;
  o.out = folder / "cape";
  EXPECT_THROW((void)train_run(o, {}), InputError);
}

TEST(Run, SigmaScalingIsFittedOnValidationAndJudgedOnTheTestSet) {
  const Folder folder;
  testing::write_data(folder / "data", testing::regression_data(1));
  for (const std::int64_t members : {1, 2}) {
    TrainOptions o = quick(folder, members == 1 ? "one" : "two");
    o.head = "laplace";
    o.ensemble = members;
    const RunResult r = train_run(o, {});
    EXPECT_EQ(r.method, "laplace");
    ASSERT_TRUE(r.metric("test", "sigma_scale").has_value());
    EXPECT_EQ(r.metric("test", "sigma_scale"), r.metric("validation", "sigma_scale"));
  }
}

TEST(Segmentation, EveryRowKnowsItsImage) {
  const Folder folder;
  Dataset d;
  for (Split* s : {&d.train, &d.validation, &d.test}) {
    s->inputs = torch::rand({3, 1, 4, 8});
    const torch::Tensor mask = (s->inputs > 0.5).to(torch::kFloat32);
    s->votes = torch::cat({1 - mask, mask}, 1);
  }
  testing::write_data(folder / "data", d);
  TrainOptions o = quick(folder, "run");
  o.model = "unet-small";
  o.width = 4;
  o.epochs = 1;
  o.ensemble = 2;
  (void)train_run(o, {});
  PredictOptions p;
  p.run = o.out;
  p.out = folder / "out";
  p.device = "cpu";
  (void)predict_run(p, {});
  fs::remove(folder / "data/test/counts.npy");  // nor does it need answers
  p.out = folder / "blind";
  (void)predict_run(p, {});
  std::vector<double> wanted;
  for (const double i : {0.0, 1.0, 2.0}) wanted.insert(wanted.end(), 32, i);
  for (const char* at : {"run/test", "run/member_1/train", "run/validation", "out", "blind"}) {
    EXPECT_EQ(npy(folder / (std::string(at) + "/image.npy")), wanted) << at;
    EXPECT_EQ(npy(folder / (std::string(at) + "/probs.npy")).size(), wanted.size()) << at;
  }
}

TEST(Segmentation, LearnsPixelsFromSeveralRaters) {
  Dataset d;
  d.task = Task::segmentation;
  d.classes = 2;
  torch::manual_seed(4);
  for (Split* s : {&d.train, &d.validation, &d.test}) {
    const torch::Tensor mask = (torch::rand({12, 1, 4, 4}) > 0.5).to(torch::kFloat32);
    const torch::Tensor large = mask.repeat_interleave(4, 2).repeat_interleave(4, 3);
    s->inputs = large + 0.2 * torch::randn({12, 1, 16, 16});
    s->votes = torch::cat({3 * (1 - large), 3 * large}, 1);  // three raters who agree
    s->truth = large.squeeze(1);
  }
  TrainOptions o;
  o.model = "unet-small";
  o.width = 4;
  o.optimizer = "adam";
  o.lr = 0.01;
  o.epochs = 12;
  o.batch = 4;
  o.threads = 1;
  TrainState s = start_training(o, d, torch::kCPU);
  ASSERT_TRUE(run_training(s, d, torch::kCPU, {}));
  EXPECT_GT(metrics_of(s.model, d.test, torch::kCPU).at("accuracy").value(), 0.95);
}

TEST(Methods, EachOneLearnsBrightness) {
  Dataset d;
  d.classes = 3;
  d.train = testing::image_split(90, 8, 3, 1);
  d.validation = d.test = testing::image_split(60, 8, 3, 2);
  d.normalisation = normalisation_of(d.train.inputs);
  for (const char* method : {"ce", "focal", "entropy", "mmce", "label-smoothing", "mixup"}) {
    TrainOptions o;
    o.method = method;
    if (o.method == "entropy") o.strength = 0.1;
    o.hidden = {16};
    o.lr = 0.05;
    o.epochs = 15;
    o.batch = 16;
    o.threads = 1;
    TrainState s = start_training(o, d, torch::kCPU);
    ASSERT_TRUE(run_training(s, d, torch::kCPU, {})) << method;
    EXPECT_GT(metrics_of(s.model, d.test, torch::kCPU).at("accuracy").value(), 0.9) << method;
  }
}

}  // namespace
}  // namespace plumb::train
