// How an estimate moves as the test set shrinks (Riera-Marin 2025, Fig. 1 and 3), and what a
// precision would take.
#include <fmt/format.h>

#include <algorithm>

#include "report/plots.hpp"

namespace plumb::detail {
namespace {

constexpr const char* kStabilitySection = "stability";

void put_curve(Json& out, const Json& curve, const std::string& model, const std::string& view,
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

std::string meaning(const Json& estimator, const std::string& key, const std::string& model) {
  const Json* ratio = look(estimator, {"ratio"});
  const auto value = ratio != nullptr ? number(*ratio, "value") : std::nullopt;
  if (!value) return fmt::format("{} of {} as the test set grows.", key, model);
  const double se = number(*ratio, "se").value_or(0);
  const std::string verdict = *value - 2 * se > 1   ? "using all votes makes it more stable"
                              : *value + 2 * se < 1 ? "using all votes makes it less stable"
                                                    : "all votes and one label are equally stable";
  return fmt::format(
      "For {} of {}, {}: with one label it varies {:.2f} times as much (standard error {:.2f}).", key, model,
      verdict, *value, se);
}

void curves(const Runs& runs, Plots& out) {
  Json data = Json::array();
  std::vector<Choice> choices;
  for (const Run& run : runs) {
    const Json* section = look(run.json, {"stability"});
    if (section == nullptr || !section->is_object()) continue;
    for (const auto& [key, e] : section->items()) {
      if (const Json* multi = look(e, {"multi"})) put_curve(data, *multi, run.name, key, "all votes");
      if (const Json* single = look(e, {"single"})) put_curve(data, *single, run.name, key, "one label");
      add_choice(choices, key, meaning(e, key, run.name));
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
      else {  // the fewest and the most are said
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

}  // namespace

void stability_plots(const Runs& runs, Plots& out) {
  curves(runs, out);
  precision(runs, out);
}

}  // namespace plumb::detail
