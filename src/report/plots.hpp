// A plot: data of the results -> a Vega-Lite spec with its rows, and a sentence about its meaning for this
// model. Each family of plots has a file in plots/; a plot is a spec in web/specs/ and a function here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/runs.hpp"

namespace plumb::detail {

/// One of several views of the same plot: a class, an estimator. The spec's parameter `pick` takes the value.
struct Choice {
  std::string value, label, sentence;
};

struct Plot {
  std::string name;           ///< of its spec
  std::string section;        ///< "calibration"; the titles are in html.cpp
  std::string title;          ///< a plain noun, also of the exported figure
  std::string sentence = {};  ///< what it means for this model
  std::string how;            ///< how to read it
  std::string picker = {};  ///< what the choices are: "class", "metric"; plots of a section share the picker
  std::vector<Choice> choices = {};
  Json spec = {};
};
using Plots = std::vector<Plot>;

/// All of them, in the order in which they are shown.
[[nodiscard]] Plots make_plots(const Runs& runs);

// The families. Each adds the plots that the runs have data for.
void calibration_plots(const Runs& runs, Plots& out);
void corp_plots(const Runs& runs, Plots& out);
void decision_plots(const Runs& runs, Plots& out);
void confusion_plots(const Runs& runs, Plots& out);
void slice_plots(const Runs& runs, Plots& out);
void audit_plots(const Runs& runs, Plots& out);
void case_plots(const Runs& runs, Plots& out);
void rater_plots(const Runs& runs, Plots& out);
void stability_plots(const Runs& runs, Plots& out);
void item_plots(const Runs& runs, Plots& out);
void uncertainty_plots(const Runs& runs, Plots& out);
void regression_plots(const Runs& runs, Plots& out);
void training_plots(const Runs& runs, Plots& out);

/// A table for readers, where a plot would hide the names: suspects, a league of calibrators.
struct ReaderTable {
  std::string section, title, sentence;
  std::vector<std::string> columns;
  Json rows = Json::array();  ///< arrays of numbers, text or null, as long as `columns`
  int picture = -1;           ///< the column that holds data URIs of images, if any
  bool wide = false;          ///< pictures are to be looked at, not only recognised
};
[[nodiscard]] std::vector<ReaderTable> make_tables(const Runs& runs);
void case_tables(const Runs& runs, std::vector<ReaderTable>& out);
void confusion_tables(const Runs& runs, std::vector<ReaderTable>& out);
void uncertainty_tables(const Runs& runs, std::vector<ReaderTable>& out);
void rater_reader_tables(const Runs& runs, std::vector<ReaderTable>& out);

/// Binds the spec of its name to `rows` and adds the plot to `out`. With runs: each model (field "model")
/// gets its colour, and no legend when it is alone. With choices: the first is shown, and its sentence unless
/// there is one.
Plot& add_plot(Plots& out, Json rows, const Runs& runs, Plot plot);
/// A choice of this name, or one sentence more in the one that is there.
void add_choice(std::vector<Choice>& choices, const std::string& name, const std::string& sentence);
/// Of the rows of a table.
[[nodiscard]] double total_weight(const Json& rows);

// Numbers in sentences.
[[nodiscard]] std::string percent(double share);        ///< "93.6%"
[[nodiscard]] std::string points(double share);         ///< "4.0 points"
[[nodiscard]] std::string four_digit_number(double x);  ///< four digits
/// "a, b and c".
[[nodiscard]] std::string listed(const std::vector<std::string>& parts);
/// "one; another." or nothing.
[[nodiscard]] std::string joined(const std::vector<std::string>& clauses, const char* between = "; ");

}  // namespace plumb::detail
