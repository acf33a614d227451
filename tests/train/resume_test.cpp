#include <gtest/gtest.h>

#include "plumb/data/check.hpp"
#include "support.hpp"
#include "train/checkpoint.hpp"
#include "train/inference.hpp"

namespace plumb::train {
namespace {

using testing::Folder;
using testing::risk_data;

struct Finished {
  std::vector<torch::Tensor> weights;
  History history;
};

// Trains with an interruption after each of these epochs, every time from the file alone.
Finished trained(const TrainOptions& o, const Dataset& d, std::vector<std::size_t> stops,
                 const std::string& file) {
  std::size_t stop = 0;
  bool asked = false;
  TrainHooks hooks;
  hooks.on_epoch = [&](const TrainState& s) {
    save_checkpoint(file, s);
    asked = stop < stops.size() && s.history.size() == stops[stop];
  };
  hooks.interrupted = [&] { return asked; };
  TrainState s = start_training(o, d, torch::kCPU);
  while (!run_training(s, d, torch::kCPU, hooks)) {
    ++stop;
    asked = false;
    torch::manual_seed(12345 + stop);  // whatever else ran in between
    s = load_checkpoint(file, o, d, torch::kCPU);
  }
  EXPECT_EQ(stop, stops.size());
  return {snapshot(*s.model.net), s.history};
}

void expect_same_bits(const Finished& a, const Finished& b) {
  ASSERT_EQ(a.weights.size(), b.weights.size());
  for (std::size_t i = 0; i < a.weights.size(); ++i)
    EXPECT_TRUE(torch::equal(a.weights[i], b.weights[i])) << i;
  ASSERT_EQ(a.history.size(), b.history.size());
  for (std::size_t i = 0; i < a.history.size(); ++i) {
    EXPECT_EQ(a.history[i].train_loss, b.history[i].train_loss) << "epoch " << i + 1;
    EXPECT_EQ(a.history[i].lr, b.history[i].lr) << "epoch " << i + 1;
    EXPECT_EQ(a.history[i].validation, b.history[i].validation) << "epoch " << i + 1;
    EXPECT_EQ(a.history[i].train, b.history[i].train) << "epoch " << i + 1;
  }
}

TEST(Resume, CapeWithDropoutMomentumAndPlateausToTheSameBits) {
  const Folder folder;
  const Dataset d = risk_data(150, 5, 2);
  TrainOptions o;
  o.method = "cape-kernel";
  o.cape_every = 2;
  o.hidden = {16, 8};
  o.dropout = 0.3;
  o.lr = 0.1;
  o.epochs = 5;
  o.cape_epochs = 5;
  o.patience = 3;
  o.plateau = 1;
  o.batch = 32;
  const Finished straight = trained(o, d, {}, folder / "a.pt");
  // In the first phase, at its end, and in the second.
  expect_same_bits(straight, trained(o, d, {1, 3}, folder / "b.pt"));
  expect_same_bits(straight, trained(o, d, {straight.history.size() - 2}, folder / "c.pt"));
}

TEST(Resume, AdamWithBatchNormalisationAndAugmentationToTheSameBits) {
  const Folder folder;
  Dataset d;
  d.classes = 3;
  d.train = testing::image_split(40, 8, 3, 1);
  d.validation = d.test = testing::image_split(20, 8, 3, 2);
  d.normalisation = normalisation_of(d.train.inputs);
  TrainOptions o;
  o.model = "resnet18";
  o.width = 4;
  o.optimizer = "adam";
  o.lr = 0.003;
  o.epochs = 4;
  o.batch = 13;
  o.flip = true;
  o.shift = 1;
  o.rotation = 10;
  o.warmup = 2;
  expect_same_bits(trained(o, d, {}, folder / "a.pt"), trained(o, d, {1, 2, 3}, folder / "b.pt"));
}

TEST(Resume, RegressionKeepsTheUnitsOfItsTargets) {
  const Folder folder;
  Dataset d = testing::regression_data(1);
  for (Split* s : {&d.train, &d.validation, &d.test}) s->targets = 40 + 1000 * s->targets;
  TrainOptions o;
  o.hidden = {8};
  o.dropout = 0.2;
  o.epochs = 4;
  expect_same_bits(trained(o, d, {}, folder / "a.pt"), trained(o, d, {1, 3}, folder / "b.pt"));
  const TrainState s = start_training(o, d, torch::kCPU);
  save_model(folder / "model.pt", s.model);
  const Model m = load_model(folder / "model.pt", torch::kCPU);
  const torch::Tensor out = infer(*m.net, d.test.inputs, m.normalisation, torch::kCPU).outputs;
  EXPECT_TRUE(
      torch::equal(out, infer(*s.model.net, d.test.inputs, s.model.normalisation, torch::kCPU).outputs));
  // Untrained, it says about what the targets are: the mean 40 and the variance 5e5.
  EXPECT_GT(mean_variance(m.head, out).variance.mean().item<double>(), 1e5);
}

TEST(Checkpoint, AModelComesBackAsItWas) {
  const Folder folder;
  const Dataset d = risk_data(60, 4, 3);
  TrainOptions o;
  o.hidden = {6};
  TrainState s = start_training(o, d, torch::kCPU);
  save_model(folder / "model.pt", s.model);
  const Model m = load_model(folder / "model.pt", torch::kCPU);
  EXPECT_TRUE(torch::equal(infer(*m.net, d.test.inputs, m.normalisation, torch::kCPU).outputs,
                           infer(*s.model.net, d.test.inputs, s.model.normalisation, torch::kCPU).outputs));
  EXPECT_EQ(to_json(m.options), to_json(o));
}

TEST(Checkpoint, DamagedOrForeignFilesAreRefused) {
  const Folder folder;
  const Dataset d = risk_data(60, 4, 3);
  TrainOptions o;
  TrainState s = start_training(o, d, torch::kCPU);
  save_checkpoint(folder / "c.pt", s);
  EXPECT_THROW((void)load_model(folder / "c.pt", torch::kCPU), InputError);  // a checkpoint is no model
  EXPECT_THROW((void)load_model(folder / "none.pt", torch::kCPU), InputError);
  std::filesystem::resize_file(folder / "c.pt", 1000);
  EXPECT_THROW((void)load_checkpoint(folder / "c.pt", o, d, torch::kCPU), InputError);
  const Dataset other = risk_data(60, 7, 3);
  save_checkpoint(folder / "d.pt", s);
  EXPECT_THROW((void)load_checkpoint(folder / "d.pt", o, other, torch::kCPU), InputError);
}

}  // namespace
}  // namespace plumb::train
