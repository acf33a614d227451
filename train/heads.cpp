#include "train/heads.hpp"

#include "plumb/data/check.hpp"

namespace plumb::train {

Head head_of(const std::string& name, Task task, std::int64_t classes) {
  const bool regression = task == Task::regression;
  if (name == "auto") return regression ? Head::gaussian : classes == 2 ? Head::sigmoid : Head::softmax;
  if (regression != (name == "gaussian" || name == "laplace"))
    throw InputError("⟦head⟧ " + name + " does not fit the data, which are for " +
                     (regression ? "regression (gaussian, laplace)" : "classification (softmax, sigmoid)"));
  if (name == "sigmoid" && classes != 2)
    throw InputError("⟦head⟧ sigmoid is for two classes, and the data have " + std::to_string(classes));
  return name == "softmax"    ? Head::softmax
         : name == "sigmoid"  ? Head::sigmoid
         : name == "gaussian" ? Head::gaussian
                              : Head::laplace;
}

std::int64_t head_width(Head head, std::int64_t classes, std::int64_t outputs) {
  if (is_regression(head)) return 2 * outputs;
  return head == Head::sigmoid ? 1 : classes;
}

bool is_regression(Head head) { return head == Head::gaussian || head == Head::laplace; }

Units units_of(Head head, const torch::Tensor& targets) {
  const torch::Tensor y = targets.to(torch::kCPU, torch::kFloat64);
  const torch::Tensor mean = y.mean(0), deviation = (y - mean).square().mean(0).sqrt();
  // Equal targets leave a deviation of the rounding of their mean; the smallest are those of float32.
  const torch::Tensor good =
      (deviation > 1e-12 * mean.abs()) & (deviation > 1e-37) & torch::isfinite(deviation);
  const torch::Tensor scale = torch::where(good, deviation, torch::ones_like(deviation));
  // log variance grows by 2 log scale, log b by log scale.
  const torch::Tensor spread = (head == Head::gaussian ? 2 : 1) * scale.log();
  return {mean.to(torch::kFloat32), scale.to(torch::kFloat32), spread.to(torch::kFloat32)};
}

torch::Tensor probabilities(Head head, const torch::Tensor& logits) {
  const torch::Tensor u = logits.to(torch::kFloat64);
  return head == Head::sigmoid ? torch::sigmoid(u.dim() == 2 ? u.squeeze(1) : u) : torch::softmax(u, 1);
}

MeanVariance mean_variance(Head head, const torch::Tensor& outputs) {
  const auto both = outputs.to(torch::kFloat64).chunk(2, 1);
  const torch::Tensor spread = both[1].exp();
  return {both[0], head == Head::gaussian ? spread : 2 * spread.square()};
}

PredictiveParts predictive_parts(const torch::Tensor& means, const torch::Tensor& variances) {
  return {means.mean(0), variances.mean(0), means.var(0, /*unbiased=*/false)};
}

}  // namespace plumb::train
