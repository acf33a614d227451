#include "report/plots.hpp"

#include <array>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "plumb/data/check.hpp"
#include "report/json_text.hpp"
#include "report/spec_text.hpp"

namespace plumb {
namespace detail {
namespace {

// The page replaces them with the colours of its theme, figures with a palette for any colour vision.
constexpr std::array kPalette{"#0b6e99", "#c2410c", "#4d7c0f", "#86198f", "#a16207", "#334155"};

// A model has the same colour in all plots.
Json model_scale(const Runs& runs, const Json& rows) {
  std::set<std::string> present;
  for (const Json& row : rows) present.insert(text(row, "model"));
  Json scale{{"domain", Json::array()}, {"range", Json::array()}};
  std::set<std::string> seen;
  for (const Run& run : runs) {
    if (!seen.insert(run.name).second || !present.contains(run.name)) continue;
    scale["domain"].push_back(run.name);
    scale["range"].push_back(kPalette[(seen.size() - 1) % kPalette.size()]);
  }
  return scale;
}

void colour_models(Json& spec, const Json& scale) {
  if (!spec.is_structured()) return;
  for (auto it = spec.begin(); it != spec.end(); ++it) {
    if (spec.is_object() && it.key() == "color" && text(*it, "field") == "model") {
      (*it)["scale"] = scale;
      if (scale["domain"].size() < 2) (*it)["legend"] = nullptr;
    }
    colour_models(*it, scale);
  }
}

}  // namespace

Plots make_plots(const Runs& runs) {
  Plots out;
  calibration_plots(runs, out);
  regression_plots(runs, out);
  corp_plots(runs, out);
  decision_plots(runs, out);
  confusion_plots(runs, out);
  audit_plots(runs, out);
  slice_plots(runs, out);
  case_plots(runs, out);
  rater_plots(runs, out);
  stability_plots(runs, out);
  uncertainty_plots(runs, out);
  item_plots(runs, out);
  training_plots(runs, out);
  return out;
}

Plot& add_plot(Plots& out, Json rows, const Runs& runs, Plot plot) {
  const std::string_view source = spec_text(plot.name);
  if (source.empty()) throw std::logic_error("there is no spec " + plot.name);
  plot.spec = Json::parse(source);
  if (!runs.empty()) colour_models(plot.spec, model_scale(runs, rows));
  plot.spec["datasets"]["rows"] = std::move(rows);
  if (!plot.choices.empty()) {
    plot.spec["params"][0]["value"] = plot.choices.front().value;
    if (plot.sentence.empty()) plot.sentence = plot.choices.front().sentence;
  }
  return out.emplace_back(std::move(plot));
}

void add_choice(std::vector<Choice>& choices, const std::string& name, const std::string& sentence) {
  for (Choice& c : choices)
    if (c.value == name) {
      c.sentence += " " + sentence;
      return;
    }
  choices.push_back({name, name, sentence});
}

double total_weight(const Json& rows) {
  double sum = 0;
  for (const Json& row : rows) sum += number(row, "weight").value_or(0);
  return sum;
}

std::string percent(double share) { return fmt::format("{:.1f}%", 100 * share); }
std::string points(double share) { return fmt::format("{:.1f} points", 100 * share); }
std::string four_digit_number(double x) {
  const double size = x < 0 ? -x : x;
  return size != 0 && (size < 1e-3 || size >= 1e5) ? fmt::format("{:.2e}", x) : fmt::format("{:.4f}", x);
}

std::string listed(const std::vector<std::string>& parts) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i)
    out += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return out;
}

std::string joined(const std::vector<std::string>& clauses, const char* between) {
  std::string out;
  for (const std::string& c : clauses) out += (out.empty() ? "" : between) + c;
  return out.empty() ? out : out + ".";
}

}  // namespace detail

std::vector<std::string> plot_names() { return detail::spec_names(); }

std::vector<PlotFile> render_plots(std::span<const NamedResult> results) {
  std::vector<PlotFile> out;
  try {
    for (detail::Plot& plot : detail::make_plots(detail::read_runs(results))) {
      plot.spec["title"] = plot.title;
      plot.spec["description"] = plot.sentence;
      PlotFile file{plot.name, detail::json_text(plot.spec), plot.title, plot.picker, {}};
      if (plot.choices.size() > 1 || plot.picker == "metric" || plot.picker == "measure")
        for (const detail::Choice& c : plot.choices) file.views.push_back({c.value, c.label});
      out.push_back(std::move(file));
    }
  } catch (const detail::Json::exception& e) {
    throw InputError(std::string("a result is not in the form that plumb writes (") + e.what() +
                     "); write it again with ⟦json⟧");
  }
  return out;
}

const PlotView* shown_view(const PlotFile& plot, const std::string& given, const std::string& asked) {
  if (given.empty()) return plot.views.empty() || plot.view == "class" ? nullptr : &plot.views.front();
  std::vector<std::string> known, shown;
  for (const PlotView& v : plot.views) {
    if (v.value == given || v.label == given) return &v;
    known.insert(known.end(), {v.value, v.label});
    shown.push_back(plot.view == "class" ? v.label : v.value);
  }
  if (known.empty()) throw InputError(asked + "this plot has one view only; write " + plot.name);
  const std::string nearest = did_you_mean(given, known);
  if (shown.size() > 10) shown.resize(10);
  throw InputError(asked + "there is no " + plot.view + " of this name" + nearest + "; there are " +
                   separated(shown) + (plot.views.size() > shown.size() ? " and others" : ""));
}

}  // namespace plumb
