#include "calibrate.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "multigroup.hpp"
#include "output.hpp"
#include "plumb/calibrate/apply_model.hpp"
#include "plumb/calibrate/multigroup.hpp"
#include "plumb/calibrate/onnx.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/sha256.hpp"
#include "plumb/model/model_file.hpp"
#include "plumb/report/calibrate.hpp"
#include "quantiles.hpp"
#include "shell/console.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kHelp =
    R"(Calibrates probabilities after training: fits a small map on held-out data and applies it to new predictions.

  plumb calibrate fit --method temperature --logits val.npy --labels y.npy -o model.json
  plumb calibrate apply model.json --logits test.npy -o calibrated.npy
  plumb calibrate show model.json
  plumb calibrate export model.json -o model.onnx
  plumb calibrate fit --method sigma --mean m.npy --variance v.npy --targets y.npy -o sigma.json

"plumb calibrate fit --help" (apply, show, export) lists the flags; "plumb list" lists the methods.
)";

int calibrate_show(const Args& args) {
  Flags flags("calibrate show", "Describes a model file in words.");
  Args model;
  flags.positional("model", model, "model file from plumb calibrate fit");
  if (!flags.parse(args)) return kDone;
  write_stdout(render_model(load_model(one_model(model, "plumb calibrate show")), stdout_options()));
  return kDone;
}

int calibrate_export(const Args& args) {
  Flags flags("calibrate export",
              "Writes a model file as ONNX, to run after the network in an inference server.\n"
              "Input and output are float32, N x K (binary: N x 1).");
  Args model;
  std::string out;
  bool quiet = false;
  flags.positional("model", model, "model file from plumb calibrate fit");
  flags.text("-o,--out", "FILE", out, "the .onnx file");
  flags.toggle("--quiet", quiet, "print nothing");
  if (!flags.parse(args)) return kDone;
  const std::string path = one_model(model, "plumb calibrate export");
  if (out.empty()) throw InputError("no output file given; name the ONNX file with -o model.onnx");
  check_outputs({{"-o", out}}, {path});
  const std::string extension = std::filesystem::path(out).extension().string();
  if (!extension.empty() && extension != ".onnx")
    throw InputError("plumb calibrate export writes ONNX, and " + out +
                     " would be read as something else; name it .onnx");
  const CalibrationModel loaded = load_model(path);
  write_file(out, onnx_text(loaded));
  if (quiet) return kDone;
  const bool alpha = std::any_of(loaded.steps.begin(), loaded.steps.end(),
                                 [](const Step& s) { return s.method == "alpha"; });
  write_stdout(
      "Wrote an ONNX graph of the probabilities to " + out +
      (alpha ? "; alpha_0 is not in it, so use \"plumb calibrate apply\" for the concentration\n" : "\n"));
  return kDone;
}

}  // namespace

std::string one_model(const Args& given, const std::string& command) {
  if (given.empty()) throw InputError("no model file given; name one that plumb calibrate fit wrote");
  if (given.size() != 1)
    throw InputError(command + " takes one model file, not " + std::to_string(given.size()));
  return given.front();
}

std::vector<std::string> prediction_digests(const Inputs& inputs) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < inputs.infos.size() && i < inputs.paths.size(); ++i) {
    const std::string& flag = inputs.infos[i].flag;
    if (flag == "--probs" || flag == "--logits" || flag == "--samples" || flag == "--sample-logits")
      out.push_back(sha256_file(inputs.paths[i]));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::string fitted_on_notice(const CalibrationModel& model, const Inputs& inputs) {
  for (const std::string& digest : prediction_digests(inputs)) {
    if (std::find(model.fitted_on.begin(), model.fitted_on.end(), digest) != model.fitted_on.end())
      return model.name +
             " was fitted on these predictions, so its scores on them are optimistic; use other data, or plumb calibrate fit --cross-fit";
  }
  return "";
}

std::string apply_calibrator(const std::string& path, int threads, Inputs& inputs) {
  const CalibrationModel model = load_model(path);
  if (is_multigroup(model))
    throw InputError(
        path + " repairs named groups; apply it with plumb calibrate apply --by, and evaluate its output");
  inputs.items = apply_model(model, inputs.items, {.threads = threads});
  const std::string notice = fitted_on_notice(model, inputs);
  inputs.paths.push_back(path);
  inputs.infos.push_back({"--calibrator", path, {}, "model", ""});
  return notice;
}

std::optional<double> number_of(const std::string& text) {
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(x)) return std::nullopt;
  return x;
}

void check_numbers_path(const std::string& flag, const std::string& path) {
  if (path == "-")
    throw InputError(flag +
                     " writes a file; give it a name that ends in .npy, .csv or .parquet instead of -");
  for (const char* other : {".npz", ".txt", ".json", ".jsonl", ".png", ".nii", ".nii.gz"})
    if (path.ends_with(other))
      throw InputError(flag + " writes numbers, and " + path +
                       " would be read as another format; name it .npy, .csv or .parquet");
}

int calibrate_command(const Args& args) {
  if (args.empty() || args[0] == "--help" || args[0] == "-h") {
    write_stdout(kHelp);
    return kDone;
  }
  const Args rest(args.begin() + 1, args.end());
  if (args[0] == "fit" && is_multigroup_fit(rest)) return fit_multigroup_command(rest);
  const bool quantiles = has_quantile_flags(rest);
  if (args[0] == "fit" && quantiles) return fit_cqr_command(rest);
  if (args[0] == "apply" && quantiles) return apply_cqr_command(rest);
  if (args[0] == "fit") return is_regression_fit(rest) ? fit_regression(rest) : calibrate_fit(rest);
  if (args[0] == "apply") return is_regression_apply(rest) ? apply_regression(rest) : calibrate_apply(rest);
  if (args[0] == "show") return calibrate_show(rest);
  if (args[0] == "export") return calibrate_export(rest);
  const Args known{"fit", "apply", "show", "export"};
  throw InputError("plumb calibrate has no subcommand \"" + args[0] + "\"" + did_you_mean(args[0], known) +
                   "; use fit, apply, show or export");
}

}  // namespace plumb::cli
