#include "train/epoch.hpp"

#include <future>
#include <limits>

#include "plumb/numeric/random.hpp"
#include "train/losses/classification.hpp"
#include "train/losses/regression.hpp"
#include "train/tensors.hpp"

namespace plumb::train {
namespace {

struct Batch {
  torch::Tensor index, inputs, answers;
};

// Gathers batches in order, one ahead of the network when they come from the host.
class Batches {
 public:
  Batches(const Material& m, torch::Tensor order, std::vector<std::pair<std::int64_t, std::int64_t>> ranges)
      : m_(m),
        order_(std::move(order)),
        ranges_(std::move(ranges)),
        ahead_(m.device.is_cuda() && !m.inputs.is_cuda()) {
    if (m.inputs.is_cuda()) order_ = order_.to(m.device);
  }
  Batch get(std::size_t i) {
    if (!ahead_) return gather(i);
    Batch b = next_.valid() ? next_.get() : gather(i);
    if (i + 1 < ranges_.size()) next_ = std::async(std::launch::async, [this, i] { return gather(i + 1); });
    for (torch::Tensor* t : {&b.index, &b.inputs, &b.answers}) *t = t->to(m_.device, /*non_blocking=*/true);
    return b;
  }

 private:
  Batch gather(std::size_t i) const {
    Batch b;
    b.index = order_.slice(0, ranges_[i].first, ranges_[i].second);
    b.inputs = m_.inputs.index_select(0, b.index);
    b.answers = m_.answers.index_select(0, b.index);
    if (ahead_) {
      b.inputs = b.inputs.pin_memory();
      b.answers = b.answers.pin_memory();
    }
    return b;
  }
  const Material& m_;
  torch::Tensor order_;
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges_;
  bool ahead_;
  std::future<Batch> next_;
};

// One lambda ~ Beta(alpha, alpha) per batch (Zhang 2018); votes are mixed in the same way as inputs.
void mix_up(torch::Tensor& x, torch::Tensor& answers, double alpha, std::uint64_t seed) {
  RandomStream random(seed, Purpose::sample);
  const double a = random.gamma(alpha), b = random.gamma(alpha);
  const double lambda = a + b > 0 ? a / (a + b) : 1;
  const torch::Tensor other = permutation(seed_for(seed, "mix"), x.size(0)).to(x.device());
  x = lambda * x + (1 - lambda) * x.index_select(0, other);
  answers = lambda * answers + (1 - lambda) * answers.index_select(0, other);
}

torch::Tensor objective_loss(const Objective& objective, const torch::Tensor& outputs,
                             const torch::Tensor& answers, const torch::Tensor& empirical) {
  using namespace functional;  // NOLINT: losses by their names
  const std::string& name = objective.name;
  const double s = objective.strength;
  const RegressionLossOptions units_as_they_are =
      RegressionLossOptions().floor(-std::numeric_limits<double>::infinity());
  if (name == "gaussian") return gaussian_nll(outputs, answers, units_as_they_are);
  if (name == "laplace") return laplace_nll(outputs, answers, units_as_they_are);
  const torch::Tensor u = rows_of(outputs), y = rows_of(answers);
  if (name == "focal") return focal_loss(u, y, s);
  if (name == "entropy") return entropy_loss(u, y, s);
  if (name == "mmce") return mmce_loss(u, y, s);
  if (name == "label-smoothing") return label_smoothing_loss(u, y, s);
  if (name == "calibration") return calibration_loss(u, empirical);
  if (name == "weighted") return (1 - s) * soft_cross_entropy(u, y) + s * calibration_loss(u, empirical);
  return soft_cross_entropy(u, y);
}

// Where the batches of n items begin and end: a last batch of one item joins the one before it (batch
// normalisation has no variance of one item).
std::vector<std::pair<std::int64_t, std::int64_t>> batch_ranges(std::int64_t n, std::int64_t batch) {
  std::vector<std::pair<std::int64_t, std::int64_t>> out;
  for (std::int64_t begin = 0; begin < n; begin += batch) out.emplace_back(begin, std::min(begin + batch, n));
  if (out.size() > 1 && out.back().second - out.back().first == 1) {
    out.pop_back();
    out.back().second = n;
  }
  return out;
}

}  // namespace

std::unique_ptr<torch::optim::Optimizer> make_optimiser(const TrainOptions& o,
                                                        std::vector<torch::Tensor> parameters) {
  if (o.optimizer == "adam")
    return std::make_unique<torch::optim::Adam>(std::move(parameters),
                                                torch::optim::AdamOptions(o.lr).weight_decay(o.weight_decay));
  return std::make_unique<torch::optim::SGD>(
      std::move(parameters),
      torch::optim::SGDOptions(o.lr).momentum(o.momentum).weight_decay(o.weight_decay));
}

void set_learning_rate(torch::optim::Optimizer& optimiser, double rate) {
  for (auto& group : optimiser.param_groups()) group.options().set_lr(rate);
}

Material material(const Split& split, const Normalisation& normalisation, torch::Device device) {
  constexpr std::int64_t kFits = std::int64_t{8} << 30;  // bytes of inputs that may live on the device
  Material m{split.inputs, split.votes.defined() ? split.votes : split.targets, normalisation.to(device),
             device};
  if (device.is_cuda() && m.inputs.numel() * m.inputs.element_size() <= kFits) {
    m.inputs = m.inputs.to(device);
    m.answers = m.answers.to(device);
  }
  return m;
}

EpochResult run_epoch(Network& net, torch::optim::Optimizer& optimiser, const Material& m,
                      const Objective& objective, const EpochOptions& options) {
  const std::int64_t n = m.inputs.size(0);
  const torch::Tensor order = permutation(seed_for(options.seed, "order"), n);
  const auto ranges = batch_ranges(n, options.batch);
  seed_torch(seed_for(options.seed, "dropout"));
  net.train();
  Batches batches(m, order, ranges);
  const bool mixing = objective.name == "mixup";
  // Outputs are those of the training set as it is, unless its answers were mixed or its pixels moved.
  const bool comparable = !mixing && !(options.augmentation.any() && m.answers.dim() == 4);
  torch::Tensor total = torch::zeros({}, torch::TensorOptions().dtype(torch::kFloat64).device(m.device));
  std::vector<torch::Tensor> outputs;
  EpochResult r;
  for (std::int64_t i = 0; i < std::ssize(ranges); ++i) {
    if (options.interrupted && options.interrupted()) {
      r.interrupted = true;
      return r;
    }
    Batch b = batches.get(i);
    const std::uint64_t moves = seed_for(options.seed, "augment", i);
    torch::Tensor x = laid_out(augment(m.normalisation.apply(b.inputs), options.augmentation, moves));
    b.answers = augment_votes(b.answers, options.augmentation, moves);  // of pixels: they move with the image
    if (mixing) mix_up(x, b.answers, objective.strength, seed_for(options.seed, "mixup", i));
    const torch::Tensor empirical =
        objective.empirical.defined() ? objective.empirical.index_select(0, b.index) : torch::Tensor();
    const Output out = net.forward(x);
    const torch::Tensor loss = objective_loss(objective, out.logits, b.answers, empirical);
    optimiser.zero_grad();
    loss.backward();
    optimiser.step();
    const double items = x.size(0);
    // Stays on the device: reading the loss each step would make the host wait for it.
    total += loss.detach().to(torch::kFloat64) * items;
    if (comparable) outputs.push_back(out.logits.detach());
    const double done = ranges[i].second;
    if (options.progress) options.progress(done / n, [&] { return total.item<double>() / done; });
  }
  r.loss = total.item<double>() / n;
  if (comparable) {
    const torch::Tensor met = torch::cat(outputs).to(torch::kCPU, torch::kFloat32);
    r.outputs = torch::empty_like(met).index_copy_(0, order, met);
  }
  return r;
}

}  // namespace plumb::train
