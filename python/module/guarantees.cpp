// Calibrators that are fitted and applied in ways of their own: sets, masks that miss little, named groups,
// quantiles, and states of data that no machine has all of.
#include <nanobind/stl/string.h>

#include <algorithm>

#include "arrays.hpp"
#include "options.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/calibrate/multigroup.hpp"
#include "plumb/calibrate/regression/cqr.hpp"
#include "plumb/calibrate/risk_control.hpp"
#include "plumb/calibrate/scores.hpp"
#include "plumb/calibrate/sets.hpp"
#include "plumb/calibrate/voxel_fit.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/slicing.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/plumb.hpp"
#include "quantiles.hpp"
#include "results.hpp"
#include "run.hpp"

namespace plumb::python {
namespace {

/// A model of these items without a step.
CalibrationModel model_for(const Items& items) {
  CalibrationModel out;
  out.input = gives_logits(items.predictions) ? "logits" : "probabilities";
  out.task = items.binary() ? "binary" : "multiclass";
  out.classes = items.classes();
  out.class_names = items.class_names;
  out.version = version();
  return out;
}

Model fit_sets_model(nb::dict columns, nb::dict keywords, const Model* after) {
  Arguments arguments(std::move(columns));
  const ItemColumns read = item_columns(arguments);
  SetOptions options = set_options(Keywords(std::move(keywords)));
  options.by_slice = !read.slices.empty();
  return run(true, arguments.object("progress"), [&](const Hooks&) {
    Items items = make_items(read);
    CalibrationModel model = model_for(items);
    if (after != nullptr) {
      if (gives_sets(after->parts()))
        throw InputError("the model of ⟦after⟧ ends with sets already; fit on the model before it");
      check_fits(after->parts(), items.predictions);
      model.input = after->parts().input;
      model.steps = after->parts().steps;
      items = calibrated(items, after->parts(), options.threads);
    }
    model.steps.push_back(fit_sets(items, options));
    return Model(std::move(model));
  });
}

Model fit_risk_model(nb::dict columns, nb::dict keywords) {
  Arguments arguments(std::move(columns));
  const ItemColumns read = item_columns(arguments);
  std::vector<double> levels = SetOptions{}.levels;
  Keywords(std::move(keywords)).read("levels", levels);
  return run(true, arguments.object("progress"), [&](const Hooks&) {
    const Items items = make_items(read);
    if (items.groups.empty())
      throw InputError(
          "risk control promises something for a new case; name the case of each row with ⟦groups⟧");
    RiskControl control;
    control.add_groups(items);
    CalibrationModel model = model_for(items);
    model.steps.push_back(control.step(levels));
    return Model(std::move(model));
  });
}

/// Ranges between numbers are the same for any data; quantiles are not.
void cut_at_edges(const std::vector<std::string>& cuts, std::vector<Names>& ways) {
  for (const std::string& text : cuts) {
    const Cut cut = parse_cut(text, opt("cut"));
    if (cut.quantiles > 0)
      throw InputError("⟦cut⟧ " + text +
                       ": quantiles of new data would be other groups; cut at numbers, as in age=40,65");
    const auto way =
        std::find_if(ways.begin(), ways.end(), [&](const Names& n) { return n.title() == cut.name; });
    if (way == ways.end()) throw InputError("⟦cut⟧: no column of ⟦by⟧ is called \"" + cut.name + "\"");
    *way = cut_names(*way, cut);
  }
}

std::vector<std::string> cuts_of(const CalibrationModel& model) {
  for (const auto& [name, value] : model.steps.front().fit.options)
    if (const auto* x = std::get_if<std::vector<std::string>>(&value); name == "cut" && x != nullptr)
      return *x;
  return {};
}

/// The model, or with folds the out-of-fold probabilities of class 1.
nb::object fit_multigroup_model(nb::dict columns, nb::dict keywords, int folds) {
  Arguments arguments(std::move(columns));
  const ItemColumns read = item_columns(arguments);
  const Keywords given(std::move(keywords));
  const MultigroupOptions options = multigroup_options(given);
  std::vector<std::string> cuts;
  given.read("cut", cuts);
  CalibrationModel model;
  std::vector<double> out_of_fold = run(true, arguments.object("progress"), [&](const Hooks&) {
    Items items = make_items(read);
    cut_at_edges(cuts, items.by);
    if (folds > 0) return cross_fit_multigroup(items, options, folds);
    model = fit_multigroup(items, options);
    if (!cuts.empty()) model.steps.front().fit.options.emplace_back("cut", cuts);
    return std::vector<double>();
  });
  if (folds == 0) return nb::cast(Model(std::move(model)));
  const std::int64_t n = std::ssize(out_of_fold);
  return numpy_array(std::move(out_of_fold), {n});
}

Model fit_cqr_model(nb::dict columns) {
  Arguments arguments(std::move(columns));
  const QuantileColumns read = quantile_columns(arguments);
  return run(true, nb::none(),
             [&](const Hooks&) { return Model(fit_cqr(read.items(), Names(read.within.rows("within")))); });
}

/// From the bytes of --save-state, as `plumb calibrate fit --states` reads them.
Model fit_states(const std::string& method, const nb::list& states, nb::dict keywords) {
  FitOptions options = fit_options(Keywords(std::move(keywords)));
  std::vector<std::string> bytes;
  for (const nb::handle one : states) {
    const auto b = nb::cast<nb::bytes>(one);
    bytes.emplace_back(b.c_str(), b.size());
  }
  if (bytes.empty()) throw InputError("⟦states⟧ takes at least one state");
  VoxelFit fitter(method);
  check_fit_options(method, options);
  return run(true, nb::none(), [&](const Hooks&) {
    EvaluateState state = deserialize_state(bytes.front(), "state 0");
    for (std::size_t i = 1; i < bytes.size(); ++i)
      merge(state, deserialize_state(bytes[i], "state " + std::to_string(i)));
    if (state.classes != 2)
      throw InputError(
          "the states have " + counted(state.classes, "class") +
          ", and a state keeps the distribution of the forecasts of two; fit on a sample of the data");
    if (!state.ladder)
      throw InputError(
          "the states have weights, so that they do not keep the distribution of the forecasts; save them without ⟦weights⟧");
    if (state.ladder->votes() == 0)
      throw InputError("the states have no votes, so there is nothing to fit on");
    fitter.add(*state.ladder, narrow<std::int64_t>(state.items), state.class_names);
    CalibrationModel model = fitter.fit(options).model;
    if (state.logits) model.input = "logits";
    return Model(std::move(model));
  });
}

const char* kind_of(const Model& model) {
  return gives_sets(model.parts())            ? "sets"
         : is_multigroup(model.parts())       ? "multigroup"
         : is_cqr(model.parts())              ? "quantiles"
         : model.parts().task == "regression" ? "variances"
                                              : "probabilities";
}

/// Which of the levels of a model that ends with sets.
std::int64_t level_at(const CalibrationModel& model, const nb::object& level) {
  const auto levels = set_levels(model);
  std::vector<std::string> known;
  for (const double one : levels) known.push_back(show(one));
  if (level.is_none()) {
    if (levels.size() == 1) return 0;
    throw InputError("the model has sets of several levels (" + separated(known) +
                     "); choose one with ⟦level⟧");
  }
  const std::string wanted = show(nb::cast<double>(level));
  const auto at = std::find(known.begin(), known.end(), wanted);
  if (at == known.end())
    throw InputError("the model has no sets of level " + wanted + "; it has " + separated(known));
  return at - known.begin();
}

/// N x K, 1 where the set contains the class.
nb::object sets_of_items(const Model& model, nb::dict columns, const nb::object& level) {
  Arguments arguments(std::move(columns));
  const ItemColumns read = item_columns(arguments);
  const std::int64_t at = level_at(model.parts(), level);
  const std::int64_t levels = std::ssize(set_levels(model.parts()));
  std::vector<std::uint8_t> out;
  std::int64_t n = 0, k = 0;
  {
    const nb::gil_scoped_release without_lock;
    const Items items = make_items(read);
    if (items.by.size() > 1) throw InputError("sets by slice take one column of ⟦by⟧");
    n = items.size();
    k = items.classes();
    out.reserve(n * k);
    apply_sets(model.parts(), items.predictions, items.by.empty() ? Names() : items.by.front(), 0,
               [&](std::int64_t, std::span<const double> in_set) {
                 for (std::size_t i = 0; i < in_set.size(); i += levels * k)
                   for (std::int64_t c = 0; c < k; ++c)
                     out.push_back(static_cast<std::uint8_t>(in_set[i + at * k + c]));
               });
  }
  return numpy_array(std::move(out), {n, k});
}

/// P(class 1) of each item.
nb::object apply_groups(const Model& model, nb::dict columns) {
  Arguments arguments(std::move(columns));
  const ItemColumns read = item_columns(arguments);
  std::vector<double> out;
  {
    const nb::gil_scoped_release without_lock;
    Items items = make_items(read);
    if (items.by.empty()) throw InputError("the model repairs named groups; give them with ⟦by⟧");
    cut_at_edges(cuts_of(model.parts()), items.by);
    out = apply_multigroup(model.parts(), items.predictions, items.by, 0);
  }
  const std::int64_t n = std::ssize(out);
  return numpy_array(std::move(out), {n});
}

nb::object apply_quantiles(const Model& model, nb::dict columns) {
  Arguments arguments(std::move(columns));
  const QuantileColumns read = quantile_columns(arguments);
  std::vector<double> out;
  std::int64_t n = 0;
  {
    const nb::gil_scoped_release without_lock;
    QuantileItems items = read.items();
    items.levels = cqr_levels(model.parts());
    check_quantiles(items, false);
    n = items.size();
    apply_cqr(model.parts(), items, Names(read.within.rows("within")),
              [&](std::span<const double> rows) { out.insert(out.end(), rows.begin(), rows.end()); });
  }
  const std::int64_t width = std::ssize(cqr_levels(model.parts()));
  return numpy_array(std::move(out), {n, width});
}

}  // namespace

void bind_guarantees(nb::module_& m) {
  m.def("fit_sets", &fit_sets_model, nb::arg("columns"), nb::arg("options"), nb::arg("after").none());
  m.def("fit_risk_control", &fit_risk_model, nb::arg("columns"), nb::arg("options"));
  m.def("fit_multigroup", &fit_multigroup_model, nb::arg("columns"), nb::arg("options"), nb::arg("folds"));
  m.def("fit_cqr", &fit_cqr_model, nb::arg("columns"));
  m.def("fit_states", &fit_states, nb::arg("method"), nb::arg("states"), nb::arg("options"));
  m.def("model_kind", &kind_of, nb::arg("model"));
  m.def("sets", &sets_of_items, nb::arg("model"), nb::arg("columns"), nb::arg("level").none());
  m.def("apply_groups", &apply_groups, nb::arg("model"), nb::arg("columns"));
  m.def("apply_quantiles", &apply_quantiles, nb::arg("model"), nb::arg("columns"));
}

}  // namespace plumb::python
