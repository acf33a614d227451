#include "case_flags.hpp"

#include <charconv>
#include <cmath>

#include "plumb/data/check.hpp"
#include "plumb/io/case_layout.hpp"

namespace plumb::cli {

bool has_manifest_flags(const Args& args) {
  for (const std::string& arg : args)
    for (const std::string_view flag : {"--manifest", "--layout", "--axes"})
      if (arg == flag || arg.starts_with(std::string(flag) + "=")) return true;
  return false;
}

namespace {

std::string array_flag(const std::string& flag) {
  return flag + " is for arrays; with --manifest the columns of the table name the files";
}

}  // namespace

void add_case_flags(Flags& flags, CaseFlags& f, const CaseUses& uses) {
  flags.heading("Cases");
  flags.text(
      "--manifest", "FILE", f.manifest,
      "a table with one row per case: case, probs (or logits), rater_1, rater_2, ...; optionally roi, group and other columns");
  if (uses.layouts) {
    add_layout_flag(flags, f);
    flags.positional("DIR", f.folder, "the folder of --layout");
  }
  if (uses.arrays) add_array_flags(flags, f);
  flags.exclusive({"--manifest", "--layout", "--axes"});
  add_case_file_flags(flags, f, uses);
  for (const char* flag : {"--probs", "--logits", "--ratings"})
    if (!uses.arrays) flags.unavailable(flag, array_flag(flag));
  for (const char* flag : {"--samples", "--labels", "--counts", "--annotations", "--groups", "--weights"})
    flags.unavailable(flag, array_flag(flag));
}

void add_array_flags(Flags& flags, CaseFlags& f, const std::string& file, const std::string& whose) {
  flags.text(
      "--axes", "NHWK", f.axes,
      "instead of a manifest: the axes of --probs or --logits, one letter each; N: cases, K: classes, others: the image");
  const std::string more = whose.empty() ? "" : " " + whose;
  flags.repeated("--probs", file, f.probs, "with --axes: an array of probabilities" + more);
  flags.repeated("--logits", file, f.logits, "with --axes: an array of logits" + more);
  flags.repeated("--ratings", "FILE", f.ratings,
                 "with --axes: masks of one rater, with the same axes without K; repeatable");
  flags.exclusive({"--probs", "--logits"});
}

void check_no_arrays(const CaseFlags& f) {
  for (const auto& [flag, files] :
       {std::pair{"--probs", &f.probs}, {"--logits", &f.logits}, {"--ratings", &f.ratings}})
    if (!files->empty()) throw InputError(array_flag(flag));
}

void add_layout_flag(Flags& flags, CaseFlags& f) {
  flags.choice("--layout", {"none", "nnunet", "bids"}, f.layout,
               "instead of a manifest: the files in DIR are named as by nnU-Net or in BIDS");
}

void add_case_file_flags(Flags& flags, CaseFlags& f, const CaseUses& uses) {
  flags.choice(
      "--class-axis", {"by-shape", "first", "last", "nnunet"}, f.class_axis,
      "axis of the classes in probability arrays; by-shape: the only axis that fits; nnunet: as in nnU-Net's .npz files");
  flags.list("--classes", "a,b,c", f.classes, "names of the classes; numbers are the values in the masks");
  flags.text("--ignore-label", "VALUE", f.ignore_label, "value in the masks that means \"no vote\"");
  flags.number("--full-scale", f.full_scale, "the stored number that means probability 1");
  flags.toggle("--normalize", f.normalize, "rescale probabilities of several classes to sum to 1");
  flags.toggle("--foreground", f.foreground,
               "only voxels where the model or a rater chooses a class other than the first");
  flags.toggle("--predicted", f.predicted,
               "only voxels where the model chooses a class other than the first");
  flags.exclusive({"--foreground", "--predicted"});
  if (uses.structures)
    flags.toggle("--exclude-background", f.exclude_background,
                 "leave out votes for the first class: evaluate which structure a voxel belongs to");
  if (uses.regions) {
    flags.toggle("--regions", f.regions, "also report results where raters agree and where they disagree");
    flags.number("--band", f.band,
                 "also report results within X mm of a boundary in any rater's mask; 0: none");
    flags.list("--spacing", "mm,mm,mm", f.spacing,
               "size of a voxel along each axis [that of NIfTI files]; for --band");
  }
  if (uses.slices) flags.list("--by", "column,...", f.by, "columns of the manifest to report on");
  if (uses.skip)
    flags.choice("--on-error", {"stop", "skip"}, f.on_error, "what to do with a case that cannot be read");
}

Source one_array(const std::string& flag, const Args& files) {
  const std::vector<Source> found = resolve(files);
  if (found.size() != 1)
    throw InputError(flag + " with --axes takes one file, and " + std::to_string(found.size()) +
                     " were given");
  return found.front();
}

namespace {

double number_from(const std::string& flag, const std::string& text) {
  double v = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, v);
  if (error != std::errc() || at != end) throw InputError(flag + " takes a number, not \"" + text + "\"");
  return v;
}

double positive_number(const std::string& flag, const std::string& text) {
  const double v = number_from(flag, text);
  if (!(v > 0) || v > 1e6) throw InputError(flag + " takes sizes in mm, not " + text);
  return v;
}

/// The cases of arrays, as rows of a manifest that all name the same files.
Manifest array_cases(const CaseFlags& f, int threads, std::shared_ptr<const CaseArrays>& arrays) {
  if (!f.by.empty()) throw InputError("--by names columns of a manifest; --axes has none");
  if (!f.folder.empty())
    throw InputError("\"" + f.folder.front() + "\" is not a flag; give files with --probs");
  if (f.probs.empty() && f.logits.empty())
    throw InputError("--axes needs an array; give it with --probs or --logits");
  if (f.ratings.empty()) throw InputError("--axes needs masks; give an array for each rater with --ratings");
  if (f.class_axis != "by-shape")
    throw InputError("--class-axis has no effect with --axes, where K is the axis of the classes");
  Manifest out;
  out.logits = f.probs.empty();
  const Source probs = out.logits ? one_array("--logits", f.logits) : one_array("--probs", f.probs);
  const std::vector<Source> masks = resolve(f.ratings);
  arrays = std::make_shared<const CaseArrays>(f.axes, probs, masks, threads);
  out.path = probs.path;
  for (std::int64_t i = 0; i < arrays->cases(); ++i) {
    ManifestCase& c = out.cases.emplace_back();
    c.name = std::to_string(i);
    c.probs = probs;
    for (std::size_t r = 0; r < masks.size(); ++r) c.raters.emplace_back(arrays->raters()[r], masks[r]);
  }
  return out;
}

}  // namespace

