#include "plumb/report/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plumb/data/check.hpp"
#include "report/paragraphs.hpp"
#include "report/text_table.hpp"

namespace plumb {
namespace {

std::string parameter_text(double x) { return fmt::format("{:.4g}", x); }
std::string number_or_dash(const std::optional<double>& x) {
  return x ? fmt::format("{:.5f}", *x) : "undefined";
}

const Parameter* find(const Step& step, std::string_view name) {
  const auto at = std::find_if(step.parameters.begin(), step.parameters.end(),
                               [&](const Parameter& p) { return p.name == name; });
  return at == step.parameters.end() || at->values.empty() ? nullptr : &*at;
}

// What the numbers of a step mean for the predictions;
// empty where a list of numbers says nothing to a reader.
std::string meaning(const Step& step) {
  if (step.method == "none") return "Leaves the predictions as they are.";
  if (const Parameter* t = find(step, "T"); t != nullptr && step.method == "temperature") {
    const double T = t->values.front();
    return fmt::format("Divides the logits by T = {}: the model was {}.", parameter_text(T),
                       T > 1.001   ? "over-confident"
                       : T < 0.999 ? "under-confident"
                                   : "neither over- nor under-confident");
  }
  if (const Parameter* bias = find(step, "bias"); bias != nullptr && step.method == "alpha") {
    const Parameter* w = find(step, "weights");
    if (w == nullptr)
      return fmt::format(
          "Votes vary as draws from a Dirichlet with alpha_0 = {} around the prediction; two raters disagree {} times as often as the probabilities alone imply. The probabilities do not change.",
          parameter_text(std::exp(bias->values.front())),
          fmt::format("{:.3f}", 1 / (1 + std::exp(-bias->values.front()))));
    return fmt::format("alpha_0 = exp(w.u + b) from {}, b = {}. The probabilities do not change.",
                       counted(std::ssize(w->values), "feature"), parameter_text(bias->values.front()));
  }
  if (const Parameter* cells = find(step, "cells"))
    return fmt::format("Tables of {} in all.", counted(find(step, "values")->values.size(), "bin")) +
           (cells->values.size() > 1 ? " One class against the rest each; rows are divided by their sum."
                                     : "");
  return "";
}

std::string parameter_line(const Parameter& p) {
  constexpr std::size_t kShown = 6;
  std::string text = p.name + (p.shape.size() > 1 ? " (" + show_shape(p.shape) + ")" : "") + ": ";
  for (std::size_t i = 0; i < std::min(kShown, p.values.size()); ++i)
    text += (i == 0 ? "" : ", ") + parameter_text(p.values[i]);
  if (p.values.size() > kShown) text += fmt::format(", ... ({})", counted(std::ssize(p.values), "value"));
  return text;
}

std::string option_text(const Value& v) {
  return std::visit(
      [](const auto& x) -> std::string {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, bool>)
          return x ? "yes" : "no";
        else if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t>)
          return std::to_string(x);
        else if constexpr (std::is_same_v<T, double>)
          return show(x);
        else if constexpr (std::is_same_v<T, std::string>)
          return x;
        else
          return "";
      },
      v);
}

std::string step_text(const Step& step, std::size_t number, const TerminalOptions& o) {
  std::string out =
      detail::bold(fmt::format("Step {}: {}", number, detail::printable(step.method, 60)), o.colour) + "\n";
  if (const std::string words = meaning(step); !words.empty())
    out += "  " + detail::wrap(words, o.width - 2, "  ") + "\n";
  for (const Parameter& p : step.parameters)
    out += "  " + detail::wrap(detail::printable(parameter_line(p)), o.width - 2, "    ") + "\n";
  const FitReport& f = step.fit;
  std::string fitted = "Fitted on " + counted(f.items, "item");
  if (f.votes != f.items) fitted += " and " + counted(f.votes, "vote");
  if (f.iterations > 0)
    fitted += fmt::format("; {} in {} (gradient {:.1e}, objective {})",
                          f.converged ? "converged" : "stopped short of a gradient of 1e-6",
                          counted(f.iterations, "iteration"), f.gradient_norm, parameter_text(f.objective));
  out += "  " + detail::wrap(fitted + ".", o.width - 2, "  ") + "\n";
  std::string options;
  for (const auto& [name, value] : f.options)
    if (const std::string text = option_text(value); !text.empty())
      options += (options.empty() ? "" : ", ") + name + " " + text;
  if (!options.empty())
    out += "  " + detail::wrap("Options: " + detail::printable(options) + ".", o.width - 2, "  ") + "\n";
  for (const std::string& w : f.warnings)
    out += "  " + detail::wrap("Note: " + detail::spelled(w, o), o.width - 2, "  ") + "\n";
  return out;
}

