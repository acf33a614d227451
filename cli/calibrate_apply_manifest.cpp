// `plumb calibrate apply --manifest`: calibrated probabilities of every case, as files like those that
// came in.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "calibrate.hpp"
#include "case_flags.hpp"
#include "next_command.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/sha256.hpp"
#include "plumb/model/apply_cases.hpp"
#include "plumb/model/model_file.hpp"
#include "plumb/numeric/narrow.hpp"
#include "shell/console.hpp"
#include "shell/progress.hpp"

namespace plumb::cli {
namespace {

namespace fs = std::filesystem;

struct ApplyCasesFlags {
  Args given;  ///< the model and, with a layout, the folder
  CaseFlags cases;
  std::string out, dtype = "float32";
  std::int64_t threads = 0;
  bool quiet = false;
  [[nodiscard]] std::string class_axis() const {
    return cases.layout == "nnunet" ? cases.layout : cases.class_axis;
  }
};

void add_apply_flags(Flags& flags, ApplyCasesFlags& f) {
  flags.positional("model", f.given, "model file from plumb calibrate fit, then the folder of --layout");
  flags.heading("Cases");
  CaseFlags& c = f.cases;
  flags.text("--manifest", "FILE", c.manifest,
             "a table with one row per case: case, probs (or logits); masks are optional");
  add_layout_flag(flags, c);
  flags.text("--axes", "NHWK", c.axes,
             "instead of a manifest: the axes of --probs or --logits, one letter each; N: cases, K: classes");
  flags.repeated("--probs", "FILE", c.probs, "with --axes: an array of probabilities");
  flags.repeated("--logits", "FILE", c.logits, "with --axes: an array of logits");
  flags.exclusive({"--probs", "--logits"});
  flags.exclusive({"--manifest", "--layout", "--axes"});
  flags.choice(
      "--class-axis", {"by-shape", "first", "last", "nnunet"}, c.class_axis,
      "axis of the classes in probability arrays; by-shape: the only axis that fits; nnunet: as in nnU-Net's .npz files");
  flags.number("--full-scale", c.full_scale, "the stored number that means probability 1");
  flags.toggle("--normalize", c.normalize, "rescale probabilities of several classes to sum to 1");
  flags.heading("Output");
  flags.text("-o,--out", "DIR", f.out,
             "a folder for the files and a new manifest.csv, made if necessary; with --axes a .npy file");
  flags.choice("--dtype", {"float32", "float64"}, f.dtype, "the type of the numbers that are written");
  flags.integer("--threads", f.threads, "number of threads; 0: all cores; does not change the results");
  flags.toggle("--quiet", f.quiet, "print nothing");
  flags.examples(
      "Examples:\n  plumb calibrate apply model.json --manifest test.csv -o calibrated\n"
      "  plumb calibrate apply model.json --layout nnunet Dataset7 -o calibrated\n"
      "  plumb calibrate apply model.json --axes NHW --probs p.npy -o calibrated.npy");
}

/// Also through links: a file is the same if the system says so.
void check_folder_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  std::set<std::pair<dev_t, ino_t>> taken;
  struct stat info {};
  for (const std::string& input : inputs)
    if (::stat(input.c_str(), &info) == 0) taken.emplace(info.st_dev, info.st_ino);
  for (const std::string& output : outputs)
    if (::stat(output.c_str(), &info) == 0 && taken.contains({info.st_dev, info.st_ino}))
      throw InputError("-o: " + output + " is an input and would be overwritten; give another folder");
}

std::vector<std::string> files_of(const Manifest& manifest, const std::string& model) {
  std::vector<std::string> out{model, manifest.path};
  for (const ManifestCase& c : manifest.cases) {
    out.push_back(c.probs.path);
    for (const auto& [column, source] : c.raters) out.push_back(source.path);
    if (!c.roi.path.empty()) out.push_back(c.roi.path);
  }
  return out;
}

void make_folder(const std::string& folder) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    throw InputError("-o " + folder + " is a file; cases are written into a folder");
  fs::create_directories(folder, error);
  if (error) throw InputError("cannot make the folder " + folder + ": " + error.message());
}

/// How many cases the model was fitted on.
std::int64_t fitted_cases(const CalibrationModel& model, const Manifest& manifest) {
  std::int64_t out = 0;
  const auto& seen = model.fitted_on;
  for (const ManifestCase& c : manifest.cases)
    if (!seen.empty() && std::find(seen.begin(), seen.end(), sha256_file(c.probs.path)) != seen.end()) ++out;
  return out;
}

void warn_of_fitted(const CalibrationModel& model, std::int64_t fitted, std::int64_t cases) {
  if (fitted > 0)
    say(model.name + " was fitted on " +
        (fitted == cases ? "these cases" : counted(fitted, "case") + " of these") +
        ", so its scores on them are optimistic; use other cases");
}

