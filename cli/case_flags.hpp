// The flags that name cases and say how their files are read: the same for every command.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plumb/evaluate/cases.hpp"
#include "plumb/io/case_arrays.hpp"
#include "plumb/io/case_files.hpp"
#include "plumb/io/manifest.hpp"
#include "plumb/result.hpp"
#include "shell/flags.hpp"

namespace plumb::cli {

struct CaseFlags {
  std::string manifest, layout = "none", axes, class_axis = "by-shape", ignore_label, on_error = "stop";
  Args folder, probs, logits, ratings, classes, by, spacing;
  double full_scale = 1, band = 0;
  bool foreground = false, predicted = false, exclude_background = false, normalize = false, regions = false;
  [[nodiscard]] bool skips() const { return on_error == "skip"; }
  /// The flag that names the cases.
  [[nodiscard]] std::string source_flag() const {
    return !axes.empty() ? "--axes" : layout == "none" ? "--manifest" : "--layout";
  }
};

/// What a command can do with cases beyond reading them.
struct CaseUses {
  bool structures = false;  ///< leave the first class out
  bool slices = false;      ///< report by columns of the manifest
  bool skip = false;        ///< leave out cases that cannot be read
  bool regions = false;     ///< report where raters agree and near boundaries
  bool layouts = false;     ///< take folders whose file names follow a convention
  bool arrays = false;      ///< take arrays with named axes
};

/// Whether a command line asks for cases, by a manifest, a layout or named axes.
[[nodiscard]] bool has_manifest_flags(const Args& args);
void add_case_flags(Flags& flags, CaseFlags& out, const CaseUses& uses = {});
/// The same without the manifest itself.
void add_case_file_flags(Flags& flags, CaseFlags& out, const CaseUses& uses = {});

/// A manifest that is read, and how its cases are.
struct CaseInputs {
  Manifest manifest;
  CaseFileOptions files;
  std::vector<std::string> names, paths;          ///< of the cases; of every file
  std::shared_ptr<const CaseArrays> arrays = {};  ///< where the cases lie in arrays
  [[nodiscard]] CaseItems items(std::int64_t i) const;
  [[nodiscard]] Case read(std::int64_t i) const;
};
[[nodiscard]] CaseInputs open_cases(const CaseFlags& flags, int threads);
/// How their files are read.
[[nodiscard]] CaseFileOptions case_file_options(const CaseFlags& flags, bool logits, int threads);
/// The cases of a manifest or layout; without `rated` they need no masks.
[[nodiscard]] Manifest find_cases(const CaseFlags& flags, bool rated = true);
void add_layout_flag(Flags& flags, CaseFlags& out);
/// --axes and its arrays; `file` and `whose` are for the help text.
void add_array_flags(Flags& flags, CaseFlags& out, const std::string& file = "FILE",
                     const std::string& whose = "");
/// InputError for arrays without --axes.
void check_no_arrays(const CaseFlags& flags);
/// The files of an array flag: one.
[[nodiscard]] Source one_array(const std::string& flag, const Args& files);
void add_case_settings(const CaseFlags& flags, const CaseInputs& inputs, Result& result);

}  // namespace plumb::cli
