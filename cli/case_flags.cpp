#include "case_flags.hpp"

#include <charconv>

#include "plumb/data/check.hpp"

namespace plumb::cli {

void add_case_flags(Flags& flags, CaseFlags& f) {
  flags.heading("Cases");
  flags.text("--manifest", "FILE", f.manifest,
             "a table with a row for each case: case, probs (or logits), rater_1, rater_2, ..., roi, group");
  flags.choice("--class-axis", {"by-shape", "first", "last"}, f.class_axis,
               "where the classes stand in probabilities of several; by-shape: the only axis that fits");
  flags.list("--classes", "a,b,c", f.classes, "names of the classes; numbers are the values in the masks");
  flags.text("--ignore-label", "VALUE", f.ignore_label, "a value in the masks that is no vote");
  flags.number("--full-scale", f.full_scale, "the stored number that means probability 1");
  flags.toggle("--normalize", f.normalize, "rescale probabilities of several classes to sum 1");
  flags.toggle("--foreground", f.foreground,
               "only voxels where the model or a rater says another class than the first");
  flags.toggle("--predicted", f.predicted, "only voxels where the model does");
  flags.exclusive({"--foreground", "--predicted"});
}

CaseInputs open_cases(const CaseFlags& f, int threads) {
  CaseInputs out;
  CaseFileOptions& o = out.files;
  if (!(f.full_scale > 0)) throw InputError("--full-scale must be above 0");
  if (!f.ignore_label.empty()) {
    double v = 0;
    const char* const end = f.ignore_label.data() + f.ignore_label.size();
    const auto [at, error] = std::from_chars(f.ignore_label.data(), end, v);
    if (error != std::errc() || at != end)
      throw InputError("--ignore-label takes a number, not \"" + f.ignore_label + "\"");
    o.ignore = v;
  }
  out.manifest = read_manifest(f.manifest);
  o.scale = out.manifest.logits ? Scale::logit : Scale::probability;
  o.predictions.normalize = f.normalize;
  if (f.class_axis != "by-shape") o.class_axis = f.class_axis == "first" ? ClassAxis::first : ClassAxis::last;
  o.full = f.full_scale;
  o.classes = f.classes;
  o.foreground = f.foreground;
  o.predicted = f.predicted;
  o.threads = threads;
  out.paths.push_back(out.manifest.path);
  for (const ManifestCase& c : out.manifest.cases) {
    out.names.push_back(c.name);
    out.paths.push_back(c.probs.path);
    for (const auto& [column, source] : c.raters) out.paths.push_back(source.path);
    if (!c.roi.path.empty()) out.paths.push_back(c.roi.path);
  }
  return out;
}

Case CaseInputs::read(std::int64_t i) const {
  const ManifestCase& row = manifest.cases[i];
  CaseItems c = read_case(row, files);
  return Case{row.name,           row.group.empty() ? row.name : row.group,
              row.slices,         std::move(c.raters),
              std::move(c.items), c.voxel_mm3};
}

void put_case_settings(const CaseFlags& f, const CaseInputs& inputs, Result& result) {
  auto& s = result.settings;
  s.emplace_back("class_axis", f.class_axis);
  s.emplace_back("full_scale", f.full_scale);
  s.emplace_back("voxels", std::string(f.foreground  ? "foreground of the model or a rater"
                                       : f.predicted ? "foreground of the model"
                                                     : "all"));
  s.emplace_back("ignore_label", f.ignore_label.empty() ? Value{} : Value(f.ignore_label));
  result.inputs.push_back({"--manifest", inputs.manifest.path, {std::ssize(inputs.names)}, "text", ""});
}

}  // namespace plumb::cli
