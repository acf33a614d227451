// One HTML file, or a folder of Vega-Lite specs, from saved results: a pure function of their JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "plumb/data/option_name.hpp"

namespace plumb {

/// A result as render_json() makes it, and the name its curves carry.
/// Results under one name are shown as one model.
struct NamedResult {
  std::string name, json;
};

struct HtmlOptions {
  std::string title = {};         ///< empty: made from the names
  Spelling spelling = kBareName;  ///< of options in sentences
  std::string date = {};          ///< shown when given; the page is otherwise a function of the results alone
};

/// False when the page was not built in, because node was not there; why_no_page() then says how to get it.
[[nodiscard]] bool has_page();
[[nodiscard]] std::string why_no_page();

/// Everything that the page shows, as JSON: verdict, words, metrics, sections with their plots, what was run.
/// Here and below: InputError naming the result that is not one.
[[nodiscard]] std::string render_document(std::span<const NamedResult> results, const HtmlOptions& options);

/// The whole page in one file that asks nothing of the network. Throws InputError without has_page().
[[nodiscard]] std::string render_html(std::span<const NamedResult> results, const HtmlOptions& options);

struct PlotFile {
  std::string name, json;  ///< "reliability", a Vega-Lite spec with its data
};

/// The plots that these results have data for.
[[nodiscard]] std::vector<PlotFile> render_plots(std::span<const NamedResult> results);

/// A script for node: `node SCRIPT DIR` draws every *.vl.json of DIR as SVG. Empty without has_page().
[[nodiscard]] std::string plot_script();

/// What the model was called when it was judged; empty when it was not named.
[[nodiscard]] std::string given_name(const std::string& json);
/// That, or "probs" for a result of out/probs.npy: the name of what was judged, else of the command.
[[nodiscard]] std::string name_of_result(const std::string& json);

}  // namespace plumb
