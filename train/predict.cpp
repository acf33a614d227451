#include <filesystem>
#include <nlohmann/json.hpp>

#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/npy.hpp"
#include "train/checkpoint.hpp"
#include "train/inference.hpp"
#include "train/outputs.hpp"
#include "train/run.hpp"
#include "train/tensors.hpp"

namespace plumb::train {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> members_of(const std::string& run) {
  if (fs::exists(run + "/model.pt")) return {run};
  std::vector<std::string> members;
  for (std::int64_t i = 0; fs::exists(run + "/member_" + std::to_string(i) + "/model.pt"); ++i)
    members.push_back(run + "/member_" + std::to_string(i));
  if (members.empty())
    throw InputError(run + " holds no trained model (neither model.pt nor member_0/model.pt)");
  return members;
}

// Any folder of arrays beside or instead of the three parts will do ("test-clahe"), with labels or without.
Split part_of(TrainOptions how, const std::string& name, Task task, std::int64_t classes) {
  const std::string folder = how.data + "/" + name;
  if (has_arrays(folder)) {
    if (!has_answers(folder)) how.targets = "none";
    if (task == Task::regression && how.targets != "none") how.targets = "targets";
    const std::int64_t known = classes;
    Split s = read_arrays(folder, how, task, classes);
    if (classes > known)
      throw InputError("the labels in " + folder + " are of " + std::to_string(classes) +
                       " classes, and the model knows " + std::to_string(known));
    return s;
  }
  if (name != "train" && name != "validation" && name != "test")
    throw InputError("--split: there is no folder " + folder +
                     " with images.npy, inputs.npy or features.npy");
  const Dataset data = load_dataset(how);
  const Split& s = name == "train" ? data.train : name == "validation" ? data.validation : data.test;
  if (!s.inputs.defined()) throw InputError("the data have no part " + name + "/");
  return s;
}

}  // namespace

std::string predict_run(const PredictOptions& o, const Hooks& hooks) {
  if (o.run.empty()) throw InputError("give the folder of a run: plumb predict RUN --out FOLDER");
  if (o.out.empty()) throw InputError("--out is needed: the folder to write to");
  const std::vector<std::string> members = members_of(o.run);
  const torch::Device device = device_of(o.device);
  set_up_torch(o.threads, device);
  Model first = load_model(members.front() + "/model.pt", device);
  TrainOptions how = first.options;
  if (!o.data.empty()) how.data = o.data;
  how.normalize = false;  // the model brings its own
  how.seed = fs::exists(o.run + "/config.json") ? read_config(o.run).seed : how.seed;
  const Split split = part_of(how, o.split, first.task, first.classes);
  if (split.inputs.sizes().slice(1).vec() != first.input)
    throw InputError("the model takes inputs of shape " + show_shape(first.input) +
                     ", and the data are of shape " + show_shape(split.inputs.sizes().slice(1).vec()));
  InferenceOptions pass{.batch = o.batch, .dropout = o.mc_dropout};
  if (o.tta) {
    const bool named = o.flip || o.shift > 0 || o.rotation > 0;
    pass.augmentation =
        named ? Augmentation{o.flip, o.shift, o.rotation} : Augmentation{how.flip, how.shift, how.rotation};
    if (!pass.augmentation.any())
      throw InputError(
          "--tta needs a change to make, and the run was trained without: give --flip, --shift or "
          "--rotation");
    if (split.inputs.dim() != 4)
      throw InputError("--tta changes images, and the model takes tables of numbers; use --mc-dropout");
    if (first.task == Task::segmentation) throw InputError("--tta is not there for segmentation");
  }
  const std::int64_t passes = o.mc_dropout || o.tta ? o.samples : 1;
  if (passes < 1 || passes > 100000) throw InputError("--samples must lie between 1 and 100000");
  std::vector<torch::Tensor> outputs;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Model model = i == 0 ? first : load_model(members[i] + "/model.pt", device);
    if (o.mc_dropout && set_dropout(*model.net, true) == 0)
      throw InputError("--mc-dropout: the model has no dropout; train it with --dropout 0.5, say");
    for (std::int64_t s = 0; s < passes; ++s) {
      if (hooks.interrupted && hooks.interrupted()) throw Interrupted{};
      if (hooks.status)
        hooks.status("pass " + std::to_string(outputs.size() + 1) + " of " +
                     std::to_string(static_cast<std::int64_t>(members.size()) * passes));
      pass.seed = seed_for(o.seed, "pass", static_cast<std::int64_t>(i), s);
      outputs.push_back(infer(*model.net, split.inputs, model.normalisation, device, pass).outputs);
    }
  }
  fs::create_directories(o.out);
  write_answers(o.out, split);
  const std::string made = std::to_string(outputs.size()) + (outputs.size() == 1 ? " sample" : " samples") +
                           " of " + std::to_string(split.size()) + " items in " + o.out;
  if (is_regression(first.head)) {
    std::vector<torch::Tensor> means, variances;
    for (const torch::Tensor& t : outputs) {
      const auto [mean, variance] = mean_variance(first.head, t);
      means.push_back(mean);
      variances.push_back(variance);
    }
    const torch::Tensor m = torch::stack(means), v = torch::stack(variances);
    const PredictiveParts p = predictive_parts(m, v);
    write_doubles(o.out + "/mean.npy", p.mean);
    write_doubles(o.out + "/aleatoric.npy", p.aleatoric);
    write_doubles(o.out + "/epistemic.npy", p.epistemic);
    write_doubles(o.out + "/variance.npy", p.aleatoric + p.epistemic);
    write_doubles(o.out + "/mean_samples.npy", m);
    write_doubles(o.out + "/variance_samples.npy", v);
    return made +
           ": mean.npy, aleatoric.npy, epistemic.npy, variance.npy, mean_samples.npy, variance_samples.npy";
  }
  std::vector<torch::Tensor> samples;
  for (const torch::Tensor& t : outputs) samples.push_back(probabilities(first.head, rows_of(t)));
  const torch::Tensor all = torch::stack(samples);
  write_doubles(o.out + "/samples.npy", all);
  write_doubles(o.out + "/probs.npy", all.mean(0));
  return made + ": samples.npy, probs.npy";
}

}  // namespace plumb::train
