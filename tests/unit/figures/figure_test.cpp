#include "plumb/figures/figure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "plumb/data/check.hpp"
#include "plumb/io/plugin.hpp"

namespace plumb {
namespace {

constexpr const char* kSpec =
    R"({"$schema": "https://vega.github.io/schema/vega-lite/v6.json", "title": "Points", "height": 200,
  "datasets": {"rows": [{"x": 1, "y": 2, "view": "a"}, {"x": 2, "y": 1, "view": "b"}]}, "data": {"name": "rows"},
  "params": [{"name": "pick", "value": "a"}], "transform": [{"filter": "datum.view === pick"}],
  "mark": "point", "encoding": {"x": {"field": "x", "type": "quantitative"}, "y": {"field": "y", "type": "quantitative"}}})";

std::string complaint(const std::function<void()>& f) {
  try {
    f();
  } catch (const InputError& e) {
    return e.what();
  }
  return "no complaint";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

#define NEEDS_PLUGIN(name) \
  if (!has_plugin(name)) GTEST_SKIP() << "libplumb_" name ".so was not built"

TEST(FigureStyle, SizesThatNoFigureHasAreRefused) {
  EXPECT_NO_THROW(check_figure_style({}));
  for (const double bad : {0.0, -1.0, 19.9, 1001.0, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_TRUE(has(complaint([&] { check_figure_style({.width_mm = bad}); }),
                    "the width of a figure is between 20 and 1000 mm"));
  EXPECT_TRUE(has(complaint([] { check_figure_style({.height_mm = 3}); }), "height"));
  EXPECT_TRUE(has(complaint([] { check_figure_style({.font_pt = 0}); }), "font size"));
  EXPECT_TRUE(has(complaint([] { check_figure_dpi(1e9); }), "resolution"));
}

TEST(FigureEngine, DrawsTheSameBytesEveryTime) {
  NEEDS_PLUGIN("figures");
  const FigureEngine engine, other;
  const std::string svg = engine.svg(kSpec, {});
  EXPECT_TRUE(has(svg, "width=\"120mm\"")) << svg;
  EXPECT_TRUE(has(svg, ">Points</text>")) << svg;
  EXPECT_EQ(engine.svg(kSpec, {}), svg);
  EXPECT_EQ(other.svg(kSpec, {}), svg);
  EXPECT_NE(engine.svg(kSpec, {.pick = "b"}), svg);
  EXPECT_FALSE(has(engine.svg(kSpec, {.title = ""}), ">Points</text>"));
  EXPECT_TRUE(has(engine.svg(kSpec, {.title = "A <b> & \"c\""}), "A &lt;b&gt; &amp; \"c\""));
  EXPECT_TRUE(has(engine.svg(kSpec, {.width_mm = 85, .height_mm = 60}), "width=\"85mm\" height=\"60mm\""));
}

TEST(FigureEngine, WhatCannotBeDrawnIsOneSentenceAndTheEngineGoesOn) {
  NEEDS_PLUGIN("figures");
  const FigureEngine engine;
  for (const char* bad : {"{", "{}", "[]", "null", "{\"mark\": \"none\", \"datasets\": {}}", ""}) {
    const std::string said = complaint([&] { (void)engine.svg(bad, {}); });
    EXPECT_TRUE(said.starts_with("the figure cannot be drawn (")) << bad << ": " << said;
    EXPECT_FALSE(has(said, "\n")) << said;
  }
  EXPECT_TRUE(has(engine.svg(kSpec, {}), "</svg>"));
}

TEST(Pictures, PdfAndPngHaveTheSizeOfTheSvg) {
  NEEDS_PLUGIN("figures");
  NEEDS_PLUGIN("pictures");
  const std::string svg = FigureEngine().svg(kSpec, {.width_mm = 50.8, .height_mm = 25.4});
  const std::string pdf = svg_to_pdf(svg);
  EXPECT_TRUE(pdf.starts_with("%PDF-"));
  EXPECT_FALSE(has(pdf, "CreationDate"));
  EXPECT_TRUE(has(pdf, "/MediaBox [ 0 0 144 72 ]"))
      << pdf.substr(std::min(pdf.size(), pdf.find("/MediaBox")), 60);
  EXPECT_EQ(svg_to_pdf(svg), pdf);
  const std::string png = svg_to_png(svg, 100);
  const auto number = [&](std::size_t at) {
    std::uint32_t x = 0;
    for (std::size_t i = 0; i < 4; ++i) x = 256 * x + static_cast<unsigned char>(png.at(at + i));
    return x;
  };
  EXPECT_EQ(number(16), 200U);
  EXPECT_EQ(number(20), 100U);
  EXPECT_EQ(png.substr(37, 4), "pHYs");
  EXPECT_EQ(number(41), 3937U);  // per metre
  EXPECT_EQ(svg_to_png(svg, 100), png);
}

TEST(Pictures, WhatIsNoSvgIsOneSentence) {
  NEEDS_PLUGIN("pictures");
  for (const char* bad :
       {"", "text", "<svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "<html></html>"}) {
    const std::string said = complaint([&] { (void)svg_to_pdf(bad); });
    EXPECT_TRUE(said.starts_with("the figure cannot be made from its SVG (")) << bad << ": " << said;
    EXPECT_FALSE(has(said, "\n")) << said;
  }
  const std::string large =
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="1000mm" height="1000mm"></svg>)";
  EXPECT_TRUE(has(complaint([&] { (void)svg_to_png(large, 2400); }), "30000 pixels"));
}

}  // namespace
}  // namespace plumb
