// A result as Python holds it, and the parts of the module by subject.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "plumb/api/items.hpp"
#include "plumb/report/html.hpp"
#include "plumb/report/terminal.hpp"
#include "plumb/result.hpp"

namespace plumb::python {

/// With what prints it, since each command has its own table.
struct PrintedResult {
  Result result;
  std::function<std::string(const TerminalOptions&)> table;
};

/// [(name, json)] of results that are shown side by side.
[[nodiscard]] std::vector<NamedResult> named_results(const nb::list& given);

/// Gives a result its provenance: `call` as the user would write it, and a name where there is one.
void record_call(const Arguments& arguments, Result& result);

void bind_results(nb::module_& m);
void bind_evaluate(nb::module_& m);
void bind_commands(nb::module_& m);
void bind_metrics(nb::module_& m);
void bind_accumulators(nb::module_& m);
void bind_models(nb::module_& m);
void bind_guarantees(nb::module_& m);
void bind_raters(nb::module_& m);
void bind_sets(nb::module_& m);
void bind_cases(nb::module_& m);
void bind_simulations(nb::module_& m);
void bind_figures(nb::module_& m);
void bind_tables(nb::module_& m);

}  // namespace plumb::python
