// How an estimate changes as the test set shrinks (Riera-Marin 2025, Fig. 1 and 3), and the size that a
// precision requires.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/plots.hpp"

namespace plumb::detail {
namespace {

constexpr const char* kStabilitySection = "stability";

void add_curve_rows(Json& out, const Json& curve, const std::string& model, const std::string& view,
                    const char* labels) {
  const Json *fractions = look(curve, {"fractions"}), *mean = look(curve, {"mean"}),
             *sd = look(curve, {"sd"});
  if (fractions == nullptr || mean == nullptr || sd == nullptr) return;
  for (std::size_t i = 0; i < std::min({fractions->size(), mean->size(), sd->size()}); ++i) {
    const auto m = (*mean)[i].get<double>(), s = (*sd)[i].get<double>();
    out.push_back({{"model", model},
                   {"view", view},
                   {"labels", labels},
                   {"fraction", (*fractions)[i]},
                   {"mean", m},
                   {"low", m - s},
                   {"high", m + s}});
  }
}

std::string meaning(const Json& estimator, const std::string& key, const std::string& of_model) {
  const Json* ratio = look(estimator, {"ratio"});
  const auto value = ratio != nullptr ? number(*ratio, "value") : std::nullopt;
  if (!value) return fmt::format("{}{} as the test set grows.", key, of_model);
  const double se = number(*ratio, "se").value_or(0);
  const std::string verdict = *value - 2 * se > 1   ? "using all votes makes it more stable"
                              : *value + 2 * se < 1 ? "using all votes makes it less stable"
                                                    : "all votes and one label are equally stable";
  return fmt::format("For {}{}, {}: with one label it varies {:.2f} times as much (standard error {:.2f}).",
                     key, of_model, verdict, *value, se);
}

void curves(const Runs& runs, Plots& out) {
  Json data = Json::array();
  std::vector<Choice> choices;
  for (const Run& run : runs) {
    const Json* section = look(run.json, {"stability"});
    if (section == nullptr || !section->is_object()) continue;
    for (const auto& [key, e] : section->items()) {
      if (const Json* multi = look(e, {"multi"})) add_curve_rows(data, *multi, run.name, key, "all votes");
      if (const Json* single = look(e, {"single"})) add_curve_rows(data, *single, run.name, key, "one label");
      add_choice(choices, key, meaning(e, key, of_model(runs, run.name)));
    }
  }
  if (data.empty()) return;
  add_plot(
      out, std::move(data), {},
      {"stability", kStabilitySection, "Estimate by size of the test set", "",
       "The estimate on growing parts of the test set: the mean over repeats, and one standard deviation on either side. If the ribbon is flat and narrow, fewer items would do.",
       "metric", choices});
}

void precision(const Runs& runs, Plots& out) {
  Json data = Json::array();
  std::vector<Choice> choices;
  for (const Run& run : runs) {
    const Json* table = rows(run, "precision");
    if (table == nullptr) continue;
    for (const Json& row : *table) {
      const auto raters = number(row, "raters"), se = number(row, "se");
      if (!raters || !se) continue;
      const std::string key = text(row, "metric");
      data.push_back({{"model", run.name}, {"view", key}, {"raters", *raters}, {"se", *se}});
      if (choices.empty() || choices.back().value != key)
        choices.push_back({key, key,
                           fmt::format("With {} per item the standard error of {} is {}",
                                       *raters == 1 ? "one vote" : fmt::format("{:.0f} votes", *raters), key,
                                       four_digit_number(*se))});
      else {  // the sentence has the fewest and the most
        std::string& s = choices.back().sentence;
        s = s.substr(0, s.find(';')) + fmt::format("; with {:.0f} it is {}", *raters, four_digit_number(*se));
      }
    }
  }
  if (data.empty()) return;
  for (Choice& c : choices) c.sentence += ".";
  add_plot(
      out, std::move(data), runs,
      {"precision", kStabilitySection, "Standard error by votes per item", "",
       "The standard error of the estimate on this test set with at most so many votes per item. Where the line is flat, more items help and more raters do not.",
       "metric", choices});
}

/// Riera-Marin 2025: the total variation within each image, a point for each.
void within_cases(const Runs& runs, Plots& out) {
  Json data = Json::array();
  struct Tally {
    int cases = 0, less = 0;
    double most = 0;
  };
  std::map<std::string, Tally> tallies;
  std::vector<Choice> choices;
  for (const Run& run : runs) {
    const Json* table = rows(run, "within_cases");
    if (table == nullptr) continue;
    for (const Json& row : *table) {
      const auto multi = number(row, "multi_tv"), single = number(row, "single_tv");
      if (!multi || !single) continue;
      const std::string key = text(row, "metric");
      Tally& t = tallies[key];
      if (t.cases++ == 0) add_choice(choices, key, "");
      t.less += *multi < *single ? 1 : 0;
      t.most = std::max({t.most, *multi, *single});
      data.push_back({{"model", run.name},
                      {"view", key},
                      {"case", text(row, "case")},
                      {"multi", *multi},
                      {"single", *single}});
    }
  }
  if (data.empty()) return;
  for (Choice& c : choices) {
    const Tally& t = tallies[c.value];
    c.sentence = fmt::format("{} varies less with all votes than with one label in {} of {} cases.", c.value,
                             t.less, t.cases);
    for (const double end : {0.0, t.most})
      data.push_back({{"view", c.value}, {"kind", "equal"}, {"multi", end}, {"single", end}});
  }
  add_plot(
      out, std::move(data), runs,
      {"within_cases", kStabilitySection, "Total variation within each case", "",
       "A point for each case: how much the estimate changes along growing parts of its voxels, with all votes and with one label. Above the dashed line all votes give the more stable estimate.",
       "metric", choices});
}

}  // namespace

void stability_plots(const Runs& runs, Plots& out) {
  curves(runs, out);
  within_cases(runs, out);
  precision(runs, out);
}

}  // namespace plumb::detail
