// Plots of single items, from the seeded sample that --report puts into a result.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "report/plots.hpp"

namespace plumb::detail {
namespace {

constexpr const char* kSection = "items";
constexpr double kSure = 0.9;

// Finlay 2022, Fig. 1.
void loss_scatter(const Runs& runs, Plots& out) {
  Json data = Json::array();
  std::vector<std::string> parts;
  for (const Run& run : runs) {
    const Json* sample = rows(run, "sample");
    if (sample == nullptr) continue;
    double sure_wrong = 0, count = 0;
    for (const Json& row : *sample) {
      const auto entropy = number(row, "entropy"), loss = number(row, "loss"), top = number(row, "top_p");
      const Json* correct = look(row, {"correct"});
      if (!entropy || !loss || correct == nullptr) continue;
      const bool right = correct->is_boolean() && correct->get<bool>();
      data.push_back({{"model", run.name},
                      {"item", member(row, "item")},
                      {"entropy", *entropy},
                      {"loss", *loss},
                      {"answer", right ? "right" : "wrong"}});
      ++count;
      sure_wrong += top.value_or(0) >= kSure && !right ? 1 : 0;
    }
    if (count > 0)
      parts.push_back(fmt::format("{} is wrong though at least {:.0f}% sure on {:.0f} of {:.0f} items",
                                  run.name, 100 * kSure, sure_wrong, count));
  }
  if (data.empty()) return;
  std::vector<Choice> choices;
  for (const Run& run : runs)
    if (rows(run, "sample") != nullptr &&
        std::none_of(choices.begin(), choices.end(), [&](const Choice& c) { return c.value == run.name; }))
      choices.push_back({run.name, run.name, ""});
  for (std::size_t i = 0; i < choices.size() && i < parts.size(); ++i) choices[i].sentence = parts[i] + ".";
  Plot plot{.name = "loss_scatter",
            .section = kSection,
            .title = "Doubt against loss",
            .sentence = choices.front().sentence,
            .how =
                "A sample of the items: the entropy of the forecast against its loss. Doubtful items belong "
                "to the right. "
                "The upper left is where the model was sure and wrong: look there for mislabelled items.",
            .picker = "model",
            .choices = choices};
  plot.spec = bind_spec(plot.name, std::move(data));
  plot.spec["params"][0]["value"] = choices.front().value;
  out.push_back(std::move(plot));
}

// Liu 2022, Fig. 4.
void truth_scatter(const Runs& runs, Plots& out) {
  Json data = Json::array();
  for (const Run& run : runs)
    if (const Json* sample = rows(run, "sample"))
      for (const Json& row : *sample)
        if (const auto p = number(row, "p"), truth = number(row, "truth"); p && truth)
          data.push_back({{"model", run.name}, {"p", *p}, {"truth", *truth}});
  if (data.empty()) return;
  std::vector<std::string> parts;
  for (const Run& run : runs)
    if (const auto mse = metric(run, "mse_p"))
      parts.push_back(fmt::format("{} misses the true probability by {} (root mean square)", run.name,
                                  shown(std::sqrt(*mse))));
  Plot plot{.name = "truth_scatter",
            .section = kSection,
            .title = "Forecast against the true probability",
            .sentence = joined(parts),
            .how =
                "Only a simulation knows the true probability of each item. On the diagonal the forecast is "
                "exact; a cloud along "
                "it is calibrated but blurred."};
  plot.spec = bind_spec(plot.name, std::move(data), runs);
  out.push_back(std::move(plot));
}

// Liu 2022, Fig. 16.
void slice_boxes(const Runs& runs, Plots& out) {
  Json data = Json::array();
  std::map<std::string, std::vector<double>> by_slice;
  for (const Run& run : runs)
    if (const Json* sample = rows(run, "sample"))
      for (const Json& row : *sample)
        if (const auto p = number(row, "p"); p && !text(row, "slice").empty()) {
          data.push_back({{"model", run.name}, {"slice", text(row, "slice")}, {"p", *p}});
          by_slice[text(row, "slice")].push_back(*p);
        }
  if (by_slice.size() < 2 || by_slice.size() > 40) return;
  std::vector<std::pair<double, std::string>> medians;
  for (auto& [name, p] : by_slice) {
    std::nth_element(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(p.size() / 2), p.end());
    medians.emplace_back(p[p.size() / 2], name);
  }
  std::sort(medians.begin(), medians.end());
  Plot plot{.name = "slice_boxes",
            .section = "slices",
            .title = "Forecasts by slice",
            .sentence = fmt::format("In the sample the median forecast runs from {} ({}) to {} ({}).",
                                    percent(medians.front().first), medians.front().second,
                                    percent(medians.back().first), medians.back().second),
            .how =
                "The box holds the middle half of the forecasts of a slice, the line in it the median, the "
                "whiskers the rest but for "
                "outliers."};
  plot.spec = bind_spec(plot.name, std::move(data), runs);
  out.push_back(std::move(plot));
}

}  // namespace

void item_plots(const Runs& runs, Plots& out) {
  slice_boxes(runs, out);
  loss_scatter(runs, out);
  truth_scatter(runs, out);
}

}  // namespace plumb::detail
