// Liu 2022, appendix B: as many dimensions as items. Cross-entropy first learns the probabilities, then
// memorises the labels; with labels resampled each epoch it does not.
#include <gtest/gtest.h>

#include "plumb/simulate/linear_model.hpp"
#include "support.hpp"
#include "train/inference.hpp"
#include "train/trainer.hpp"

namespace plumb::train {
namespace {

Split linear_split(std::int64_t items, std::uint64_t seed) {
  const LinearModelData data = simulate_linear_model({.items = items, .dimension = 500, .seed = seed});
  Split s;
  s.inputs = torch::tensor(data.features).reshape({items, 500});
  s.truth = torch::tensor(data.truth).to(torch::kFloat32);
  std::vector<std::int64_t> labels(data.labels.begin(), data.labels.end());
  s.votes = votes_of_labels(torch::tensor(labels), 2);
  return s;
}

History train_linear(const std::string& method, double& extreme) {
  Dataset d;
  d.classes = 2;
  d.train = linear_split(500, 1);
  d.validation = linear_split(1000, 2);
  TrainOptions o;
  o.model = "linear";
  o.method = method;
  o.lr = 0.05;
  o.momentum = 0;
  o.weight_decay = 0;
  o.batch = 50;
  o.epochs = 300;
  o.patience = 0;
  o.threads = 1;
  TrainState s = start_training(o, d, torch::kCPU);
  std::vector<torch::Tensor> last;
  EXPECT_TRUE(run_training(s, d, torch::kCPU, {.on_epoch = [&](const TrainState& now) {
                             if (now.history.size() == 300) last = snapshot(*now.model.net);
                           }}));
  restore(*s.model.net, last);
  const torch::Tensor p =
      torch::sigmoid(infer(*s.model.net, d.train.inputs, s.model.normalisation, torch::kCPU).outputs);
  extreme = ((p < 0.1) | (p > 0.9)).to(torch::kFloat64).mean().item<double>();
  return s.history;
}

double mse_p(const HistoryRow& row) { return row.validation.at("mse_p").value(); }

TEST(LinearModel, LearnsEarlyAndThenMemorises) {
  double extreme = 0;
  const History h = train_linear("ce", extreme);
  std::size_t best = 0;
  for (std::size_t i = 1; i < h.size(); ++i) best = mse_p(h[i]) < mse_p(h[best]) ? i : best;
  EXPECT_LT(mse_p(h[best]), 0.95 * mse_p(h[0])) << "the error falls first";
  EXPECT_LT(best, h.size() / 2);
  EXPECT_GT(mse_p(h.back()), 1.5 * mse_p(h[best])) << "and then rises";
  EXPECT_LT(h.back().train.at("nll").value(), 0.15) << "the labels are memorised";
  EXPECT_GT(extreme, 0.8) << "probabilities of the training items collapse to 0 and 1";
}

TEST(LinearModel, ResampledLabelsAreNotMemorised) {
  double memorised = 0, resampled = 0;
  const History ce = train_linear("ce", memorised), oracle = train_linear("ce-resampled", resampled);
  EXPECT_LT(mse_p(oracle.back()), 0.5 * mse_p(ce.back()));
  EXPECT_LT(mse_p(oracle.back()), mse_p(oracle.front()));
  EXPECT_LT(resampled, 0.5 * memorised);
}

}  // namespace
}  // namespace plumb::train
