// Comparison, stability and uncertainty.
#include <nanobind/stl/string.h>

#include "options.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/class_names.hpp"
#include "plumb/io/pictures.hpp"
#include "plumb/plumb.hpp"
#include "plumb/report/compare.hpp"
#include "plumb/report/results.hpp"
#include "plumb/report/stability.hpp"
#include "plumb/report/uncertainty.hpp"
#include "results.hpp"
#include "run.hpp"

namespace plumb::python {
namespace {

/// {name: array} of probabilities and of logits; the first is read with everything else.
struct Given {
  std::string name;
  ItemColumns columns;
};

std::vector<Given> given_models(Arguments& arguments) {
  std::vector<Given> out;
  for (auto& [name, data] : arguments.named("models")) out.push_back({name, {.probs = std::move(data)}});
  for (auto& [name, data] : arguments.named("model_logits"))
    out.push_back({name, {.logits = std::move(data)}});
  const nb::object normalize = arguments.object("normalize");
  for (Given& g : out) g.columns.normalize = !normalize.is_none() && nb::cast<bool>(normalize);
  return out;
}

PrintedResult compare_models(nb::dict columns, nb::dict keywords) {
  Arguments arguments(std::move(columns));
  std::vector<Given> given = given_models(arguments);
  ItemColumns about = item_columns(arguments);
  if (given.size() < 2)
    throw InputError("a comparison needs two models or more; name each in ⟦probs⟧ or ⟦logits⟧");
  about.probs = given.front().columns.probs;
  about.logits = given.front().columns.logits;
  const Keywords options_given(keywords);
  EvaluateOptions options = evaluate_options(options_given);
  if (!keywords.contains("bootstrap")) options.bootstrap = kCompareReplicates;
  std::string reference;
  options_given.read("reference", reference);
  Comparison comparison;
  ReadItems first;
  Result result = run(true, arguments.object("progress"), [&](const Hooks& hooks) {
    options.progress = hooks.progress;
    options.cancel = hooks.cancel;
    first = read_columns(about, options.threads);
    std::vector<NamedModel> models{{given.front().name, first.items}};
    for (std::size_t i = 1; i < given.size(); ++i) {
      const Items next = make_items(given[i].columns);
      check_class_order(given[i].name, next.class_names, given.front().name, first.items.class_names);
      models.push_back({given[i].name, first.items});
      models.back().items.predictions = next.predictions;
    }
    comparison = compare(models, options, reference);
    Result r = compare_result(comparison, first.items, options);
    add_read_notes(first, r);
    return r;
  });
  record_call(arguments, result);
  comparison.notes = result.notes;
  const auto table = [c = std::move(comparison), level = options.level](const TerminalOptions& o) {
    return render_compare(c, level, o);
  };
  return {std::move(result), table};
}

PrintedResult stability_of(nb::dict columns, nb::dict keywords) {
  Arguments arguments(std::move(columns));
  const ItemColumns read = item_columns(arguments);
  const Keywords given(std::move(keywords));
  StabilityOptions options = stability_options(given);
  std::string single = "majority";
  given.read("single", single);
  check_single(single);
  Stability s;
  Result result = run(true, arguments.object("progress"), [&](const Hooks& hooks) {
    options.progress = hooks.progress;
    options.evaluate.cancel = hooks.cancel;
    const ReadItems items = read_columns(read, options.evaluate.threads);
    set_single(options, single, items.items.votes);
    s = stability(items.items, options);
    Result r = stability_result(s, items.items, options, single);
    add_read_notes(items, r);
    return r;
  });
  record_call(arguments, result);
  return {std::move(result), [s](const TerminalOptions& o) { return render_stability(s, o); }};
}

/// Pictures of the suspects, and a note about those that are too large for a page.
std::vector<std::string> suspect_pictures(const Data& given, std::int64_t items, const UncertaintyResult& r,
                                          std::vector<std::string>& notes) {
  if (!given.given()) return {};
  const Pictures pictures(given.rows("images"), "images");
  if (pictures.size() != items)
    throw InputError("images has " + counted(pictures.size(), "picture") + " for " + counted(items, "item") +
                     "; give one for each");
  std::vector<std::string> out;
  std::int64_t large = 0;
  for (const Suspect& s : r.suspects) {
    out.push_back(pictures.data_uri(s.row));
    large += out.back().empty() ? 1 : 0;
  }
  if (large > 0)
    notes.push_back(counted(large, "picture") + " of suspects left out: larger than " +
                    std::to_string(kMostPictureBytes / 1000) + " kB");
  return out;
}

/// Weight and accuracy of each bin, from the least to the most confident.
UncertaintyResult of_histogram(const Data& given, const UncertaintyOptions& o) {
  const Rows rows = given.rows("histogram");
  if (rows.width() != 2)
    throw InputError("histogram takes two columns, the weight w and the accuracy p of each bin, not " +
                     std::to_string(rows.width()));
  std::vector<double> both(2 * rows.rows()), w, p;
  rows.read(0, rows.rows(), both);
  for (std::size_t i = 0; i < both.size(); i += 2) {
    w.push_back(both[i]);
    p.push_back(both[i + 1]);
  }
  return score_histogram(w, p, o);
}

PrintedResult uncertainty_of(nb::dict columns, nb::dict keywords) {
  Arguments arguments(std::move(columns));
  const Data histogram = arguments.data("histogram");
  const ItemColumns read = item_columns(arguments);
  const std::vector<std::pair<std::string, Data>> own = arguments.named("scores");
  const Data images = arguments.data("images", Holds::classes);
  UncertaintyOptions options = uncertainty_options(Keywords(std::move(keywords)));
  UncertaintyResult r;
  ItemNames names;
  Result result = run(true, arguments.object("progress"), [&](const Hooks& hooks) {
    options.progress = hooks.progress;
    options.cancel = hooks.cancel;
    if (histogram.given()) {
      r = of_histogram(histogram, options);
      return uncertainty_result(r, options, nullptr, names);
    }
    const ReadItems items = read_columns(read, options.threads);
    names = {items.ids, items.items.class_names};
    r = uncertainty(items.items, options, own, items.ids);
    std::vector<std::string> notes;
    const std::vector<std::string> pictures = suspect_pictures(images, items.items.size(), r, notes);
    Result out = uncertainty_result(r, options, &items.items, names, pictures);
    out.notes.insert(out.notes.end(), notes.begin(), notes.end());
    add_read_notes(items, out);
    return out;
  });
  record_call(arguments, result);
  const auto table = [r = std::move(r), names, notes = result.notes](const TerminalOptions& o) {
    return render_uncertainty(r, names, notes, o);
  };
  return {std::move(result), table};
}

}  // namespace

void bind_commands(nb::module_& m) {
  m.def("compare", &compare_models, nb::arg("columns"), nb::arg("options"));
  m.def("stability", &stability_of, nb::arg("columns"), nb::arg("options"));
  m.def("uncertainty", &uncertainty_of, nb::arg("columns"), nb::arg("options"));
}

}  // namespace plumb::python
