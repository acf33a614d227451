// --figure FILE: single plots as SVG, PDF or PNG, for papers. Part of the pages of every command that
// makes results.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plumb/figures/figure.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/report/html.hpp"
#include "shell/flags.hpp"

namespace plumb::cli {

struct FigureFlags {
  Args files;  ///< as given: "reliability.pdf", "reliability=fig1.pdf", "slices:auroc=fig2.svg"
  double width = FigureStyle{}.width_mm, height = 0, font = FigureStyle{}.font_pt, dpi = kFigureDpi;
  std::string automatic = "auto", title;
};

void add_figure_flags(Flags& flags, FigureFlags& out);

class Figures {
 public:
  /// Checks names, sizes, and that what draws can be loaded: nothing is computed for a figure that cannot be.
  /// `plots`: a folder of plots is asked for, which has the same style.
  Figures(const FigureFlags& flags, bool plots);

  [[nodiscard]] bool wanted() const { return !asked_.empty(); }
  [[nodiscard]] std::vector<std::string> paths() const;
  void open();  ///< creates the files
  /// Draws and writes all of them, or none. InputError when the results have no data for a plot that was
  /// asked for.
  void finish(const std::vector<PlotFile>& plots);
  /// With the title that says which of its views a plot shows.
  [[nodiscard]] FigureStyle style_of(const PlotFile& plot, const std::string& view = "") const;

 private:
  struct Asked {
    std::string plot, view, path;
  };
  static Asked parse(const std::string& text);
  [[nodiscard]] std::string draw(const FigureEngine& engine, const Asked& asked,
                                 const std::vector<PlotFile>& plots) const;

  FigureFlags flags_;
  FigureStyle style_;
  std::vector<Asked> asked_;
  std::vector<std::unique_ptr<AtomicFile>> open_;
};

}  // namespace plumb::cli
