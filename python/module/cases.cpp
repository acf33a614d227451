// Images and volumes, one case in memory at a time: plumb.evaluate_cases.
#include "plumb/evaluate/cases.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "options.hpp"
#include "plumb/data/check.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/io/case_files.hpp"
#include "plumb/io/case_layout.hpp"
#include "plumb/plumb.hpp"
#include "results.hpp"
#include "run.hpp"

namespace plumb::python {
namespace {

/// Options of the voxels, and the words that the result has for them.
struct Voxels {
  CaseFileOptions files;
  std::string layout = "none", class_axis = "by-shape", on_error = "stop";
  std::vector<std::string> by;
};

Voxels voxels_of(const Keywords& k, int threads) {
  Voxels v;
  CaseFileOptions& o = v.files;
  o.threads = threads;
  int known = 0;  // only checked
  k.choice("layout", {{"none", 0}, {"nnunet", 1}, {"bids", 2}}, known);
  k.read("layout", v.layout);
  k.choice("class_axis",
           {{"by-shape", ClassAxis::by_shape},
            {"first", ClassAxis::first},
            {"last", ClassAxis::last},
            {"nnunet", ClassAxis::nnunet}},
           o.class_axis);
  k.read("class_axis", v.class_axis);
  if (v.layout == "nnunet") o.class_axis = ClassAxis::nnunet;
  k.read("classes", o.classes);
  k.read("ignore_label", o.ignore);
  k.read("full_scale", o.full);
  if (!(o.full > 0)) throw InputError("⟦full_scale⟧ must be above 0");
  k.read("normalize", o.predictions.normalize);
  k.read("foreground", o.foreground);
  k.read("predicted", o.predicted);
  if (o.foreground && o.predicted) throw InputError("⟦foreground⟧ and ⟦predicted⟧ cannot be combined");
  k.read("exclude_background", o.exclude_background);
  k.read("band", o.band);
  if (!(o.band >= 0 && o.band < 1e6)) throw InputError("⟦band⟧ takes a distance in mm, not " + show(o.band));
  k.read("spacing", o.spacing);
  for (const double mm : o.spacing)
    if (!(mm > 0 && mm <= 1e6)) throw InputError("⟦spacing⟧ takes sizes in mm, not " + show(mm));
  if (!o.spacing.empty() && o.band == 0)
    throw InputError("⟦spacing⟧ has no effect without ⟦band⟧; give the width of the band");
  k.choice("on_error", {{"stop", 0}, {"skip", 1}}, known);
  k.read("on_error", v.on_error);
  k.read("by", v.by);
  return v;
}

void add_settings(const Voxels& v, Result& result) {
  const CaseFileOptions& o = v.files;
  auto& s = result.settings;
  s.emplace_back("layout", v.layout);
  s.emplace_back("axes", Value{});
  s.emplace_back("class_axis", v.layout == "nnunet" ? v.layout : v.class_axis);
  s.emplace_back("full_scale", o.full);
  s.emplace_back("voxels", std::string(o.foreground  ? "foreground of the model or a rater"
                                       : o.predicted ? "foreground of the model"
                                                     : "all"));
  s.emplace_back("exclude_background", o.exclude_background);
  s.emplace_back("band", o.band > 0 ? Value(o.band) : Value{});
  s.emplace_back("ignore_label", o.ignore ? Value(show(*o.ignore)) : Value{});
  s.emplace_back("on_error", v.on_error);
}

/// Keeps Python's objects as long as items refer to their memory, which other threads may end.
std::shared_ptr<Arguments> kept_arguments() {
  return {new Arguments(), [](Arguments* held) {
            const nb::gil_scoped_acquire lock;
            delete held;
          }};
}

/// {"probs" or "logits": array, "ratings": [(name, mask), ...], "roi": array or None, "affine": 12 numbers or
/// None, "group": text, "slices": [text, ...]}, as plumb/cases.py makes it.
Case read_dict(const nb::dict& given, const std::string& name, const Voxels& v) {
  const std::shared_ptr<Arguments> arguments = kept_arguments();
  CaseFileOptions options = v.files;
  std::optional<Affine> affine;
  if (const nb::object numbers = given["affine"]; !numbers.is_none()) {
    const auto twelve = nb::cast<std::vector<double>>(numbers);
    std::copy(twelve.begin(), twelve.end(), affine.emplace().begin());
  }
  const auto volume = [&](const std::string& argument, nb::handle value) {
    Array a = arguments->array(argument, value);
    if (a.dtype == DType::text) throw InputError(argument + " is text; it takes numbers");
    a.name = argument;
    const std::shared_ptr<const void> owner = a.owner;
    a.owner = std::make_shared<std::pair<std::shared_ptr<Arguments>, std::shared_ptr<const void>>>(arguments,
                                                                                                   owner);
    return Volume{std::move(a), affine};
  };
  const bool logits = given.contains("logits");
  options.scale = logits ? Scale::logit : Scale::probability;
  const char* const key = logits ? "logits" : "probs";
  std::vector<Volume> volumes{volume(key, given[key])};
  std::vector<std::string> raters;
  for (const nb::handle one : given["ratings"]) {
    raters.push_back(nb::cast<std::string>(nb::str(one[0])));
    volumes.push_back(volume(raters.back(), one[1]));
  }
  if (const nb::object roi = given["roi"]; !roi.is_none()) volumes.push_back(volume("roi", roi));
  Case out;
  out.name = name;
  const auto group = nb::cast<std::string>(given["group"]);
  out.unit = group.empty() ? name : group;
  out.slices = nb::cast<std::vector<std::string>>(given["slices"]);
  out.has_background = !options.exclude_background;
  const nb::gil_scoped_release without_lock;
  CaseItems c = case_items(std::move(volumes), std::move(raters), options.full, options);
  out.raters = std::move(c.raters);
  out.items = std::move(c.items);
  out.voxel_mm3 = c.voxel_mm3;
  out.bands = std::move(c.bands);
  out.even = c.even;
  return out;
}

Case read_row(const Manifest& manifest, std::int64_t i, const Voxels& v) {
  const ManifestCase& row = manifest.cases[i];
  CaseFileOptions options = v.files;
  options.scale = manifest.logits ? Scale::logit : Scale::probability;
  CaseItems c = read_case(row, options);
  return Case{.name = row.name,
              .unit = row.group.empty() ? row.name : row.group,
              .slices = row.slices,
              .raters = std::move(c.raters),
              .items = std::move(c.items),
              .voxel_mm3 = c.voxel_mm3,
              .has_background = !options.exclude_background,
              .bands = std::move(c.bands),
              .even = c.even};
}

CasesOptions cases_options(const Keywords& k, const Voxels& v) {
  CasesOptions o;
  o.evaluate = evaluate_options(k);
  o.by = v.by;
  o.chosen_by_votes = v.files.foreground;
  o.skip_errors = v.on_error == "skip";
  k.read("regions", o.regions);
  o.regions = o.regions || v.files.band > 0;
  k.read("grouped", o.grouped);
  return o;
}

/// (result, bytes of the state or None)
nb::object evaluated(nb::dict columns, const std::vector<std::string>& names,
                     const std::function<Case(std::int64_t)>& read, CasesOptions options, const Voxels& v,
                     bool keep_state, const InputInfo& input) {
  const Arguments arguments(std::move(columns));
  EvaluateState state;
  Result result = run(true, arguments.object("progress"), [&](const Hooks& hooks) {
    options.evaluate.progress = hooks.progress;
    options.evaluate.cancel = hooks.cancel;
    return evaluate_cases(names, read, options, keep_state ? &state : nullptr);
  });
  add_settings(v, result);
  record_call(arguments, result);
  result.inputs = {input};
  nb::object bytes = nb::none();
  if (keep_state) {
    const std::string s = serialize(state);
    bytes = nb::bytes(s.data(), s.size());
  }
  const auto table = [result](const TerminalOptions& o) { return render_terminal(result, o); };
  return nb::make_tuple(nb::cast(PrintedResult{std::move(result), table}), bytes);
}

/// `read`: a callable that gives the dict of case i. It is called from other threads, which take the
/// interpreter's lock for it.
nb::object cases_in_memory(const std::vector<std::string>& names, nb::callable read, nb::dict columns,
                           nb::dict keywords) {
  const Keywords given(std::move(keywords));
  int threads = 0;
  given.read("threads", threads);
  const Voxels v = voxels_of(given, threads);
  bool keep_state = false;
  given.read("save_state", keep_state);
  const auto one = [&](std::int64_t i) {
    const nb::gil_scoped_acquire lock;
    return read_dict(nb::cast<nb::dict>(read(i)), names[i], v);
  };
  return evaluated(std::move(columns), names, one, cases_options(given, v), v, keep_state,
                   {"cases", "cases", {std::ssize(names)}, "arrays", ""});
}

/// `path`: a manifest or, with a layout, a folder.
nb::object cases_in_files(const std::string& path, nb::dict columns, nb::dict keywords) {
  const Keywords given(std::move(keywords));
  int threads = 0;
  given.read("threads", threads);
  const Voxels v = voxels_of(given, threads);
  if (v.layout != "none" && !v.by.empty())
    throw InputError("⟦by⟧ names columns of a manifest; ⟦layout⟧ has none");
  bool keep_state = false;
  given.read("save_state", keep_state);
  const Manifest manifest = v.layout == "nnunet" ? nnunet_manifest(path)
                            : v.layout == "bids" ? bids_manifest(path)
                                                 : read_manifest(path, v.by, v.on_error != "skip");
  std::vector<std::string> names;
  for (const ManifestCase& c : manifest.cases) names.push_back(c.name);
  CasesOptions options = cases_options(given, v);
  options.grouped = manifest.grouped;
  const auto one = [&](std::int64_t i) { return read_row(manifest, i, v); };
  return evaluated(std::move(columns), names, one, options, v, keep_state,
                   {"cases", manifest.path, {std::ssize(names)}, "text", ""});
}

}  // namespace

void bind_cases(nb::module_& m) {
  m.def("evaluate_cases", &cases_in_memory, nb::arg("names"), nb::arg("read"), nb::arg("columns"),
        nb::arg("options"));
  m.def("evaluate_case_files", &cases_in_files, nb::arg("path"), nb::arg("columns"), nb::arg("options"));
}

}  // namespace plumb::python
