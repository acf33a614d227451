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

/// False when the page was not built because node was missing; why_no_page() then says how to get it.
[[nodiscard]] bool has_page();
[[nodiscard]] std::string why_no_page();

/// Everything that the page shows, as JSON: verdict, words, metrics, sections with their plots, what was run.
/// Here and below: InputError naming the result that is not one.
[[nodiscard]] std::string render_document(std::span<const NamedResult> results, const HtmlOptions& options);

/// The complete page in one file that needs no network. Throws InputError without has_page().
[[nodiscard]] std::string render_html(std::span<const NamedResult> results, const HtmlOptions& options);

/// One of the views of a plot, as a class or a metric; the spec's parameter `pick` has the value.
struct PlotView {
  std::string value, label;
};
struct PlotFile {
  std::string name, json;       ///< "reliability", a Vega-Lite spec with its data
  std::string title;            ///< that the spec has
  std::string view;             ///< what the views are: "class", "metric"
  std::vector<PlotView> views;  ///< the first is shown; empty when there is nothing to choose
};

/// The view of a plot that `given` names by its value or its label (a class by its name or number, a metric
/// by its key); without a name the first one, or null for a plot that needs no choice. InputError when there
/// is no such view, which begins with `asked`.
[[nodiscard]] const PlotView* shown_view(const PlotFile& plot, const std::string& given,
                                         const std::string& asked);

/// The names of all plots, in alphabetical order.
[[nodiscard]] std::vector<std::string> plot_names();

/// The plots that these results have data for.
[[nodiscard]] std::vector<PlotFile> render_plots(std::span<const NamedResult> results);

/// The name of the model in the evaluation; empty when it was not named.
[[nodiscard]] std::string given_name(const std::string& json);
/// That, or "probs" for a result of out/probs.npy: the name of what was evaluated, otherwise of the command.
[[nodiscard]] std::string name_of_result(const std::string& json);

}  // namespace plumb
