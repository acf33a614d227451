// Plots of single items, from the seeded sample that a result for a page carries.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "report/plots.hpp"

namespace plumb::detail {
namespace {

constexpr const char* kItemsSection = "items";
constexpr double kSure = 0.9;
constexpr std::size_t kMostLevels = 6;  // true probabilities with a histogram of their own
constexpr int kBins = 20;
constexpr std::size_t kMostBoxes = 12;

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
      parts.push_back(fmt::format("{} is at least {:.0f}% confident and yet wrong on {:.0f} of {:.0f} items",
                                  model_name(runs, run.name, true), 100 * kSure, sure_wrong, count));
  }
  if (data.empty()) return;
  std::vector<Choice> choices;
  for (const Run& run : runs)
    if (rows(run, "sample") != nullptr &&
        std::none_of(choices.begin(), choices.end(), [&](const Choice& c) { return c.value == run.name; }))
      choices.push_back({run.name, run.name, ""});
  for (std::size_t i = 0; i < choices.size() && i < parts.size(); ++i) choices[i].sentence = parts[i] + ".";
  add_plot(
      out, std::move(data), {},
      {"loss_scatter", kItemsSection, "Entropy and loss of single items", "",
       "A sample of the items: the entropy of the forecast against its loss. Uncertain items should be on the right. At the upper left the model was confident and wrong: look there for mislabelled items.",
       "model", choices});
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
      parts.push_back(fmt::format("{} misses the true probability by {} (root mean square)",
                                  model_name(runs, run.name, true), four_digit_number(std::sqrt(*mse))));
  add_plot(
      out, std::move(data), runs,
      {"truth_scatter", kItemsSection, "Forecast against the true probability", joined(parts),
       "In a simulation the true probability of each item is known. On the diagonal the forecast is exact; a cloud around it is calibrated but imprecise."});
}

struct Level {
  std::string label;
  double forecast = 0, truth = 0, items = 0;  // sums
  std::vector<double> bins = std::vector<double>(kBins);
};

/// By the true values themselves when they are few, otherwise in fifths.
std::map<double, Level> levels_of(const Json& sample) {
  std::set<double> distinct;
  for (const Json& row : sample)
    if (const auto truth = number(row, "truth")) distinct.insert(*truth);
  const bool few = distinct.size() <= kMostLevels;
  std::map<double, Level> out;
  for (const Json& row : sample) {
    const auto p = number(row, "p"), truth = number(row, "truth");
    if (!p || !truth) continue;
    const double low = few ? *truth : std::min(4.0, std::floor(5 * *truth)) / 5;
    Level& l = out[low];
    if (l.items == 0)
      l.label = few ? fmt::format("{:.4g}%", 100 * low)
                    : fmt::format("{:.0f} to {:.0f}%", 100 * low, 100 * low + 20);
    l.forecast += *p;
    l.truth += *truth;
    ++l.items;
    ++l.bins[static_cast<std::size_t>(std::clamp(std::floor(*p * kBins), 0.0, kBins - 1.0))];
  }
  return out;
}

// Liu 2022, Fig. 10.
void truth_histograms(const Runs& runs, Plots& out) {
  Json data = Json::array();
  std::vector<Choice> choices;
  for (const Run& run : runs) {
    const Json* sample = rows(run, "sample");
    if (sample == nullptr ||
        std::any_of(choices.begin(), choices.end(), [&](const Choice& c) { return c.value == run.name; }))
      continue;
    std::vector<std::string> parts;
    for (const auto& [low, l] : levels_of(*sample)) {
      parts.push_back(fmt::format("{} where the true probability is {}", percent(l.forecast / l.items),
                                  percent(l.truth / l.items)));
      for (std::size_t c = 0; c < l.bins.size(); ++c)
        data.push_back({{"model", run.name},
                        {"truth", l.label},
                        {"mean_truth", l.truth / l.items},
                        {"p", (c + 0.5) / kBins},
                        {"share", l.bins[c] / l.items}});
    }
    if (!parts.empty())
      choices.push_back({run.name, run.name,
                         fmt::format("The mean forecast{} is {}.", of_model(runs, run.name), listed(parts))});
  }
  if (choices.empty()) return;
  add_plot(
      out, std::move(data), {},
      {"truth_histograms", kItemsSection, "Forecasts by true probability", "",
       "One histogram for the items of each true probability; the dashed line is their mean truth. A good model has a narrow peak at each line. Overlapping peaks are items that it cannot tell apart; peaks at 0 and 1 are unjustified certainty.",
       "model", choices});
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
  if (by_slice.size() < 2) return;
  const std::size_t slices = by_slice.size();
  if (slices > kMostBoxes) {  // those with the most items
    std::vector<std::pair<std::size_t, std::string>> sizes;
    for (const auto& [name, p] : by_slice) sizes.emplace_back(p.size(), name);
    std::stable_sort(sizes.begin(), sizes.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t i = kMostBoxes; i < sizes.size(); ++i) by_slice.erase(sizes[i].second);
    Json kept = Json::array();
    for (Json& row : data)
      if (by_slice.contains(text(row, "slice"))) kept.push_back(std::move(row));
    data = std::move(kept);
  }
  std::vector<std::pair<double, std::string>> medians;
  for (auto& [name, p] : by_slice) {
    std::nth_element(p.begin(), p.begin() + p.size() / 2, p.end());
    medians.emplace_back(p[p.size() / 2], name);
  }
  std::sort(medians.begin(), medians.end());
  Plot& plot = add_plot(
      out, std::move(data), runs,
      {"slice_boxes", "slices", "Forecasts by slice",
       fmt::format("In the sample the median forecast ranges from {} ({}) to {} ({}).",
                   percent(medians.front().first), medians.front().second, percent(medians.back().first),
                   medians.back().second),
       "The box holds the middle half of the forecasts of a slice, the line in it is the median, and the whiskers show the rest except for outliers."});
  if (slices > kMostBoxes)
    plot.how += fmt::format(" Of {} slices the {} with the most items are shown.", slices, kMostBoxes);
}

}  // namespace

void item_plots(const Runs& runs, Plots& out) {
  slice_boxes(runs, out);
  loss_scatter(runs, out);
  truth_scatter(runs, out);
  truth_histograms(runs, out);
}

}  // namespace plumb::detail
