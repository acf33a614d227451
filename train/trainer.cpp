#include "train/trainer.hpp"

#include <chrono>
#include <cmath>

#include "plumb/data/check.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/random.hpp"
#include "train/cape.hpp"
#include "train/checkpoint.hpp"
#include "train/inference.hpp"
#include "train/tensors.hpp"

namespace plumb::train {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Of one phase: CaPE's second one starts where the first stopped and knows neither warm-up nor milestones.
TrainOptions phase_options(const TrainOptions& o, int phase) {
  TrainOptions p = o;
  if (phase == 1) {
    p.warmup = 0;
    p.milestones.clear();
    p.epochs = o.cape_epochs > 0 ? o.cape_epochs : o.epochs;
  }
  return p;
}

bool in_cape(const TrainState& s) {
  return is_cape(s.model.options.method) && (s.phase == 1 || s.model.options.from_start);
}

// Labels redrawn from the true probabilities (Liu 2022, section 7.3: the oracle).
torch::Tensor resampled_votes(const torch::Tensor& truth, std::int64_t classes, std::uint64_t seed) {
  const std::vector<double> p = doubles_of(truth);
  const auto n = truth.size(0);
  torch::Tensor votes = torch::zeros({n, classes}, torch::kFloat32);
  auto v = votes.accessor<float, 2>();
  for (std::int64_t i = 0; i < n; ++i) {
    double u = random_uniform(seed, Purpose::sample, 0, i);
    if (truth.dim() == 1) {
      v[i][u < p[i] ? 1 : 0] = 1;
      continue;
    }
    std::int64_t k = 0;
    while (k + 1 < classes && u >= p[i * classes + k]) u -= p[i * classes + k++];
    v[i][k] = 1;
  }
  return votes;
}

Objective objective_of(const TrainState& s, const Dataset& data, const Material& m) {
  const TrainOptions& o = s.model.options;
  if (is_regression(s.model.head)) return {s.model.head == Head::gaussian ? "gaussian" : "laplace"};
  if (!is_cape(o.method)) return {o.method == "ce-resampled" ? "ce" : o.method, strength_of(o)};
  if (!in_cape(s)) return {"ce"};
  const double weight = strength_of(o);
  const std::int64_t t = s.phase_epoch + 1;
  if (weight == 0 && t % cape_every_of(o) != 0) return {"ce"};
  const Inferred now = infer(*s.model.net, m.inputs, s.model.normalisation, m.device, {.half = true});
  const torch::Tensor e =
      empirical_probabilities(o, s.model.head, now.outputs, data.train.votes).to(m.device);
  return {weight > 0 ? "weighted" : "calibration", weight, e};
}

// What the epoch is chosen by: the lower the better.
double selection_loss(const TrainOptions& o, const Metrics& validation) {
  const auto found = validation.find(o.select);
  if (found == validation.end() || !found->second) return INFINITY;
  return o.select == "auroc" ? -*found->second : *found->second;
}

void begin_cape(TrainState& s, const Dataset& data, torch::Device device) {
  const TrainOptions& o = s.model.options;
  const std::int64_t start = s.schedule.best_epoch;  // 0: of another run
  s.phase = 1;
  s.phase_epoch = 0;
  s.base_lr = o.cape_lr > 0 ? o.cape_lr : s.model.lr;
  s.optimiser = make_optimiser(o, s.model.net->parameters());
  s.schedule = {};
  // The starting model remains a candidate.
  s.schedule.best = selection_loss(o, metrics_of(s.model, data.validation, device));
  s.schedule.best_epoch = start;
  s.best = snapshot(*s.model.net);
  s.best_lr = s.base_lr;
}

void check_method(const TrainOptions& o, const Dataset& data) {
  if (data.task == Task::regression && o.method != "ce")
    throw InputError("⟦method⟧ " + o.method +
                     " is for classification; regression heads train by their likelihood");
  if (o.select != "nll" && (o.select == "mse") != (data.task == Task::regression))
    throw InputError("⟦select⟧ " + o.select + " is for " +
                     (o.select == "mse" ? "regression" : "classification") + "; use nll here");
  if (is_cape(o.method)) check_cape(data);
  if (o.method == "ce-resampled" && !(data.train.truth.defined() && data.task == Task::classification))
    throw InputError(
        "⟦method⟧ ce-resampled draws labels from known probabilities: train/truth.npy is needed");
  if ((data.task == Task::segmentation) != (o.model == "unet-small"))
    throw InputError(
        "⟦model⟧ unet-small is for labels of pixels and the other models for labels of items; the labels here are of " +
        std::string(data.task == Task::segmentation ? "pixels" : "items"));
  if (data.task == Task::segmentation && (o.method == "mmce" || o.method == "mixup"))
    throw InputError("⟦method⟧ " + o.method + " is not available for segmentation");
}

// A new network for the data, with weights from the seed. InputError where model, head and data do not match.
Model make_model(const TrainOptions& o, const Dataset& data) {
  Model m;
  m.options = o;
  m.input = data.train.inputs.sizes().slice(1).vec();
  m.task = data.task;
  m.head = head_of(o.head, data.task, data.classes);
  m.classes = data.classes;
  m.outputs = data.outputs;
  m.bytes = data.train.inputs.scalar_type() == torch::kUInt8;
  m.normalisation = data.normalisation;
  seed_torch(seed_for(o.seed, "weights"));
  m.net = make_network(o, m.input, head_width(m.head, m.classes, m.outputs));
  if (is_regression(m.head)) m.net->measure_in(units_of(m.head, data.train.targets));
  return m;
}

}  // namespace

