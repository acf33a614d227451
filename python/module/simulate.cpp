// Simulated data to try Plumb on, as `plumb demo` writes them: plumb.demo.
#include <nanobind/nanobind.h>

#include "arrays.hpp"
#include "plumb/data/check.hpp"
#include "plumb/simulate/cohort.hpp"
#include "plumb/simulate/needles.hpp"
#include "results.hpp"

namespace plumb::python {
namespace {

nb::list texts(const std::vector<std::string>& values) {
  nb::list out;
  for (const std::string& text : values) out.append(nb::str(text.data(), text.size()));
  return out;
}

nb::dict cohort_part(Cohort c) {
  const std::int64_t n = c.items, k = c.classes();
  nb::dict out;
  out["probs"] = numpy_array(std::move(c.probs), {n, k});
  out["logits"] = numpy_array(std::move(c.logits), {n, k});
  out["labels"] = numpy_array(std::move(c.labels), {n});
  out["counts"] = numpy_array(std::move(c.counts), {n, k});
  out["ratings"] = numpy_array(std::move(c.ratings), {n, std::int64_t{c.raters}});
  out["truth"] = numpy_array(std::move(c.truth), {n, k});
  out["classes"] = texts(c.class_names);
  out["patient"] = texts(c.patient);
  out["site"] = texts(c.site);
  return out;
}

nb::dict needles_part(Needles c) {
  const std::int64_t n = c.items, d = Needles::kOutputs, s = c.passes;
  nb::dict out;
  out["targets"] = numpy_array(std::move(c.targets), {n, d});
  out["mean"] = numpy_array(std::move(c.mean), {n, d});
  out["aleatoric"] = numpy_array(std::move(c.aleatoric), {n, d});
  out["epistemic"] = numpy_array(std::move(c.epistemic), {n, d});
  out["mean_samples"] = numpy_array(std::move(c.mean_samples), {s, n, d});
  out["variance_samples"] = numpy_array(std::move(c.variance_samples), {s, n, d});
  out["patient"] = texts(c.patient);
  out["site"] = texts(c.site);
  return out;
}

void check_simulated(std::int64_t items) {
  constexpr std::int64_t kFewest = 60;
  if (items < kFewest) throw InputError("⟦items⟧ must be at least " + std::to_string(kFewest));
}

/// (validation, test)
nb::object cohort(std::int64_t items, std::uint64_t seed) {
  CohortOptions options;
  if (items != 0) options.items = items;
  check_simulated(options.items);
  options.seed = seed;
  const Cohort all = simulate_cohort(options);
  const std::int64_t cut = validation_size(all);
  return nb::make_tuple(cohort_part(slice(all, 0, cut)), cohort_part(slice(all, cut, all.items)));
}

nb::object regression(std::int64_t items, std::uint64_t seed) {
  NeedleOptions options;
  if (items != 0) options.items = items;
  check_simulated(options.items);
  options.seed = seed;
  const Needles all = simulate_needles(options);
  const std::int64_t cut = options.items / 3 / 20 * 20;  // at the border of a patient
  return nb::make_tuple(needles_part(slice(all, 0, cut)), needles_part(slice(all, cut, all.items)));
}

}  // namespace

void bind_simulations(nb::module_& m) {
  m.def("simulated_cohort", &cohort, nb::arg("items"), nb::arg("seed"));
  m.def("simulated_regression", &regression, nb::arg("items"), nb::arg("seed"));
}

}  // namespace plumb::python
