#include "regression_inputs.hpp"

#include <algorithm>

#include "plumb/data/check.hpp"

namespace plumb::cli {
namespace {

// S x N or S x N x d in one file, or one N or N x d file for each pass.
std::vector<Rows> passes(const std::string& flag, const Args& specs, Loader& load) {
  std::vector<Array> files = load.arrays(flag, specs);
  std::vector<Rows> out;
  if (files.size() > 1) {
    for (Array& file : files) out.emplace_back(std::move(file));
    return out;
  }
  const Array& all = files.front();
  if (all.shape.size() < 2 || all.shape.size() > 3)
    throw InputError(all.name + ": " + flag +
                     " takes one array of S x N or S x N x d, or a file for each pass, not " +
                     show_shape(all.shape));
  split_first_axis(all, "pass", out);
  if (out.empty()) throw InputError(all.name + ": there are no passes (the first extent is 0)");
  return out;
}

}  // namespace

void add_regression_flags(Flags& flags, RegressionFlags& f, bool observed) {
  for (const char* flag :
       {"--probs", "--logits", "--samples", "--sample-logits", "--labels", "--counts", "--ratings",
        "--classes", "--truth", "--concentration", "--after", "--out-probs", "--lambda", "--tune"})
    flags.unavailable(
        flag,
        std::string(flag) +
            " is for class probabilities, and this is a regression; \"plumb list\" shows the task of each metric");
  flags.heading("Predictions");
  flags.files("--mean", "FILE", f.mean, "predicted means, N or N x d");
  flags.files("--mean-samples", "FILE", f.mean_samples,
              "means of stochastic passes, S x N or S x N x d, or one file per pass");
  flags.files("--variance", "FILE", f.variance,
              "predictive variance, N or N x d; N applies to all d outputs");
  flags.files("--std", "FILE", f.std_dev, "standard deviation, instead of the variance");
  flags.files("--aleatoric", "FILE", f.aleatoric, "the variance in two parts: aleatoric, due to the data,");
  flags.files("--epistemic", "FILE", f.epistemic, "and epistemic, due to the model");
  flags.files("--variance-samples", "FILE", f.variance_samples, "aleatoric variance of each pass");
  if (observed) {
    flags.heading("Targets");
    flags.files("--targets", "FILE", f.targets, "N or N x d");
    flags.files("--errors", "FILE", f.errors, "targets minus means, instead of --mean and --targets");
    flags.heading("Items");
    flags.files("--weights", "FILE", f.weights, "N weights");
    flags.files("--groups", "FILE", f.groups,
                "N patients, images or sites: the unit of resampling and of splits");
    flags.files("--by", "FILE", f.by,
                "N slice names or numbers; results are also reported by slice (repeat for another slicing)");
    flags.files("--ids", "FILE", f.ids, "N item names");
    flags.exclusive({"--mean", "--mean-samples", "--errors"});
    flags.exclusive({"--targets", "--errors"});
  } else {
    flags.exclusive({"--mean", "--mean-samples"});
  }
  flags.exclusive({"--variance", "--std", "--aleatoric"});
  flags.exclusive({"--aleatoric", "--variance-samples"});
  flags.exclusive({"--variance", "--std", "--epistemic"});
}

RegressionInputs load_regression(const RegressionFlags& f, bool with_errors, int threads) {
  RegressionInputs out;
  RegressionItems& items = out.items;
  Loader load(threads, out);
  if (!f.mean.empty()) items.mean.push_back(load.rows("--mean", f.mean));
  if (!f.mean_samples.empty()) items.mean = passes("--mean-samples", f.mean_samples, load);
  items.errors = load.rows("--errors", f.errors);
  items.targets = load.rows("--targets", f.targets);
  items.total =
      load.rows(f.std_dev.empty() ? "--variance" : "--std", f.std_dev.empty() ? f.variance : f.std_dev);
  items.total_is_std = !f.std_dev.empty();
  if (!f.aleatoric.empty()) items.aleatoric.push_back(load.rows("--aleatoric", f.aleatoric));
  if (!f.variance_samples.empty()) items.aleatoric = passes("--variance-samples", f.variance_samples, load);
  items.epistemic = load.rows("--epistemic", f.epistemic);
  items.weights = load.weights(f.weights);
  if (!f.groups.empty()) items.groups = Names(load.rows("--groups", f.groups, kNames));
  items.by = load.slices(f.by, items.size());
  check_regression(items, with_errors);
  (void)load.ids(f.ids, out.infos.front().path, items.size());
  return out;
}

RegressionItems load_reference(const Args& specs, bool is_std, int threads, RegressionInputs& record) {
  RegressionItems out;
  out.total = Loader(threads, record).rows("--reference", specs);
  out.total_is_std = is_std;
  check_regression(out, false);
  return out;
}

bool has_regression_flags(const Args& args) {
  return std::any_of(args.begin(), args.end(), [](const std::string& arg) {
    const std::string flag = arg.substr(0, arg.find('='));
    return flag == "--mean" || flag == "--mean-samples" || flag == "--errors";
  });
}

}  // namespace plumb::cli
