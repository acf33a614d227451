// Plots as files, drawn by the plugins that the command line uses.
#include "plumb/figures/figure.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <filesystem>

#include "options.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "results.hpp"

namespace plumb::python {
namespace {

FigureStyle style_of(const PlotFile& plot, const std::string& view, const Keywords& given) {
  FigureStyle out;
  given.read("width", out.width_mm);
  given.read("height", out.height_mm);
  given.read("font", out.font_pt);
  std::string title;
  given.read("title", title);
  if (given.is_text("title")) out.title = title;
  if (const PlotView* shown = shown_view(plot, view, ""); shown != nullptr) {
    out.pick = shown->value;
    if (!out.title) out.title = plot.title + ": " + shown->label;
  }
  check_figure_style(out);
  return out;
}

/// `suffix`: svg, pdf or png.
void save_figure(const nb::list& results, const std::string& name, const std::string& view,
                 const std::string& path, const std::string& suffix, nb::dict keywords) {
  const std::vector<PlotFile> plots = render_plots(named_results(results));
  const auto plot =
      std::find_if(plots.begin(), plots.end(), [&](const PlotFile& p) { return p.name == name; });
  if (plot == plots.end()) {
    std::vector<std::string> known;
    for (const PlotFile& p : plots) known.push_back(p.name);
    throw InputError("there is no plot \"" + name + "\" of this result" + did_you_mean(name, known) +
                     "; there are " + (known.empty() ? "none" : separated(known)));
  }
  const Keywords given(std::move(keywords));
  const FigureStyle style = style_of(*plot, view, given);
  double dpi = kFigureDpi;
  given.read("dpi", dpi);
  check_figure_dpi(dpi);
  const nb::gil_scoped_release without_lock;
  check_figure_plugins(suffix != "svg");
  const std::string svg = FigureEngine().svg(plot->json, style);
  AtomicFile file(path);
  file.write(suffix == "svg" ? svg : suffix == "pdf" ? svg_to_pdf(svg) : svg_to_png(svg, dpi));
  file.commit();
}

}  // namespace

void bind_figures(nb::module_& m) {
  m.def("save_figure", &save_figure, nb::arg("results"), nb::arg("plot"), nb::arg("view"), nb::arg("path"),
        nb::arg("suffix"), nb::arg("options"));
}

}  // namespace plumb::python
