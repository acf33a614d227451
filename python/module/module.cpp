// The module plumb._plumb: arrays and keywords in, results out. Everything is computed behind the front
// door (plumb/plumb.hpp).
#include <nanobind/nanobind.h>

#include "plumb/data/check.hpp"
#include "plumb/numeric/progress.hpp"
#include "plumb/result.hpp"
#include "results.hpp"

namespace plumb::python {
namespace {

/// The core's sentence, with options as Python's keywords.
void translate(const std::exception_ptr& p, void*) {
  try {
    std::rethrow_exception(p);
  } catch (const InputError& e) {
    PyErr_SetString(PyExc_ValueError, spell(e.sentence(), kKeyword).c_str());
  } catch (const Cancelled&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  }
}

}  // namespace
}  // namespace plumb::python

NB_MODULE(_plumb, m) {
  using namespace plumb::python;
  nanobind::register_exception_translator(&translate);
  m.attr("version") = plumb::version();
  bind_results(m);
  bind_evaluate(m);
  bind_commands(m);
  bind_raters(m);
  bind_sets(m);
  bind_cases(m);
  bind_simulations(m);
  bind_metrics(m);
  bind_accumulators(m);
  bind_models(m);
  bind_figures(m);
  bind_tables(m);
}
