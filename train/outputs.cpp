#include "train/outputs.hpp"

#include <filesystem>

#include "plumb/io/npy.hpp"
#include "plumb/io/table_file.hpp"
#include "train/inference.hpp"
#include "train/tensors.hpp"

namespace plumb::train {
namespace {

void write_integers(const std::string& path, const torch::Tensor& t) {
  const torch::Tensor flat = t.to(torch::kCPU, torch::kLong).contiguous();
  write_npy(path, std::span(flat.data_ptr<std::int64_t>(), flat.numel()), flat.sizes());
}

Metrics write_part(const std::string& folder, const Model& model, const Split& split, torch::Device device,
                   std::optional<double> scale) {
  std::filesystem::create_directories(folder);
  const Inferred r = infer(*model.net, split.inputs, model.normalisation, device, {.features = true});
  write_tensor(folder + "/features.npy", r.features);
  write_answers(folder, split, model.task);
  if (is_regression(model.head)) {
    const auto [mean, variance] = mean_variance(model.head, r.outputs);
    write_doubles(folder + "/mean.npy", mean);
    write_doubles(folder + "/variance.npy", variance);
  } else {
    const torch::Tensor logits = rows_of(r.outputs);
    write_tensor(folder + "/logits.npy", model.head == Head::sigmoid ? logits.reshape({-1}) : logits);
    write_doubles(folder + "/probs.npy", probabilities(model.head, logits));
  }
  return metrics_of(model, r.outputs, split, scale);
}

}  // namespace

void write_answers(const std::string& folder, const Split& split, Task task) {
  if (task == Task::segmentation)
    write_integers(folder + "/image.npy",
                   torch::arange(split.size(), torch::kLong)
                       .repeat_interleave(split.inputs.size(2) * split.inputs.size(3)));
  if (split.targets.defined()) write_tensor(folder + "/targets.npy", split.targets);
  if (split.votes.defined()) {
    const torch::Tensor votes = rows_of(split.votes);
    write_integers(folder + "/counts.npy", votes);
    if ((votes.sum(1) == 1).all().item<bool>()) write_integers(folder + "/labels.npy", votes.argmax(1));
  }
  if (split.truth.defined())
    write_tensor(folder + "/truth.npy", split.truth.dim() == 3 ? split.truth.reshape({-1}) : split.truth);
}

void write_predictive(const std::string& folder, const PredictiveParts& p) {
  write_doubles(folder + "/mean.npy", p.mean);
  write_doubles(folder + "/aleatoric.npy", p.aleatoric);
  write_doubles(folder + "/epistemic.npy", p.epistemic);
  write_doubles(folder + "/variance.npy", p.aleatoric + p.epistemic);
}

std::vector<NamedTensor> columns_of(const PredictiveParts& p) {
  return {{"mean", p.mean},
          {"aleatoric", p.aleatoric},
          {"epistemic", p.epistemic},
          {"variance", p.aleatoric + p.epistemic}};
}

void write_table(const std::string& path, const std::vector<NamedTensor>& parts) {
  std::vector<std::string> names;
  std::vector<torch::Tensor> tensors;
  for (const auto& [name, t] : parts) {
    tensors.push_back(t.reshape({t.size(0), -1}));
    const std::int64_t width = tensors.back().size(1);
    for (std::int64_t k = 0; k < width; ++k)
      names.push_back(width == 1 ? name : name + "_" + std::to_string(k));
  }
  const torch::Tensor all = torch::cat(tensors, 1);
  const bool one = names.size() == 1;  // a column, not a matrix of width 1
  TableFile file(path, one ? std::vector{all.size(0)} : all.sizes().vec(), names);
  file.write(doubles_of(all));
  file.commit();
}

std::map<std::string, Metrics> write_outputs(const std::string& folder, const Model& model,
                                             const Dataset& data, torch::Device device) {
  std::map<std::string, Metrics> metrics;
  std::optional<double> scale;  // sigma scaling is fitted on validation and evaluated on the test set
  for (const auto& [name, split] : data.parts()) {
    const bool test = split == &data.test;
    metrics[name] = write_part(folder + "/" + name, model, *split, device, test ? scale : std::nullopt);
    if (split == &data.validation && is_regression(model.head)) scale = metrics[name]["sigma_scale"];
  }
  return metrics;
}

}  // namespace plumb::train