std::string league_text(const std::vector<LeagueRow>& league, const TerminalOptions& o) {
  detail::TextTable table({"method", "parameters", "held-out log-loss", "gain", "se", ""});
  for (std::size_t c = 1; c < 5; ++c) table.right(c);
  for (const LeagueRow& r : league) {
    const std::string parameters = std::to_string(r.parameters);
    if (!r.why.empty()) {
      table.add({r.method, parameters, "", "", "", detail::spelled(r.why, o)});
      continue;
    }
    table.add({r.method, parameters, fmt::format("{:.5f}", r.nll), fmt::format("{:.5f}", r.gain),
               fmt::format("{:.5f}", r.gain_se), r.chosen ? "chosen" : ""});
  }
  return table.render(o.colour, o.width);
}

}  // namespace

std::string render_fit(const FitSummary& s, const TerminalOptions& o) {
  std::string out;
  if (!s.league.empty()) out += league_text(s.league, o) + "\n";
  if (!s.model.steps.empty()) out += step_text(s.model.steps.back(), s.model.steps.size(), o);
  if (s.scores.empty()) return out;
  detail::TextTable table({"on the data it was fitted on", "before", "after"});
  table.right(1);
  table.right(2);
  for (const BeforeAfter& b : s.scores) table.add({b.key, number_or_dash(b.before), number_or_dash(b.after)});
  std::string words = "These are optimistic for the calibrator: evaluate it on other data";
  if (s.cross_fit && s.model.steps.back().method != "alpha") words += ", or with ⟦cross_fit⟧";
  return out + "\n" + table.render(o.colour, o.width) + "  " +
         detail::wrap(spell(words + ".", o.spelling), o.width - 2, "  ") + "\n";
}

std::string render_model(const CalibrationModel& m, const TerminalOptions& o) {
  std::string out = fmt::format("A calibrator for {}, fitted on {} by plumb {}.\n",
                                m.task == "multiclass" ? fmt::format("{} classes", m.classes)
                                : m.task == "binary"   ? "a binary task"
                                                       : "regression",
                                detail::printable(m.input, 40), detail::printable(m.version, 40));
  std::string names;
  for (const std::string& n : m.class_names) names += (names.empty() ? "" : ", ") + n;
  if (!names.empty()) out += detail::wrap("Classes: " + detail::printable(names), o.width, "  ") + "\n";
  for (std::size_t i = 0; i < m.steps.size(); ++i) out += "\n" + step_text(m.steps[i], i + 1, o);
  return out;
}

std::string render_methods(const std::vector<std::pair<std::string, std::string>>& lines,
                           const TerminalOptions& o) {
  detail::TextTable table({"calibrator", "what it does"});
  table.wrap_last();
  for (const auto& [method, line] : lines) table.add({method, line});
  return table.render(o.colour, o.width);
}

std::string render_calibrators(std::span<const CalibratorRow> rows, const TerminalOptions& o) {
  if (rows.empty()) return "";
  detail::TextTable table({"calibrator", "task", "what it does"});
  table.wrap_last();
  for (const CalibratorRow& r : rows)
    table.add({std::string(r.method), r.serves(2) ? r.serves(3) ? "any" : "binary" : "multiclass",
               spell(r.line, o.spelling)});
  return table.render(o.colour, o.width);
}

}  // namespace plumb
