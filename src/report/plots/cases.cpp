// Case by case: the spread of each metric, and pictures of the worst cases.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "report/plots.hpp"

namespace plumb::detail {
namespace {

struct CaseKey {
  const char *key, *label;
  bool lower;  // is better
};
constexpr CaseKey kCaseKeys[] = {{"ece", "calibration error (ece)", true},
                                 {"brier", "Brier score", true},
                                 {"nll", "log-loss (nll)", true},
                                 {"ece_mass", "calibration error, equal-mass bins (ece_mass)", true},
                                 {"ece_kde", "kernel calibration error (ece_kde)", true},
                                 {"mce", "largest gap (mce)", true},
                                 {"accuracy", "accuracy", false},
                                 {"auroc", "ranking (auroc)", false}};

struct CaseValue {
  std::string name;
  double value = 0, items = 0;
};

std::vector<CaseValue> case_values(const Run& run, const char* key) {
  std::vector<CaseValue> out;
  const Json* list = look(run.json, {"per_case"});
  if (list == nullptr || !list->is_array()) return out;
  for (const Json& c : *list)
    if (const Json* metrics = look(c, {"metrics"}))
      if (const auto x = number(*metrics, key))
        out.push_back({text(c, "case"), *x, number(c, "items").value_or(0)});
  return out;
}

std::string spread_sentence(const std::string& of_model, const CaseKey& k, std::vector<CaseValue> values,
                            std::optional<double> pooled) {
  std::stable_sort(values.begin(), values.end(), [&](const CaseValue& a, const CaseValue& b) {
    return (a.value > b.value) == k.lower && a.value != b.value;
  });
  std::string out = fmt::format("The {}{} is worst for case {} ({}) and best for case {} ({})", k.label,
                                of_model, values.front().name, four_digit_number(values.front().value),
                                values.back().name, four_digit_number(values.back().value));
  return out +
         (pooled ? fmt::format("; over all voxels together it is {}.", four_digit_number(*pooled)) : ".");
}

std::string region_words(const std::string& name) {
  constexpr std::string_view kBandOf = "band_";
  if (name == "agree" || name == "disagree") return "where raters " + name;
  if (name == "band") return "within the band";
  if (name == "beyond_band") return "beyond the band";
  return name.starts_with(kBandOf) ? "within the band of " + name.substr(kBandOf.size()) : name;
}

/// "The calibration error of m is 0.01 where raters agree and 0.2 where raters disagree."
std::string region_sentence(const Run& run, const std::string& of_model) {
  std::vector<std::string> parts;
  const Json* regions = look(run.json, {"regions"});
  if (regions == nullptr) return "";
  for (const auto& [name, region] : regions->items())
    if (const Json* metrics = look(region, {"metrics"}))
      if (const auto x = number(*metrics, "ece"))
        parts.push_back(four_digit_number(*x) + " " + region_words(name));
  return parts.empty() ? "" : fmt::format("The calibration error (ece){} is {}.", of_model, listed(parts));
}

void region_plot(const Runs& runs, Plots& out) {
  Json data = Json::array();
  std::string sentence;
  for (const Run& run : runs) {
    const Json* rows = look(run.json, {"tables", "region_reliability"});
    if (rows == nullptr || !rows->is_array()) continue;
    std::map<std::string, double> weight;
    for (const Json& row : *rows) weight[text(row, "region")] += number(row, "weight").value_or(0);
    for (const Json& row : *rows) {
      if (!number(row, "mean_p")) continue;
      data.push_back({{"model", run.name},
                      {"region", region_words(text(row, "region"))},
                      {"mean_p", member(row, "mean_p")},
                      {"mean_y", member(row, "mean_y")},
                      {"votes", member(row, "votes")},
                      {"share", number(row, "weight").value_or(0) / weight[text(row, "region")]}});
    }
    const std::string own = region_sentence(run, of_model(runs, run.name));
    sentence += (sentence.empty() || own.empty() ? "" : " ") + own;
  }
  if (data.empty()) return;
  Plot& plot = add_plot(
      out, std::move(data), runs,
      {"region_reliability", "cases", "Reliability by region", sentence,
       "A point for each bin of a region; its size is the bin's share of the region's votes. Regions are selected by votes, so even a calibrated model is off the diagonal in them: use them to compare models or to see where errors come from."});
  if (runs.size() == 1) plot.spec["layer"].back()["encoding"].erase("shape");  // no legend of one model
}

}  // namespace

void case_plots(const Runs& runs, Plots& out) {
  region_plot(runs, out);
  Json data = Json::array();
  std::vector<Choice> choices;
  for (const CaseKey& k : kCaseKeys) {
    std::string sentence;
    for (const Run& run : runs) {
      const std::vector<CaseValue> values = case_values(run, k.key);
      if (values.size() < 2) continue;
      double sum = 0;
      for (const CaseValue& v : values) {
        sum += v.value;
        data.push_back({{"model", run.name},
                        {"view", k.key},
                        {"kind", "case"},
                        {"case", v.name},
                        {"value", v.value},
                        {"items", v.items}});
      }
      data.push_back({{"model", run.name},
                      {"view", k.key},
                      {"kind", "mean over cases"},
                      {"value", sum / static_cast<double>(values.size())}});
      const Json* metric = look(run.json, {"metrics", k.key});
      const auto pooled = metric != nullptr ? number(*metric, "value") : std::nullopt;
      if (pooled)
        data.push_back({{"model", run.name}, {"view", k.key}, {"kind", "all voxels"}, {"value", *pooled}});
      sentence +=
          (sentence.empty() ? "" : " ") + spread_sentence(of_model(runs, run.name), k, values, pooled);
    }
    if (!sentence.empty()) choices.push_back({k.key, k.label, sentence});
  }
  if (choices.empty()) return;
  add_plot(
      out, std::move(data), runs,
      {"case_strip", "cases", "Metrics by case", "",
       "Each line is a case; point at it to see its name. The diamond is the mean over cases, and the triangle is the value over all voxels together. Calibration errors of single cases are larger than that of all voxels even for a calibrated model, because fewer voxels make them larger by chance.",
       "metric", choices});
}

void case_tables(const Runs& runs, std::vector<ReaderTable>& out) {
  for (const Run& run : runs) {
    const Json* list = look(run.json, {"worst_cases"});
    if (list == nullptr || !list->is_array() || list->empty()) continue;
    const std::string key = text(list->front(), "metric");
    ReaderTable t{
        "cases",
        several_models(runs) ? "Worst cases: " + run.name : "Worst cases",
        "Left: the probability of the foreground, with the outline of each rater. Right: orange where the model's confidence is above the share of raters who agree with it, blue where it is below. The slice shown is the one in which they differ most.",
        {"picture", "case", key, "slice"}};
    t.picture = 0;
    t.wide = true;
    for (const Json& c : *list)
      t.rows.push_back(Json::array({member(c, "image"), member(c, "case"), member(c, "value"),
                                    fmt::format("{:.0f} of {:.0f}", number(c, "slice").value_or(0) + 1,
                                                number(c, "slices").value_or(1))}));
    out.push_back(std::move(t));
  }
}

}  // namespace plumb::detail
