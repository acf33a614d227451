// The metrics by slice.
#include <algorithm>

#include <fmt/format.h>

#include "report/plots.hpp"

namespace plumb::detail {
namespace {

constexpr std::size_t kMaxSlices = 40;
struct SliceKey {
  const char *key, *label;
  bool lower;  // is better
};
constexpr SliceKey kSliceKeys[] = {
    {"ece", "calibration error (ece)", true}, {"accuracy", "accuracy", false},
    {"nll", "log-loss (nll)", true},          {"brier", "Brier score", true},
    {"auroc", "ranking (auroc)", false},      {"mse", "mean squared error", true},
    {"uce", "uncertainty error (uce)", true}};

struct Worst {
  std::string group, model;
  double worst = 0, best = 0;
};

std::string meaning(const Runs& runs, const Worst& w, const SliceKey& k) {
  return fmt::format("The {}{} is worst for {} ({}); for the best slice it is {}.", k.label,
                     of_model(runs, w.model), w.group, four_digit_number(w.worst), four_digit_number(w.best));
}

/// With several ways to slice, also which of them it is.
bool several_ways(const Run& run) {
  const Json* groups = look(run.json, {"per_group"});
  return groups != nullptr && !groups->empty() && text(groups->front(), "by") != text(groups->back(), "by");
}

std::string slice_name(const Run& run, const Json& group) {
  return (several_ways(run) ? text(group, "by") + ": " : "") + text(group, "group");
}

Json slice_row(const Run& run, const SliceKey& k, const Json& group, double value) {
  Json out{{"model", run.name},
           {"view", k.key},
           {"slice", slice_name(run, group)},
           {"value", value},
           {"items", number(group, "items").value_or(0)}};
  if (const Json* i = look(group, {"intervals", k.key}))
    for (const char* end : {"low", "high", "simultaneous_low", "simultaneous_high"})
      if (const auto x = number(*i, end)) out[end] = *x;
  return out;
}

}  // namespace

void slice_plots(const Runs& runs, Plots& out) {
  Json data = Json::array();
  std::vector<Choice> choices;
  std::size_t cut = 0, slices = 0;
  for (const SliceKey& k : kSliceKeys) {
    Worst w;
    bool first = true;
    for (const Run& run : runs) {
      const Json* groups = look(run.json, {"per_group"});
      if (groups == nullptr || !groups->is_array() || groups->size() < 2) continue;
      slices = std::max(slices, groups->size());
      std::vector<std::pair<double, const Json*>> found;
      for (const Json& g : *groups)
        if (const Json* metrics = look(g, {"metrics"}))
          if (const auto x = number(*metrics, k.key)) found.emplace_back(*x, &g);
      if (found.empty()) continue;
      std::stable_sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
        return k.lower ? a.first > b.first : a.first < b.first;
      });
      if (first)
        w = {slice_name(run, *found.front().second), run.name, found.front().first, found.back().first};
      first = false;
      if (found.size() > kMaxSlices) {
        cut = found.size();
        found.resize(kMaxSlices);
      }
      for (const auto& [x, g] : found) data.push_back(slice_row(run, k, *g, x));
    }
    if (!first) choices.push_back({k.key, k.label, meaning(runs, w, k)});
  }
  if (choices.empty()) return;
  Plot& plot = add_plot(
      out, std::move(data), runs,
      {"slices", "slices", "Metrics by slice", "",
       "One line for each slice, worst first. A model that is right on average can be wrong for one site, and the average hides it. Small slices vary by chance.",
       "metric", choices});
  const bool drawn = std::any_of(plot.spec["datasets"]["rows"].begin(), plot.spec["datasets"]["rows"].end(),
                                 [](const Json& row) { return row.contains("low"); });
  if (!drawn)
    plot.spec["layer"].erase(plot.spec["layer"].begin(), plot.spec["layer"].end() - 1);  // their bars
  if (drawn)
    plot.how += fmt::format(
        " The thick bars are intervals of one slice each; with {} slices some of them may miss by chance. The thin bars hold for all slices of a metric at once (Bonferroni).",
        slices);
  if (cut > 0) plot.how += fmt::format(" Of {} slices the worst {} are shown.", cut, kMaxSlices);
}

}  // namespace plumb::detail