Manifest find_cases(const CaseFlags& f, bool rated) {
  if (f.layout == "none") {
    check_no_arrays(f);
    if (!f.folder.empty())
      throw InputError("\"" + f.folder.front() +
                       "\" is not a flag; give a folder together with --layout nnunet or bids");
    return read_manifest(f.manifest, f.by, !f.skips(), rated);
  }
  if (f.folder.size() != 1)
    throw InputError("--layout " + f.layout + " takes one folder, and " + std::to_string(f.folder.size()) +
                     " were given");
  if (!f.by.empty()) throw InputError("--by names columns of a manifest; --layout has none");
  return f.layout == "nnunet" ? nnunet_manifest(f.folder.front(), rated)
                              : bids_manifest(f.folder.front(), rated);
}

CaseFileOptions case_file_options(const CaseFlags& f, bool logits, int threads) {
  CaseFileOptions o;
  if (!(f.full_scale > 0)) throw InputError("--full-scale must be above 0");
  if (!f.ignore_label.empty()) o.ignore = number_from("--ignore-label", f.ignore_label);
  if (!(f.band >= 0) || !std::isfinite(f.band))
    throw InputError("--band takes a distance in mm, not " + show(f.band));
  for (const std::string& text : f.spacing) o.spacing.push_back(positive_number("--spacing", text));
  if (!o.spacing.empty() && f.band == 0)
    throw InputError(
        "--spacing has no effect without --band; give the width of the band, for example --band 3");
  o.band = f.band;
  o.scale = logits ? Scale::logit : Scale::probability;
  o.predictions.normalize = f.normalize;
  if (f.class_axis != "by-shape")
    o.class_axis = f.class_axis == "first"  ? ClassAxis::first
                   : f.class_axis == "last" ? ClassAxis::last
                                            : ClassAxis::nnunet;
  if (f.layout == "nnunet") o.class_axis = ClassAxis::nnunet;
  o.full = f.full_scale;
  o.classes = f.classes;
  o.foreground = f.foreground;
  o.predicted = f.predicted;
  o.exclude_background = f.exclude_background;
  o.threads = threads;
  return o;
}

CaseInputs open_cases(const CaseFlags& f, int threads) {
  CaseInputs out;
  (void)case_file_options(f, false, threads);  // what is wrong with the flags comes before the files
  out.manifest = f.axes.empty() ? find_cases(f) : array_cases(f, threads, out.arrays);
  out.files = case_file_options(f, out.manifest.logits, threads);
  out.paths.push_back(out.manifest.path);
  for (const ManifestCase& c : out.manifest.cases) {
    out.names.push_back(c.name);
    if (out.arrays && out.names.size() > 1) continue;  // the same files
    out.paths.push_back(c.probs.path);
    for (const auto& [column, source] : c.raters) out.paths.push_back(source.path);
    if (!c.roi.path.empty()) out.paths.push_back(c.roi.path);
  }
  return out;
}

CaseItems CaseInputs::items(std::int64_t i) const {
  return arrays ? arrays->read(i, files) : read_case(manifest.cases[i], files);
}

Case CaseInputs::read(std::int64_t i) const {
  const ManifestCase& row = manifest.cases[i];
  CaseItems c = items(i);
  return Case{.name = row.name,
              .unit = row.group.empty() ? row.name : row.group,
              .slices = row.slices,
              .raters = std::move(c.raters),
              .items = std::move(c.items),
              .voxel_mm3 = c.voxel_mm3,
              .has_background = !files.exclude_background,
              .bands = std::move(c.bands),
              .even = c.even};
}

void add_case_settings(const CaseFlags& f, const CaseInputs& inputs, Result& result) {
  auto& s = result.settings;
  s.emplace_back("layout", f.layout);
  s.emplace_back("axes", f.axes.empty() ? Value{} : Value(f.axes));
  s.emplace_back("class_axis", f.layout == "nnunet" ? f.layout : f.class_axis);
  s.emplace_back("full_scale", f.full_scale);
  s.emplace_back("voxels", std::string(f.foreground  ? "foreground of the model or a rater"
                                       : f.predicted ? "foreground of the model"
                                                     : "all"));
  s.emplace_back("exclude_background", f.exclude_background);
  s.emplace_back("band", f.band > 0 ? Value(f.band) : Value{});
  s.emplace_back("ignore_label", f.ignore_label.empty() ? Value{} : Value(f.ignore_label));
  s.emplace_back("on_error", f.on_error);
  result.inputs.push_back({f.source_flag(), inputs.manifest.path, {std::ssize(inputs.names)}, "text", ""});
}

}  // namespace plumb::cli
