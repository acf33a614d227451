// Several runs as one: ensembles and sweeps of a method's strength.
#include <filesystem>

#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/npy.hpp"
#include "plumb/numeric/narrow.hpp"
#include "train/claim.hpp"
#include "train/outputs.hpp"
#include "train/run.hpp"
#include "train/tensors.hpp"

namespace plumb::train {
namespace {

namespace fs = std::filesystem;

// A run writes labels.npy and the like, so it must not be mixed with the data or with other files.
void check_out(const TrainOptions& o) {
  bool among = lies_within(o.out, o.data) && lies_within(o.data, o.out);  // the folder itself
  for (const char* part : {"/train", "/validation", "/test"})
    among = among || lies_within(o.out, o.data + part);
  if (among)
    throw InputError("⟦out⟧ " + o.out +
                     " is part of the data, which the run would overwrite; choose another folder");
  const fs::path out(o.out);
  if (lies_within(o.out, o.data) && !fs::exists(out / "config.json"))  // an existing run may continue
    throw InputError("⟦out⟧ " + o.out + " is inside the data folder " + o.data +
                     "; choose a folder outside it");
  if (fs::is_directory(out) && !fs::is_empty(out) && !fs::exists(out / "config.json"))
    throw InputError("⟦out⟧ " + o.out + " contains files but no run; choose a new or empty folder");
}

RunResult train_ensemble(const TrainOptions& o, const Hooks& hooks) {
  RunResult all;
  for (std::int64_t i = 0; i < o.ensemble; ++i) {
    TrainOptions member = o;
    member.ensemble = 1;
    member.data_seed = data_seed_of(o);                 // all members learn from the same items
    member.seed = seed_for(o.seed, "member", i) >> 12;  // 52 bits: readable in any JSON
    member.out = o.out + "/member_" + std::to_string(i);
    const RunResult r = train_one(member, hooks);
    if (hooks.say)
      hooks.say("member " + std::to_string(i + 1) + " of " + std::to_string(o.ensemble) + " is done");
    all.epochs += r.epochs;
    all.seconds += r.seconds;
  }
  // The mean of the members' predictions (Liu 2022, eq. 25), and the metrics of it.
  const Dataset data = load_dataset(o);
  const Head head = head_of(o.head, data.task, data.classes);
  all.method = method_name(o, head);
  const auto member_file = [&](std::int64_t i, const std::string& rest) {
    const Rows rows(read_npy(o.out + "/member_" + std::to_string(i) + "/" + rest));
    std::vector<double> values(rows.rows() * rows.width());
    rows.read(0, rows.rows(), values);
    return torch::tensor(values, torch::kFloat64).reshape({rows.rows(), -1});
  };
  std::optional<double> scale;  // of validation, for the test set
  for (const auto& [name, split] : data.parts()) {
    const std::string folder = o.out + "/" + name;
    fs::create_directories(folder);
    write_answers(folder, *split, data.task);
    const auto stack = [&, part = name + "/"](const std::string& file) {
      std::vector<torch::Tensor> each;
      for (std::int64_t i = 0; i < o.ensemble; ++i) each.push_back(member_file(i, part + file));
      return torch::stack(each);
    };
    if (is_regression(head)) {
      const PredictiveParts p = predictive_parts(stack("mean.npy"), stack("variance.npy"));
      write_predictive(folder, p);
      // The mixture as one distribution of the head's kind with its mean and variance.
      const torch::Tensor variance = p.aleatoric + p.epistemic;
      const torch::Tensor spread = head == Head::gaussian ? variance.log() : (variance / 2).sqrt().log();
      const bool test = split == &data.test;
      all.metrics[name] = regression_metrics(head, torch::cat({p.mean, spread}, 1), split->targets,
                                             test ? scale : std::nullopt);
      if (split == &data.validation) scale = all.metrics[name]["sigma_scale"];
      continue;
    }
    torch::Tensor samples = stack("probs.npy");
    const torch::Tensor mean = samples.mean(0);
    if (head == Head::sigmoid) samples = samples.squeeze(2);
    write_doubles(folder + "/samples.npy", samples);
    write_doubles(folder + "/probs.npy", head == Head::sigmoid ? mean.squeeze(1) : mean);
    const torch::Tensor logits =
        head == Head::sigmoid ? torch::logit(mean, 1e-12) : mean.clamp_min(1e-300).log();
    all.metrics[name] =
        classification_metrics(head, logits, rows_of(split->votes), split->truth, narrow<int>(o.threads));
  }
  write_file(o.out + "/result.json", to_json(all));
  return all;
}

RunResult tune_strength(const TrainOptions& o, const Hooks& hooks) {
  std::string table = "strength,validation_nll,test_nll,test_brier,test_mse_p\n", best_folder;
  RunResult best;
  double lowest = 0;
  const auto cell = [](const std::optional<double>& x) { return x ? show(*x) : std::string(); };
  for (const double strength : o.tune) {
    TrainOptions one = o;
    one.tune.clear();
    one.strength = strength;
    one.out = o.out + "/strength_" + show(strength);
    const RunResult r = train_one(one, hooks);
    const auto nll = r.metric("validation", "nll");
    table += show(strength) + "," + cell(nll) + "," + cell(r.metric("test", "nll")) + "," +
             cell(r.metric("test", "brier")) + "," + cell(r.metric("test", "mse_p")) + "\n";
    if (hooks.say)
      hooks.say("strength " + show(strength) + ": validation log-loss " + (nll ? show(*nll) : "undefined"));
    if (nll && (best_folder.empty() || *nll < lowest)) {
      lowest = *nll;
      best = r;
      best.strength = strength;
      best_folder = one.out;
    }
  }
  if (best_folder.empty())
    throw InputError("no strength of ⟦tune⟧ gave a finite validation log-loss; lower ⟦lr⟧");
  write_file(o.out + "/tune.csv", table);
  // The folder gets the files of the chosen run, as if it had been trained alone.
  for (const auto& entry : fs::directory_iterator(best_folder)) {
    const std::string name = entry.path().filename().string();
    if (name == "config.json" || name == "result.json" || name.starts_with(".")) continue;
    fs::copy(entry.path(), o.out + "/" + name,
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  }
  write_file(o.out + "/result.json", to_json(best));
  return best;
}

}  // namespace

RunResult train_run(const TrainOptions& o, const Hooks& hooks) {
  check_options(o);
  if (o.data.empty()) throw InputError("⟦data⟧ is needed: the folder to learn from");
  if (o.out.empty()) throw InputError("⟦out⟧ is needed: the folder of the run");
  check_out(o);
  if (o.ensemble == 1 && o.tune.empty()) return train_one(o, hooks);
  if (is_finished(o.out)) {
    write_config(o);
    return read_result(o.out);
  }
  if (!fs::is_directory(o.data)) throw InputError("⟦data⟧: there is no folder \"" + o.data + "\"");
  write_config(o);
  const Claim claim(o.out + "/.lock");
  if (!claim.held()) throw Busy(o.out);
  return o.ensemble > 1 ? train_ensemble(o, hooks) : tune_strength(o, hooks);
}

}  // namespace plumb::train
