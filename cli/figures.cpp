#include "figures.hpp"

#include <algorithm>
#include <filesystem>

#include "plumb/data/check.hpp"

namespace plumb::cli {
namespace {

std::string figure_suffix(const std::string& path) {
  std::string out = std::filesystem::path(path).extension().string();
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::vector<std::string> names_of_plots(const std::vector<PlotFile>& plots) {
  std::vector<std::string> out;
  for (const PlotFile& p : plots) out.push_back(p.name);
  return out;
}

}  // namespace

void add_figure_flags(Flags& flags, FigureFlags& out) {
  flags.repeated(
      "--figure", "FILE", out.files,
      "write a plot as .svg, .pdf or .png: reliability.pdf or reliability=fig1.pdf; separate several by commas; repeatable");
  flags.number("--figure-width", out.width, "width of figures in mm");
  flags.number_or_name("--figure-height", {"auto"}, out.height, out.automatic, "height of figures in mm");
  flags.number("--figure-font", out.font, "font size in pt");
  flags.text("--figure-title", "TEXT|none", out.title, "title of figures [the name of the plot]");
  flags.number("--figure-dpi", out.dpi, "pixels per inch of .png");
}

Figures::Asked Figures::parse(const std::string& text) {
  Asked out;
  const std::size_t equals = text.find('=');
  out.path = equals == std::string::npos ? text : text.substr(equals + 1);
  out.plot =
      equals == std::string::npos ? std::filesystem::path(text).stem().string() : text.substr(0, equals);
  if (out.path.empty() || out.plot.empty())
    throw InputError("--figure " + text + " names no file; write reliability.pdf or reliability=fig1.pdf");
  const std::string suffix = figure_suffix(out.path);
  if (suffix != ".svg" && suffix != ".pdf" && suffix != ".png")
    throw InputError("--figure " + out.path + ": a figure is .svg, .pdf or .png; name it " +
                     std::filesystem::path(out.path).stem().string() + ".pdf");
  if (const std::size_t colon = out.plot.find(':');
      equals != std::string::npos && colon != std::string::npos) {
    out.view = out.plot.substr(colon + 1);
    out.plot.resize(colon);
  }
  const std::vector<std::string> known = plot_names();
  if (std::find(known.begin(), known.end(), out.plot) == known.end())
    throw InputError("--figure " + text + ": there is no plot \"" + out.plot + "\"" +
                     did_you_mean(out.plot, known) + "; name one, as in --figure reliability=" +
                     std::filesystem::path(out.path).filename().string() + ", of " + separated(known));
  return out;
}

Figures::Figures(const FigureFlags& flags, bool plots) : flags_(flags) {
  style_ = {.width_mm = flags.width, .height_mm = flags.height, .font_pt = flags.font};
  if (!flags.title.empty()) style_.title = flags.title == "none" ? "" : flags.title;
  check_figure_style(style_);
  check_figure_dpi(flags.dpi);
  for (const std::string& given : flags.files) {
    std::string rest = given;
    for (std::size_t at = 0; at != std::string::npos;) {
      at = rest.find(',');
      asked_.push_back(parse(rest.substr(0, at)));
      if (at != std::string::npos) rest.erase(0, at + 1);
    }
  }
  if (asked_.empty()) {
    const FigureFlags idle;
    if (!plots && (flags.width != idle.width || flags.height != idle.height || flags.font != idle.font ||
                   flags.dpi != idle.dpi || !flags.title.empty()))
      throw InputError(
          "the size and title of figures have no effect without a figure; add --figure reliability.pdf");
    return;
  }
  const bool pictures = std::any_of(asked_.begin(), asked_.end(),
                                    [](const Asked& a) { return figure_suffix(a.path) != ".svg"; });
  check_figure_plugins(pictures);
}

std::vector<std::string> Figures::paths() const {
  std::vector<std::string> out;
  for (const Asked& a : asked_) out.push_back(a.path);
  return out;
}

void Figures::open() {
  for (const Asked& a : asked_) open_.push_back(std::make_unique<AtomicFile>(a.path));
}

FigureStyle Figures::style_of(const PlotFile& plot, const std::string& view) const {
  FigureStyle out = style_;
  const PlotView* shown = shown_view(plot, view, "--figure " + plot.name + ":" + view + ": ");
  if (shown == nullptr) return out;
  out.pick = shown->value;
  if (!out.title) out.title = plot.title + ": " + shown->label;
  return out;
}

std::string Figures::draw(const FigureEngine& engine, const Asked& asked,
                          const std::vector<PlotFile>& plots) const {
  const auto plot =
      std::find_if(plots.begin(), plots.end(), [&](const PlotFile& p) { return p.name == asked.plot; });
  if (plot == plots.end())
    throw InputError(
        "--figure " + asked.path + ": this result has no data for the plot " + asked.plot +
        (plots.empty() ? ", nor for any other" : "; it has data for " + separated(names_of_plots(plots))));
  std::string svg = engine.svg(plot->json, style_of(*plot, asked.view));
  const std::string suffix = figure_suffix(asked.path);
  return suffix == ".svg" ? svg : suffix == ".pdf" ? svg_to_pdf(svg) : svg_to_png(svg, flags_.dpi);
}

void Figures::finish(const std::vector<PlotFile>& plots) {
  if (asked_.empty()) return;
  const FigureEngine engine;
  for (std::size_t i = 0; i < asked_.size(); ++i) open_[i]->write(draw(engine, asked_[i], plots));
  for (const auto& file : open_) file->settle();
  for (const auto& file : open_) file->commit();
}

}  // namespace plumb::cli
