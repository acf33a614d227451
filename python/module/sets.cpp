// Sets of classes and forecasts of quantiles, evaluated.
#include "plumb/report/sets.hpp"

#include <nanobind/stl/string.h>

#include "options.hpp"
#include "plumb/data/check.hpp"
#include "plumb/evaluate/sets.hpp"
#include "plumb/plumb.hpp"
#include "plumb/regression/quantiles.hpp"
#include "quantiles.hpp"
#include "results.hpp"
#include "run.hpp"

namespace plumb::python {
namespace {

/// Even probabilities for every item: votes are read for the classes that the sets have.
Data even_predictions(const Rows& sets) {
  Array even;
  even.shape = {sets.rows(), sets.width()};
  even.strides = {0, sizeof(double)};
  const auto row =
      std::make_shared<std::vector<double>>(sets.width(), 1.0 / static_cast<double>(sets.width()));
  even.data = reinterpret_cast<const std::byte*>(row->data());
  even.owner = row;
  even.name = sets.name();
  if (!sets.shards().empty()) even.columns = sets.shards().front().columns;
  return even;
}

PrintedResult sets_of(nb::dict columns, nb::dict keywords) {
  Arguments arguments(std::move(columns));
  ItemColumns read = item_columns(arguments);
  const Data given = arguments.data("sets");
  const SetsOptions options = sets_options(Keywords(std::move(keywords)));
  SetsResult found;
  std::vector<std::string> classes;
  Result result = run(true, arguments.object("progress"), [&](const Hooks&) {
    const Rows sets = given.rows("sets");
    if (sets.rank() != 2 || sets.width() < 2)
      throw InputError("⟦sets⟧ takes N x K numbers, a column for each class");
    read.probs = even_predictions(sets);
    const ReadItems items = read_columns(read);
    found = evaluate_sets(sets, items.items.votes, items.items.groups, items.items.by, options);
    Result r;
    r.version = version();
    r.command = "evaluate";
    add_sets(found, options, items.items, r);
    add_read_notes(items, r);
    classes = items.items.class_names;
    return r;
  });
  record_call(arguments, result);
  const auto table = [found, classes](const TerminalOptions& o) { return render_sets(found, classes, o); };
  return {std::move(result), table};
}

PrintedResult quantiles_of(nb::dict columns, nb::dict keywords) {
  Arguments arguments(std::move(columns));
  const QuantileColumns read = quantile_columns(arguments);
  QuantileOptions options = quantile_options(Keywords(std::move(keywords)));
  Result result = run(true, arguments.object("progress"), [&](const Hooks& hooks) {
    options.progress = hooks.progress;
    options.cancel = hooks.cancel;
    return evaluate_quantiles(read.items(), options);
  });
  record_call(arguments, result);
  const auto table = [result](const TerminalOptions& o) { return render_terminal(result, o); };
  return {std::move(result), table};
}

}  // namespace

QuantileColumns quantile_columns(Arguments& a) {
  QuantileColumns out;
  out.quantiles = a.data("quantiles");
  out.targets = a.data("targets");
  out.weights = a.data("weights");
  out.groups = a.data("groups", Holds::names);
  out.slices = a.named("by", Holds::names);
  out.within = a.data("within", Holds::names);
  if (const nb::object levels = a.object("quantile_levels"); !levels.is_none())
    for (const nb::handle level : levels) out.levels.push_back(nb::cast<double>(level));
  return out;
}

QuantileItems QuantileColumns::items() const {
  if (!quantiles.given()) throw InputError("no quantiles given; set ⟦quantiles⟧ and ⟦quantile_levels⟧");
  QuantileItems out;
  out.quantiles = quantiles.rows("quantiles");
  out.levels = levels;
  out.targets = targets.rows("targets");
  out.weights = ordinary_weights(weights.rows("weights"));
  out.groups = Names(groups.rows("groups"));
  for (const auto& [name, column] : slices) out.by.emplace_back(column.rows(name));
  return out;
}

void bind_sets(nb::module_& m) {
  m.def("evaluate_sets", &sets_of, nb::arg("columns"), nb::arg("options"));
  m.def("evaluate_quantiles", &quantiles_of, nb::arg("columns"), nb::arg("options"));
}

}  // namespace plumb::python