void tell_written(const ApplyCasesFlags& f, const CalibrationModel& model, const Manifest& manifest,
                  std::int64_t fitted, const std::string& table) {
  const auto cases = std::ssize(manifest.cases);
  warn_of_fitted(model, fitted, cases);
  write_stdout("Wrote calibrated probabilities of " + counted(cases, "case") + " to " + f.out + " as " +
               f.dtype + ", with the manifest " + table + "\n");
  const bool rated = std::any_of(manifest.cases.begin(), manifest.cases.end(),
                                 [](const ManifestCase& c) { return !c.raters.empty(); });
  if (!rated) return;
  Args next{"plumb evaluate", "--manifest " + shell_word(table)};
  if (f.class_axis() != "by-shape") next.push_back("--class-axis " + f.class_axis());
  next.emplace_back("--bootstrap 200");
  write_stdout(next_command("Evaluate them:", next));
}

void check_array_flags(const ApplyCasesFlags& f) {
  if (f.cases.axes.empty()) return check_no_arrays(f.cases);
  if (f.cases.probs.empty() && f.cases.logits.empty())
    throw InputError("--axes needs an array; give it with --probs or --logits");
  if (f.cases.class_axis != "by-shape")
    throw InputError("--class-axis has no effect with --axes, where K is the axis of the classes");
  if (!f.out.ends_with(".npy"))
    throw InputError("with --axes an array is written; name a .npy file, for example -o calibrated.npy");
}

int apply_arrays(const ApplyCasesFlags& f, const CalibrationModel& model, const std::string& path) {
  const CaseFlags& c = f.cases;
  const bool logits = c.probs.empty();
  const Source source = one_array(logits ? "--logits" : "--probs", logits ? c.logits : c.probs);
  const auto threads = narrow<int>(f.threads);
  const CaseFileOptions options = case_file_options(c, logits, threads);
  const CaseArrays arrays(c.axes, source, {}, threads);
  check_folder_outputs({f.out}, {path, source.path});
  {
    ProgressBar bar(!f.quiet);
    const auto tell = bar.callback();
    apply_to_arrays(model, arrays, options, f.dtype == "float32" ? DType::f32 : DType::f64, f.out,
                    [&](std::int64_t done) {
                      if (tell) tell(static_cast<double>(done) / static_cast<double>(arrays.cases()));
                    });
  }
  if (f.quiet) return kDone;
  const auto& seen = model.fitted_on;
  const bool fitted =
      !seen.empty() && std::find(seen.begin(), seen.end(), sha256_file(source.path)) != seen.end();
  warn_of_fitted(model, fitted ? arrays.cases() : 0, arrays.cases());
  write_stdout("Wrote calibrated probabilities of " + counted(arrays.cases(), "case") + " to " + f.out +
               " as " + f.dtype + "\n");
  return kDone;
}

}  // namespace

int calibrate_apply_manifest(const Args& args) {
  Flags flags(
      "calibrate apply",
      "Applies a model to the images of a manifest: writes a file for each case and a manifest of the new files.\nNIfTI files keep their header. One case is in memory at a time.");
  ApplyCasesFlags f;
  add_apply_flags(flags, f);
  if (!flags.parse(args)) return kDone;
  if (f.cases.layout != "none") {
    if (f.given.size() != 2)
      throw InputError("with --layout " + f.cases.layout + " give the model and then the folder");
    f.cases.folder = {f.given.back()};
    f.given.pop_back();
  }
  const std::string path = one_model(f.given, "plumb calibrate apply");
  if (f.out.empty()) throw InputError("no output given; name a folder with -o calibrated");
  check_threads(f.threads);
  check_array_flags(f);
  const CalibrationModel model = load_model(path);
  check_applies_to_cases(model);
  if (!f.cases.axes.empty()) return apply_arrays(f, model, path);
  const Manifest manifest = find_cases(f.cases, false);
  const CaseFileOptions options = case_file_options(f.cases, manifest.logits, narrow<int>(f.threads));
  const std::vector<std::string> names = calibrated_names(manifest);
  const std::string table = (fs::path(f.out) / "manifest.csv").string();
  std::vector<std::string> outputs{table};
  for (const std::string& name : names) outputs.push_back((fs::path(f.out) / name).string());
  check_folder_outputs(outputs, files_of(manifest, path));
  make_folder(f.out);
  AtomicFile new_manifest(table);
  {
    ProgressBar bar(!f.quiet);
    const auto tell = bar.callback();
    for (std::size_t i = 0; i < names.size(); ++i) {
      const ManifestCase& c = manifest.cases[i];
      try {
        apply_to_case(model, c, options, f.dtype == "float32" ? DType::f32 : DType::f64, outputs[i + 1]);
      } catch (const InputError& e) {
        throw InputError("case " + c.name + ": " + e.sentence());
      }
      if (tell) tell(static_cast<double>(i + 1) / static_cast<double>(names.size()));
    }
  }
  new_manifest.write(manifest_text(manifest, names, f.out));
  new_manifest.commit();
  if (!f.quiet) tell_written(f, model, manifest, fitted_cases(model, manifest), table);
  return kDone;
}

}  // namespace plumb::cli
