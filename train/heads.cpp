#include "train/heads.hpp"

#include "plumb/data/check.hpp"

namespace plumb::train {

Head head_of(const std::string& name, Task task, std::int64_t classes) {
  const bool regression = task == Task::regression;
  if (name == "auto") return regression ? Head::gaussian : classes == 2 ? Head::sigmoid : Head::softmax;
  if (regression != (name == "gaussian" || name == "laplace"))
    throw InputError("--head " + name + " does not fit the data, which are for " +
                     (regression ? "regression (gaussian, laplace)" : "classification (softmax, sigmoid)"));
  if (name == "sigmoid" && classes != 2)
    throw InputError("--head sigmoid is for two classes, and the data have " + std::to_string(classes));
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

torch::Tensor probabilities(Head head, const torch::Tensor& logits) {
  const torch::Tensor u = logits.to(torch::kFloat64);
  return head == Head::sigmoid ? torch::sigmoid(u.dim() == 2 ? u.squeeze(1) : u) : torch::softmax(u, 1);
}

MeanVariance mean_variance(Head head, const torch::Tensor& outputs) {
  const auto both = outputs.to(torch::kFloat64).chunk(2, 1);
  const torch::Tensor spread = both[1].clamp_min(-20).exp();  // the floor of the loss (losses/regression.hpp)
  return {both[0], head == Head::gaussian ? spread : 2 * spread.square()};
}

PredictiveParts predictive_parts(const torch::Tensor& means, const torch::Tensor& variances) {
  return {means.mean(0), variances.mean(0), means.var(0, /*unbiased=*/false)};
}

}  // namespace plumb::train
