#include "train/run.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "support.hpp"
#include "train/heads.hpp"
#include "train/trainer.hpp"

namespace plumb::train {
namespace {

using testing::Folder;
namespace fs = std::filesystem;

std::vector<double> npy(const std::string& path, std::vector<std::int64_t>* shape = nullptr) {
  const Rows rows(read_npy(path));
  if (shape != nullptr) *shape = rows.shards().front().shape;
  std::vector<double> v(static_cast<std::size_t>(rows.rows() * rows.width()));
  rows.read(0, rows.rows(), v);
  return v;
}

TrainOptions quick(const Folder& folder, const std::string& out) {
  TrainOptions o;
  o.data = folder / "data";
  o.out = folder / out;
  o.hidden = {8};
  o.epochs = 3;
  o.lr = 0.05;
  o.dropout = 0.2;
  o.device = "cpu";
  o.threads = 1;
  return o;
}

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

TEST(Grid, RunsTheMissingCellsOnly) {
  const Folder folder;
  testing::write_data(folder / "data", testing::risk_data(80, 3, 1));
  write_file(folder / "grid.json",
             R"({"base": {"data": ")" + (folder / "data") +
                 R"(", "hidden": [4], "epochs": 2}, "vary": {"method": ["ce", "focal"], "seed": [0, 1]}})");
  TrainOptions how;
  how.out = folder / "grid";
  how.device = "cpu";
  how.threads = 1;
  int begun = 0;
  int batches = 0;
  const Hooks stop{.say = [&](const std::string&) { ++begun; }, .interrupted = [&] { return ++batches > 9; }};
  EXPECT_THROW((void)run_grid(folder / "grid.json", how, stop), Interrupted);
  const int first = begun;
  EXPECT_LT(first, 4);
  EXPECT_EQ(run_grid(folder / "grid.json", how, {.say = [&](const std::string&) { ++begun; }}).missing, 0);
  EXPECT_EQ(begun, 5);  // the interrupted cell is begun twice, the finished ones once
  std::ifstream table(folder / "grid/grid.csv");
  std::string line;
  int done = 0;
  while (std::getline(table, line)) done += line.find(",done,") != std::string::npos ? 1 : 0;
  EXPECT_EQ(done, 4);
  write_file(folder / "bad.json", R"({"vary": {"metod": ["ce"]}})");
  EXPECT_THROW((void)run_grid(folder / "bad.json", how, {}), InputError);
}

TEST(Grid, ACellStartsFromTheRunThatItsOwnValuesName) {
  const Folder folder;
  testing::write_data(folder / "data", testing::risk_data(80, 3, 1));
  const std::string base = R"({"base": {"data": ")" + (folder / "data") + R"(", "hidden": [4], "epochs": 2)";
  write_file(folder / "start.json", base + R"(}, "vary": {"method": ["ce"], "seed": [0, 1]}})");
  write_file(folder / "cape.json", base + R"(, "start_from": ")" + (folder / "start") +
                                       R"(/ce_{seed}"}, "vary": {"method": ["cape-bin"], "seed": [0, 1]}})");
  TrainOptions how;
  how.device = "cpu";
  how.threads = 1;
  how.out = folder / "start";
  EXPECT_EQ(run_grid(folder / "start.json", how, {}).missing, 0);
  how.out = folder / "cape";
  EXPECT_EQ(run_grid(folder / "cape.json", how, {}).missing, 0);
  EXPECT_EQ(read_config(folder / "cape/cape-bin_1").start_from, folder / "start/ce_1");
}

TEST(Grid, ChangedOptionsBadCellsAndDivergedOnesAreTold) {
  const Folder folder;
  testing::write_data(folder / "data", testing::risk_data(80, 3, 1));
  const std::string head = R"({"base": {"data": ")" + (folder / "data") + R"(", "hidden": [4], "epochs": )";
  const std::string vary = R"(}, "vary": {"lr": [0.1, 1e5], "model": ["mlp", "cnn"]}})";
  write_file(folder / "grid.json", head + "2" + vary);
  TrainOptions how;
  how.out = folder / "grid";
  how.device = "cpu";
  how.threads = 1;
  std::vector<std::string> complaints;
  const Hooks hooks{.complain = [&](const std::string& text) { complaints.push_back(text); }};
  const GridOutcome done = run_grid(folder / "grid.json", how, hooks);
  EXPECT_EQ(done.missing, 2);  // a cnn wants images
  EXPECT_EQ(done.busy, 0);
  EXPECT_EQ(done.astray, 1);
  ASSERT_EQ(complaints.size(), 2U);
  EXPECT_NE(complaints[0].find("0.1_cnn"), std::string::npos) << complaints[0];
  write_file(folder / "grid.json", head + "3" + vary);
  EXPECT_THROW((void)run_grid(folder / "grid.json", how, hooks), InputError);
  for (const char* epochs : {"1.5", "true", "\"2\""}) {
    write_file(folder / "grid.json", head + epochs + vary);
    how.out = folder / "other";  // where no run of other options is in the way
    EXPECT_THROW((void)run_grid(folder / "grid.json", how, hooks), InputError) << epochs;
  }
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
    EXPECT_NE(said.find("another process works on " + o.out), std::string::npos) << said;
    EXPECT_FALSE(fs::exists(o.out + "/.lock"));
  }
  // A file without its process blocks nobody.
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
