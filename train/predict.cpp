#include <filesystem>
#include <nlohmann/json.hpp>

#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/plugin.hpp"
#include "plumb/io/table_file.hpp"
#include "train/checkpoint.hpp"
#include "train/inference.hpp"
#include "train/outputs.hpp"
#include "train/run.hpp"
#include "train/tensors.hpp"

namespace plumb::train {
namespace {

namespace fs = std::filesystem;

// For an interrupted run: how far it came, and how to continue.
[[noreturn]] void refuse_unfinished(const std::string& run, const TrainOptions& o) {
  std::vector<std::string> folders;
  for (std::int64_t i = 0; o.ensemble > 1 && i < o.ensemble; ++i)
    folders.push_back("/member_" + std::to_string(i));
  for (const double strength : o.tune) folders.push_back("/strength_" + show(strength));
  std::string done;
  if (!folders.empty()) {
    std::int64_t trained = 0;
    for (const std::string& folder : folders) trained += is_finished(run + folder) ? 1 : 0;
    done = ": " + std::to_string(trained) + " of " + std::to_string(folders.size()) +
           (o.ensemble > 1 ? " members" : " strengths") + " are trained";
  }
  throw InputError(run + " is not finished" + done + "; continue it with plumb train --resume " + run);
}

// A model.pt without the config.json of a run was copied, and is complete.
std::vector<std::string> members_of(const std::string& run) {
  if (!fs::exists(run + "/config.json")) {
    if (fs::exists(run + "/model.pt")) return {run};
    throw InputError(run + " holds no trained model (neither config.json nor model.pt)");
  }
  const TrainOptions o = read_config(run);
  if (!is_finished(run)) refuse_unfinished(run, o);
  if (o.ensemble == 1) return {run};
  std::vector<std::string> members;
  for (std::int64_t i = 0; i < o.ensemble; ++i) members.push_back(run + "/member_" + std::to_string(i));
  return members;
}

constexpr const char* kWritten[] = {"samples.npy",  "mean_samples.npy",     "probs.npy",
                                    "mean.npy",     "aleatoric.npy",        "epistemic.npy",
                                    "variance.npy", "variance_samples.npy", "labels.npy",
                                    "counts.npy",   "targets.npy",          "truth.npy",
                                    "image.npy",    "sample_logits.npy",    "sample_features.npy"};

// Older predictions are overwritten, other files are not.
void check_out_of_predict(const PredictOptions& o) {
  const std::string& out = o.out;
  if (const std::string run = owner_of(out); !run.empty())
    throw InputError("⟦out⟧ " + out + " would overwrite what the run in " + run +
                     " keeps there; choose another folder, such as " + (fs::path(run) / "mc").string());
  if (is_one_file(o)) {
    if (fs::is_directory(out))
      throw InputError("⟦out⟧ " + out + " is a folder, and its name is that of a file");
    return;
  }
  if (fs::is_directory(out) && !fs::is_empty(out) && !fs::exists(fs::path(out) / kWritten[0]) &&
      !fs::exists(fs::path(out) / kWritten[1]))
    throw InputError("⟦out⟧ " + out + " contains files but no predictions; choose a new or empty folder");
}

// No file of an older prediction may be mistaken for a part of this one.
void clear_predictions(const std::string& out) {
  fs::create_directories(out);
  for (const char* name : kWritten) fs::remove(fs::path(out) / name);
}

void check_folders(const PredictOptions& o, const std::string& own) {
  if (!o.data.empty() && !fs::is_directory(o.data))
    throw InputError("⟦data⟧: there is no folder \"" + o.data + "\"");
  if (o.data.empty() && !fs::is_directory(own))
    throw InputError("there is no folder \"" + own + "\" here, which is where the config.json of " + o.run +
                     " expects the data; give the folder with ⟦data⟧");
  for (const std::string& data : {o.data, own}) {
    if (data.empty() || !fs::is_directory(data) || !lies_within(o.out, data)) continue;
    if (lies_within(o.run, data) && lies_within(o.out, o.run)) continue;  // a run next to its data
    throw InputError("⟦out⟧ " + o.out + " is inside the data folder " + data +
                     ", whose files could be overwritten; choose a folder outside it");
  }
  check_out_of_predict(o);
}

// Before anything is computed: a plugin that is missing would be noticed only at the end.
void check_plugin(const std::string& out) {
  if (is_arrow_path(out) && !has_plugin("arrow"))
    throw InputError(
        out +
        " needs libplumb_arrow.so, which is not beside this plumb; build it with \"make arrow\", or write a .csv");
}

// Any folder of arrays beside or instead of the three parts will do ("test-clahe"), with labels or without.
Split part_of(TrainOptions how, const std::string& name, bool own, Task task, std::int64_t classes) {
  const std::string folder = how.data + "/" + name;
  const std::int64_t known = classes;
  const auto check_classes = [&](std::int64_t found) {
    if (found > known)
      throw InputError("the labels in " + folder + " are of " + std::to_string(found) +
                       " classes, and the model knows " + std::to_string(known));
  };
  // The run may have learned from only a part of train/: --train-items, or a validation part split off.
  const bool cut = !fs::is_directory(how.data + "/validation") && has_answers(folder);
  const bool as_trained = (name == "train" || name == "validation") && (own || cut);
  if (has_arrays(folder) && !as_trained) {
    if (!has_answers(folder)) how.targets = "none";
    if (task == Task::regression && how.targets != "none") how.targets = "targets";
    Split s = read_arrays(folder, how, task, classes);
    check_classes(classes);
    return s;
  }
  if (name != "train" && name != "validation" && name != "test")
    throw InputError("⟦split⟧: there is no folder " + folder +
                     " with images.npy, inputs.npy or features.npy");
  if (has_arrays(folder)) how.image_size = 0;  // the run's pictures were resized; these are as they are
  const Dataset data = load_dataset(how);
  check_classes(data.classes);
  const Split& s = name == "train" ? data.train : name == "validation" ? data.validation : data.test;
  if (!s.inputs.defined()) throw InputError("the data have no part " + name + "/");
  return s;
}

}  // namespace

std::string predict_run(const PredictOptions& o, const Hooks& hooks) {
  if (o.run.empty()) throw InputError("give the folder of a run: plumb predict RUN --out FOLDER");
  if (o.out.empty()) throw InputError("⟦out⟧ is needed: the folder or the file to write to");
  check_plugin(o.out);
  const std::vector<std::string> members = members_of(o.run);
  const bool passes_differ = o.mc_dropout || o.tta;
  if (!passes_differ && members.size() == 1 && o.samples != PredictOptions{}.samples)
    throw InputError("⟦samples⟧ needs passes that differ, and without ⟦mc_dropout⟧ or ⟦tta⟧ all " +
                     std::to_string(o.samples) + " would be the same; give one of the two");
  const torch::Device device = device_of(o.device);
  set_up_torch(o.threads, device);
  Model first = load_model(members.front() + "/model.pt", device);
  TrainOptions how = first.options;
  check_folders(o, how.data);
  if (!o.data.empty()) how.data = o.data;
  how.normalize = false;  // the model has its own
  how.seed = fs::exists(o.run + "/config.json") ? read_config(o.run).seed : how.seed;
  const Split split = part_of(how, o.split, o.data.empty(), first.task, first.classes);
  if (split.inputs.sizes().slice(1).vec() != first.input)
    throw InputError("the model takes inputs of shape " + show_shape(first.input) +
                     ", and the data are of shape " + show_shape(split.inputs.sizes().slice(1)));
  if ((split.inputs.scalar_type() == torch::kUInt8) != first.bytes)
    throw InputError(
        std::string("the model was trained on ") +
        (first.bytes ? "bytes (uint8), which are divided by 255" : "numbers other than bytes") +
        ", and these inputs are of another type; save them with the type of the training inputs");
  // Of each pass, for a calibrator that acts on each sample (Mimori 2021, eq. 51).
  const bool of_passes = !is_regression(first.head) && first.task != Task::segmentation && !is_one_file(o);
  InferenceOptions pass{.batch = o.batch, .features = of_passes, .dropout = o.mc_dropout};
  if (o.tta) {
    const bool named = o.flip || o.shift > 0 || o.rotation > 0;
    pass.augmentation =
        named ? Augmentation{o.flip, o.shift, o.rotation} : Augmentation{how.flip, how.shift, how.rotation};
    if (!pass.augmentation.any())
      throw InputError(
          "⟦tta⟧ needs an augmentation, and the run was trained without one; give ⟦flip⟧, ⟦shift⟧ or ⟦rotation⟧");
    if (split.inputs.dim() != 4)
      throw InputError("⟦tta⟧ changes images, and the model takes tables of numbers; use ⟦mc_dropout⟧");
    if (first.task == Task::segmentation) throw InputError("⟦tta⟧ is not available for segmentation");
  }
  const std::int64_t passes = passes_differ ? o.samples : 1;
  if (passes < 1 || passes > 100000) throw InputError("⟦samples⟧ must be between 1 and 100000");
  std::vector<torch::Tensor> outputs, features;
  for (std::int64_t i = 0; i < std::ssize(members); ++i) {
    const Model model = i == 0 ? first : load_model(members[i] + "/model.pt", device);
    if (o.dropout_rate) set_dropout_rate(*model.net, *o.dropout_rate);
    if (o.mc_dropout && set_dropout(*model.net, true) == 0)
      throw InputError(
          how.model == "linear"
              ? "⟦mc_dropout⟧: the model linear has no dropout; train another ⟦model⟧ with it"
              : "⟦mc_dropout⟧: the model has no dropout; train it with ⟦dropout⟧ 0.5, for example");
    for (std::int64_t s = 0; s < passes; ++s) {
      if (hooks.interrupted && hooks.interrupted()) throw Interrupted{};
      if (hooks.status)
        hooks.status("pass " + std::to_string(outputs.size() + 1) + " of " +
                     std::to_string(std::ssize(members) * passes));
      pass.seed = seed_for(o.seed, "pass", i, s);
      const Inferred r = infer(*model.net, split.inputs, model.normalisation, device, pass);
      outputs.push_back(r.outputs);
      if (of_passes) features.push_back(r.features);
    }
  }
  if (!is_one_file(o)) clear_predictions(o.out);
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
    const PredictiveParts predictive = predictive_parts(m, v);
    if (is_one_file(o)) {
      write_table(o.out, columns_of(predictive));
      return made;
    }
    write_doubles(o.out + "/mean_samples.npy", m);  // first: it marks the folder
    write_predictive(o.out, predictive);
    write_doubles(o.out + "/variance_samples.npy", v);
    write_answers(o.out, split, first.task);
    return made +
           ": mean.npy, aleatoric.npy, epistemic.npy, variance.npy, mean_samples.npy, variance_samples.npy";
  }
  std::vector<torch::Tensor> samples;
  for (const torch::Tensor& t : outputs) samples.push_back(probabilities(first.head, rows_of(t)));
  const torch::Tensor all = torch::stack(samples), probs = all.mean(0);
  if (is_one_file(o)) {
    write_table(o.out, {{"p", probs}});
    return made;
  }
  write_doubles(o.out + "/samples.npy", all);
  write_doubles(o.out + "/probs.npy", probs);
  if (of_passes) {
    const torch::Tensor logits = torch::stack(outputs);
    write_tensor(o.out + "/sample_logits.npy",
                 first.head == Head::sigmoid ? logits.reshape({logits.size(0), -1}) : logits);
    write_tensor(o.out + "/sample_features.npy", torch::stack(features));
  }
  write_answers(o.out, split, first.task);
  return made + ": samples.npy, probs.npy" + (of_passes ? ", sample_logits.npy, sample_features.npy" : "");
}

}  // namespace plumb::train
