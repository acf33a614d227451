#include <nanobind/stl/string.h>

#include "options.hpp"
#include "plumb/plumb.hpp"
#include "plumb/report/regression.hpp"
#include "results.hpp"
#include "run.hpp"

namespace plumb::python {
namespace {

constexpr std::int64_t kLongWork = 1'000'000;  // numbers: about a millisecond

PrintedResult evaluate_items(nb::dict columns, nb::dict keywords) {
  Arguments arguments(std::move(columns));
  const ItemColumns read = item_columns(arguments);
  EvaluateOptions options = evaluate_options(Keywords(std::move(keywords)));
  const bool is_long = options.bootstrap > 0 || arguments.elements() > kLongWork;
  Result result = run(is_long, arguments.object("progress"), [&](const Hooks& hooks) {
    options.progress = hooks.progress;
    options.cancel = hooks.cancel;
    const ReadItems items = read_columns(read, options.threads);
    Result r = evaluate(items.items, options, nullptr, items.ids);
    add_read_notes(items, r);
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
  RegressionOptions options = regression_options(Keywords(std::move(keywords)));
  const bool is_long = options.bootstrap > 0 || arguments.elements() > kLongWork;
  Result result = run(is_long, arguments.object("progress"), [&](const Hooks& hooks) {
    options.progress = hooks.progress;
    options.cancel = hooks.cancel;
    const RegressionItems items = make_regression_items(read);
    Result r = evaluate(items, options);
    if (reference.given()) add_reference(reference, items, options, r);
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
}

}  // namespace plumb::python