std::int64_t most_epochs(const TrainOptions& o) {
  const bool two = is_cape(o.method) && !o.from_start;
  const std::int64_t second = two ? phase_options(o, 1).epochs : 0;
  return (two && !o.start_from.empty() ? 0 : o.epochs) + second;
}

std::vector<torch::Tensor> snapshot(const Network& net) {
  torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> values;
  for (const auto& t : net.parameters()) values.push_back(t.detach().clone());
  for (const auto& t : net.buffers()) values.push_back(t.detach().clone());
  return values;
}

void restore(Network& net, const std::vector<torch::Tensor>& values) {
  torch::NoGradGuard no_grad;
  std::size_t i = 0;
  for (auto& t : net.parameters()) t.copy_(values.at(i++));
  for (auto& t : net.buffers()) t.copy_(values.at(i++));
}

Metrics metrics_of(const Model& model, const Split& split, torch::Device device) {
  return metrics_of(model, infer(*model.net, split.inputs, model.normalisation, device).outputs, split);
}

Metrics metrics_of(const Model& model, const torch::Tensor& outputs, const Split& split,
                   std::optional<double> scale) {
  if (is_regression(model.head)) return regression_metrics(model.head, outputs, split.targets, scale);
  return classification_metrics(model.head, outputs, split.votes, split.truth,
                                narrow<int>(model.options.threads), model.options.select == "auroc");
}

TrainState start_training(const TrainOptions& o, const Dataset& data, torch::Device device) {
  check_method(o, data);
  TrainState s;
  s.model = make_model(o, data);
  place(*s.model.net, device);
  s.model.lr = s.base_lr = o.lr;
  s.optimiser = make_optimiser(o, s.model.net->parameters());
  if (!o.start_from.empty()) {
    const Model from = load_model(o.start_from + "/model.pt", device);
    if (from.options.model != o.model || from.input != s.model.input || from.head != s.model.head)
      throw InputError("⟦start_from⟧ " + o.start_from +
                       " has a different model, head or input from this run");
    const std::vector<torch::Tensor> weights = snapshot(*from.net), own = snapshot(*s.model.net);
    if (!std::equal(weights.begin(), weights.end(), own.begin(), own.end(),
                    [](const auto& a, const auto& b) { return a.sizes() == b.sizes(); }))
      throw InputError("⟦start_from⟧ " + o.start_from +
                       " has layers of different sizes from this run; give the same ⟦hidden⟧ and ⟦width⟧");
    restore(*s.model.net, weights);
    s.model.normalisation = from.normalisation;
    s.model.lr = from.lr;
    begin_cape(s, data, device);
  }
  return s;
}

bool run_training(TrainState& s, const Dataset& data, torch::Device device, const TrainHooks& hooks) {
  const TrainOptions& o = s.model.options;
  Material m = material(data.train, s.model.normalisation, device);
  const torch::Tensor observed = m.answers;
  while (!s.done) {
    const TrainOptions phase = phase_options(o, s.phase);
    if (s.phase_epoch >= phase.epochs || should_stop(phase, s.schedule)) {
      if (!s.best.empty()) restore(*s.model.net, s.best);
      s.model.lr = s.best_lr;
      if (is_cape(o.method) && s.phase == 0 && !o.from_start) {
        begin_cape(s, data, device);
        continue;
      }
      s.done = true;
      break;
    }
    const auto start = Clock::now();
    HistoryRow row;
    row.epoch = std::ssize(s.history) + 1;
    row.phase = in_cape(s) || !is_cape(o.method) ? o.method : "ce";
    row.lr = learning_rate(phase, s.base_lr, s.schedule, s.phase_epoch + 1);
    set_learning_rate(*s.optimiser, row.lr);
    const std::uint64_t seed = seed_for(o.seed, "epoch", row.epoch);
    torch::Tensor votes = data.train.votes;
    if (o.method == "ce-resampled") {
      votes = resampled_votes(data.train.truth, data.classes, seed_for(seed, "labels"));
      m.answers = votes.to(observed.device());
    }
    const auto refresh = Clock::now();
    const Objective objective = objective_of(s, data, m);
    row.refresh_seconds = objective.empirical.defined() ? seconds_since(refresh) : 0;
    row.loss = objective.name;
    EpochOptions how{o.batch, {o.flip, o.shift, o.rotation}, seed, {}, hooks.interrupted};
    if (hooks.on_batch)
      how.progress = [&](double share, const auto& loss) { hooks.on_batch(row.epoch, share, loss); };
    const EpochResult r = run_epoch(*s.model.net, *s.optimiser, m, objective, how);
    if (r.interrupted) return false;
    row.train_loss = r.loss;
    if (r.outputs.defined())
      row.train = is_regression(s.model.head)
                      ? regression_metrics(s.model.head, r.outputs, data.train.targets)
                      : classification_metrics(s.model.head, r.outputs, votes, data.train.truth,
                                               narrow<int>(o.threads));
    row.validation = metrics_of(s.model, data.validation, device);
    if (o.intra_training && is_regression(s.model.head) && data.test.inputs.defined()) {
      const torch::Tensor outputs =
          infer(*s.model.net, data.test.inputs, s.model.normalisation, device).outputs;
      row.test = regression_metrics(s.model.head, outputs, data.test.targets, row.validation["sigma_scale"]);
    }
    row.best = observe(phase, s.schedule, row.epoch, selection_loss(o, row.validation));
    if (row.best) {
      s.best = snapshot(*s.model.net);
      s.best_lr = row.lr;
    }
    row.seconds = seconds_since(start);
    s.history.push_back(std::move(row));
    ++s.phase_epoch;
    if (hooks.on_epoch) hooks.on_epoch(s);
    if (hooks.interrupted && hooks.interrupted()) return false;
  }
  return true;
}

}  // namespace plumb::train
