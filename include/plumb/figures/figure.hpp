// A plot as a file for a paper: SVG from a Vega-Lite spec with its data, PDF and PNG from SVG.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace plumb {

inline constexpr double kFigureDpi = 300;  ///< pixels per inch of PNG

struct FigureStyle {
  double width_mm = 120;
  double height_mm = 0;                   ///< 0: what suits the plot
  double font_pt = 9;                     ///< of axes and legends
  std::optional<std::string> title = {};  ///< "": none; absent: that of the spec
  std::string pick = {};                  ///< the value of the spec's parameter `pick`; empty: the spec's own
};

/// Throws InputError when a size is not positive and finite, or so small or large that no figure has it.
void check_figure_style(const FigureStyle& style);
void check_figure_dpi(double dpi);
/// Throws InputError with the remedy when the plugin that draws cannot be loaded, or the one of PDF and PNG
/// if `pictures`.
void check_figure_plugins(bool pictures);

/// Draws with Vega, in a JavaScript engine inside the plugin libplumb_figures.so. Loading takes 0.2 s, a plot
/// 0.05 s. The same spec and style give the same bytes. For one thread at a time.
class FigureEngine {
 public:
  FigureEngine();  ///< InputError when the plugin is not there
  FigureEngine(const FigureEngine&) = delete;
  FigureEngine& operator=(const FigureEngine&) = delete;
  ~FigureEngine();

  /// `spec` is JSON as render_plots() makes it. InputError when it cannot be drawn.
  [[nodiscard]] std::string svg(std::string_view spec, const FigureStyle& style) const;

 private:
  struct Loaded;
  std::unique_ptr<Loaded> loaded_;
};

/// Text and lines stay text and lines. Without a date, so that the same SVG gives the same bytes. Both are
/// made by librsvg inside the plugin libplumb_pictures.so; InputError when it is not there, or when the text
/// is not SVG.
[[nodiscard]] std::string svg_to_pdf(std::string_view svg);
/// Of the size that the SVG has in millimetres, with this many pixels per inch, which the file records.
[[nodiscard]] std::string svg_to_png(std::string_view svg, double dpi);

}  // namespace plumb
