#include <nanobind/stl/string.h>

#include <algorithm>

#include "options.hpp"
#include "plumb/calibrate/multigroup.hpp"
#include "plumb/calibrate/regression/cqr.hpp"
#include "plumb/calibrate/sets.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/slicing.hpp"
#include "plumb/evaluate/audit.hpp"
#include "plumb/plumb.hpp"
#include "plumb/report/regression.hpp"
#include "results.hpp"
#include "run.hpp"
#include "votes.hpp"

namespace plumb::python {
namespace {

constexpr std::int64_t kLongWork = 1'000'000;  // numbers: about a millisecond

/// A model that is applied to the predictions first, and its name for the settings.
struct Calibrator {
  const Model* model = nullptr;
  std::string name;

  explicit Calibrator(const Arguments& arguments) {
    const nb::object given = arguments.object("calibrator");
    if (given.is_none()) return;
    model = nb::cast<const Model*>(given[0]);
    name = nb::cast<std::string>(given[1]);
    const char* const why = gives_sets(model->parts())      ? "gives sets of classes"
                            : is_multigroup(model->parts()) ? "repairs named groups, which it needs to know"
                            : is_cqr(model->parts())        ? "calibrates quantiles"
                                                            : nullptr;
    if (why != nullptr)
      throw InputError("the model of ⟦calibrator⟧ " + std::string(why) +
                       "; call its apply(), and evaluate what it returns");
  }
  void apply(Items& items, int threads) const {
    if (model == nullptr) return;
    ApplyOptions options;
    options.threads = threads;
    items = model->apply(items, options);
  }
  void apply(RegressionItems& items) const {
    if (model != nullptr) items = model->apply(items);
  }
  void say(Result& result) const {
    if (model != nullptr) result.settings.emplace_back("calibrator", name);
  }
};

PrintedResult evaluate_items(nb::dict columns, nb::dict keywords) {
  Arguments arguments(std::move(columns));
  const ItemColumns read = item_columns(arguments);
  const Calibrator calibrator(arguments);
  const Keywords given(std::move(keywords));
  EvaluateOptions options = evaluate_options(given);
  VoteAnalyses analyses(given, options);
  const bool is_long = options.bootstrap > 0 || arguments.elements() > kLongWork;
  Result result = run(is_long, arguments.object("progress"), [&](const Hooks& hooks) {
    options.progress = hooks.progress;
    options.cancel = hooks.cancel;
    ReadItems items = read_columns(read, options.threads);
    calibrator.apply(items.items, options.threads);
    analyses.weigh(items, options);
    Result r = evaluate(items.items, options, nullptr, items.ids);
    analyses.run(items.items, options, r);
    add_read_notes(items, r);
    calibrator.say(r);
    return r;
  });
  record_call(arguments, result);
  const auto table = [result, analyses = std::move(analyses)](const TerminalOptions& o) {
    return render_terminal(result, o) + analyses.text(o);
  };
  return {std::move(result), table};
}

/// The ways that are cut, in place of their numbers: "age=quantile4", "age=40,65".
void cut_ways(const std::vector<std::string>& cuts, std::vector<Names>& ways) {
  for (const std::string& text : cuts) {
    const Cut cut = parse_cut(text, opt("cut"));
    const auto way =
        std::find_if(ways.begin(), ways.end(), [&](const Names& n) { return n.title() == cut.name; });
    if (way == ways.end()) {
      std::vector<std::string> known;
      for (const Names& n : ways) known.push_back(n.title());
      throw InputError("⟦cut⟧: no column of ⟦by⟧ is called \"" + cut.name + "\"" +
                       did_you_mean(cut.name, known));
    }
    *way = cut_names(*way, cut);
  }
}

PrintedResult audit_items(nb::dict columns, nb::dict keywords) {
  Arguments arguments(std::move(columns));
  const ItemColumns read = item_columns(arguments);
  const Calibrator calibrator(arguments);
  const Keywords given(std::move(keywords));
  AuditOptions options = audit_options(given);
  std::vector<std::string> cuts;
  given.read("cut", cuts);
  Result result = run(true, arguments.object("progress"), [&](const Hooks& hooks) {
    options.evaluate.progress = hooks.progress;
    options.evaluate.cancel = hooks.cancel;
    ReadItems items = read_columns(read, options.evaluate.threads);
    cut_ways(cuts, items.items.by);
    calibrator.apply(items.items, options.evaluate.threads);
    Result r = audit(items.items, options);
    add_read_notes(items, r);
    calibrator.say(r);
    if (!cuts.empty()) r.settings.emplace_back("cut", cuts);
    return r;
  });
  record_call(arguments, result);
  const auto table = [result](const TerminalOptions& o) { return render_terminal(result, o); };
  return {std::move(result), table};
}

PrintedResult evaluate_regression_items(nb::dict columns, nb::dict keywords) {
  Arguments arguments(std::move(columns));
  const RegressionColumns read = regression_columns(arguments);
  const Data reference = arguments.data("reference");
  const Calibrator calibrator(arguments);
  RegressionOptions options = regression_options(Keywords(std::move(keywords)));
  const bool is_long = options.bootstrap > 0 || arguments.elements() > kLongWork;
  Result result = run(is_long, arguments.object("progress"), [&](const Hooks& hooks) {
    options.progress = hooks.progress;
    options.cancel = hooks.cancel;
    RegressionItems items = make_regression_items(read);
    const bool in_std = items.total_is_std;  // a calibrator leaves variances
    calibrator.apply(items);
    Result r = evaluate(items, options);
    if (reference.given()) add_reference(reference, in_std, items, options, r);
    calibrator.say(r);
    return r;
  });
  record_call(arguments, result);
  const auto table = [result](const TerminalOptions& o) { return render_regression(result, o); };
  return {std::move(result), table};
}

}  // namespace

void bind_evaluate(nb::module_& m) {
  m.def("evaluate", &evaluate_items, nb::arg("columns"), nb::arg("options"));
  m.def("evaluate_regression", &evaluate_regression_items, nb::arg("columns"), nb::arg("options"));
  m.def("audit", &audit_items, nb::arg("columns"), nb::arg("options"));
}

}  // namespace plumb::python
