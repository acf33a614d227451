// Sums of batches: plumb.Accumulator.
#include <nanobind/stl/string.h>

#include "options.hpp"
#include "plumb/plumb.hpp"
#include "plumb/report/regression.hpp"
#include "results.hpp"
#include "run.hpp"

namespace plumb::python {
namespace {

std::string text_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

PrintedResult printed(Result result, bool regression) {
  result.argv = {"python",
                 regression ? "plumb.RegressionAccumulator.compute()" : "plumb.Accumulator.compute()"};
  const auto table = [result, regression](const TerminalOptions& o) {
    return regression ? render_regression(result, o) : render_terminal(result, o);
  };
  return {std::move(result), table};
}

void add_batch(Accumulator& sums, const ItemColumns& columns) {
  const ReadItems read = read_batch(columns);
  sums.update(read.items, read.ids);
}
void add_batch(RegressionAccumulator& sums, const RegressionColumns& columns) {
  sums.update(make_regression_items(columns));
}

template <class Sums, auto kColumns, auto kOptions, bool kRegression>
void bind(nb::module_& m, const char* name) {
  nb::class_<Sums>(m, name)
      .def("__init__",
           [](Sums* self, nb::dict options) {
             const Keywords given(std::move(options));
             bool ids_once = false;
             given.read("check_ids", ids_once);
             new (self) Sums(kOptions(given), ids_once);
           })
      .def("update",
           [](Sums& self, nb::dict columns) {
             Arguments arguments(std::move(columns));
             const auto read = kColumns(arguments);
             const nb::gil_scoped_release without_lock;
             add_batch(self, read);
           })
      .def("merge", [](Sums& self, const Sums& other) { self.merge(other); })
      .def(
          "compute",
          [](const Sums& self, const nb::object& title) {
            PrintedResult out = printed(self.finish(), kRegression);
            if (!title.is_none())
              out.result.sections.insert(out.result.sections.begin(),
                                         {"name", Tree(Value(nb::cast<std::string>(title)))});
            return out;
          },
          nb::arg("name").none())
      .def("to_bytes",
           [](const Sums& self) {
             const std::string bytes = self.to_bytes();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def_static("from_bytes", [](const nb::bytes& bytes, nb::dict options) {
        return Sums::from_bytes(text_of(bytes), kOptions(Keywords(std::move(options))));
      });
}

}  // namespace

void bind_accumulators(nb::module_& m) {
  m.def("is_regression_state", [](const nb::bytes& bytes) { return is_regression_state(text_of(bytes)); });
  bind<Accumulator, item_columns, evaluate_options, false>(m, "Accumulator");
  bind<RegressionAccumulator, regression_columns, regression_options, true>(m, "RegressionAccumulator");
}

}  // namespace plumb::python
