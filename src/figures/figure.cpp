#include "plumb/figures/figure.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "figures/abi.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/plugin.hpp"

namespace plumb {
namespace {

using nlohmann::json;

detail::Sink sink(std::string& out) {
  return {[](void* to, const char* bytes, std::size_t size) {
            static_cast<std::string*>(to)->append(bytes, size);
          },
          &out};
}

void check_between(const char* what, double value, double low, double high, const char* unit) {
  if (std::isfinite(value) && value >= low && value <= high) return;
  throw InputError(std::string(what) + " of a figure is between " + show(low) + " and " + show(high) + " " +
                   unit + ", not " + show(value));
}

std::string request(std::string_view spec, const FigureStyle& style) {
  json rest{{"width", style.width_mm}, {"height", style.height_mm}, {"font", style.font_pt}};
  if (style.title) rest["title"] = style.title->empty() ? json() : json(*style.title);
  if (!style.pick.empty()) rest["pick"] = style.pick;
  std::string out = rest.dump(-1, ' ', false, json::error_handler_t::replace);
  out.pop_back();
  return out.append(", \"spec\": ").append(spec).append("}");
}

Plugin drawing_plugin() {
  return {
      "figures",
      detail::kFiguresAbi,
      {"drawing a figure",
       "build Plumb with QuickJS and node (\"tools/setup web figures\" gets both), or save the figure from a report page"}};
}

Plugin pictures_plugin() {
  return {
      "pictures",
      detail::kPicturesAbi,
      {"writing a figure as PDF or PNG",
       "install librsvg (Debian: librsvg2-dev to build, librsvg2-2 to run) and build again, or write the figure as .svg"}};
}

std::string picture(std::string_view svg, double dpi) {
  std::string out, why;
  const auto make = pictures_plugin().function<detail::PicturesMake>("plumb_pictures_make");
  if (!make(svg.data(), svg.size(), dpi, sink(out), sink(why)))
    throw InputError("the figure cannot be made from its SVG (" + why + "); write it as .svg");
  return out;
}

}  // namespace

void check_figure_style(const FigureStyle& style) {
  check_between("the width", style.width_mm, 20, 1000, "mm");
  if (style.height_mm != 0) check_between("the height", style.height_mm, 20, 1000, "mm");
  check_between("the font size", style.font_pt, 3, 72, "pt");
}

void check_figure_dpi(double dpi) { check_between("the resolution", dpi, 30, 2400, "pixels per inch"); }

void check_figure_plugins(bool pictures) {
  (void)drawing_plugin();
  if (pictures) (void)pictures_plugin();
}

struct FigureEngine::Loaded {
  Plugin plugin = drawing_plugin();
  void* engine = nullptr;
};

FigureEngine::FigureEngine() : loaded_(std::make_unique<Loaded>()) {
  std::string why;
  loaded_->engine = loaded_->plugin.function<detail::FiguresOpen>("plumb_figures_open")(sink(why));
  if (loaded_->engine == nullptr)
    throw InputError(loaded_->plugin.path() + " does not start (" + why + "); install it again");
}

FigureEngine::~FigureEngine() {
  if (loaded_->engine != nullptr)
    loaded_->plugin.function<detail::FiguresClose>("plumb_figures_close")(loaded_->engine);
}

std::string FigureEngine::svg(std::string_view spec, const FigureStyle& style) const {
  check_figure_style(style);
  const std::string asked = request(spec, style);
  std::string out, why;
  const auto draw = loaded_->plugin.function<detail::FiguresDraw>("plumb_figures_draw");
  if (!draw(loaded_->engine, asked.data(), asked.size(), sink(out), sink(why)))
    throw InputError("the figure cannot be drawn (" + why + "); write a report page");
  return out;
}

std::string svg_to_pdf(std::string_view svg) { return picture(svg, 0); }

std::string svg_to_png(std::string_view svg, double dpi) {
  check_figure_dpi(dpi);
  return picture(svg, dpi);
}

}  // namespace plumb
