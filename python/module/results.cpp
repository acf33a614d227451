#include "results.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "plumb/data/option_name.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/report/html.hpp"
#include "plumb/report/json.hpp"
#include "plumb/report/tripod.hpp"

namespace plumb::python {
namespace {

std::string page(const nb::list& results, const std::string& title, const std::string& date) {
  const std::vector<NamedResult> named = named_results(results);
  const nb::gil_scoped_release without_lock;
  return render_html(named, {title, kKeyword, date});
}

nb::dict plots(const nb::list& results) {
  nb::dict out;
  for (const PlotFile& plot : render_plots(named_results(results))) out[plot.name.c_str()] = plot.json;
  return out;
}

}  // namespace

std::vector<NamedResult> named_results(const nb::list& given) {
  std::vector<NamedResult> out;
  for (const nb::handle one : given) {
    const auto json = nb::cast<std::string>(one[1]);
    out.push_back({one[0].is_none() ? name_of_result(json) : nb::cast<std::string>(one[0]), json});
  }
  return out;
}

void record_call(const Arguments& arguments, Result& result) {
  const nb::object call = arguments.object("_call"), name = arguments.object("name");
  result.argv = {"python", call.is_none() ? "plumb." + result.command : nb::cast<std::string>(call)};
  result.inputs = arguments.infos();
  result.notes.insert(result.notes.end(), arguments.notes().begin(), arguments.notes().end());
  if (!name.is_none())
    result.sections.insert(result.sections.begin(), {"name", Tree(Value(nb::cast<std::string>(name)))});
}

void bind_results(nb::module_& m) {
  nb::class_<PrintedResult>(m, "Result")
      .def("json", [](const PrintedResult& r) { return render_json(r.result); })
      .def("tripod_csv", [](const PrintedResult& r) { return tripod_csv(r.result); })
      .def("tripod_html", [](const PrintedResult& r) { return tripod_html(r.result); })
      .def(
          "text",
          [](const PrintedResult& r, int width, bool all) {
            return spell(r.table({false, width, all, kKeyword}), kKeyword);
          },
          nb::arg("width"), nb::arg("all"));
  m.def("page", &page, nb::arg("results"), nb::arg("title"), nb::arg("date"));
  m.def("plots", &plots, nb::arg("results"));
  m.def("has_page", &has_page);
  m.def("write_file", [](const std::string& path, const std::string& text) {
    AtomicFile file(path);
    file.write(text);
    file.commit();
  });
}

}  // namespace plumb::python
