// The confusion matrix: predicted against observed classes.
#include <algorithm>

#include <fmt/format.h>

#include "report/plots.hpp"

namespace plumb::detail {
namespace {

constexpr std::size_t kMostClassesDrawn = 20;

struct Confusion {
  std::string predicted, observed;
  double items = 0, share = 0;
};

std::vector<Confusion> cells_of(const Run& run) {
  std::vector<Confusion> out;
  const Json* table = rows(run, "confusion");
  if (table == nullptr) return out;
  for (const Json& row : *table) {
    const auto k = number(row, "predicted"), j = number(row, "observed"), items = number(row, "items");
    if (!k || !j || !items || *k < 0 || *j < 0) continue;
    out.push_back({class_name(run, static_cast<std::size_t>(*k)),
                   class_name(run, static_cast<std::size_t>(*j)), *items, number(row, "share").value_or(0)});
  }
  return out;
}

std::string largest_confusion(const std::vector<Confusion>& cells) {
  const Confusion* most = nullptr;
  for (const Confusion& c : cells)
    if (c.predicted != c.observed && c.items > 0 && (most == nullptr || c.items > most->items)) most = &c;
  if (most == nullptr) return "No item is assigned to a wrong class.";
  return fmt::format("The most frequent confusion is {} taken for {}: {:.3g} items, {} of {}.",
                     most->observed, most->predicted, most->items, percent(most->share), most->observed);
}

}  // namespace

void confusion_plots(const Runs& runs, Plots& out) {
  Json data = Json::array();
  std::vector<Choice> choices;
  std::vector<std::string> order;
  for (const Run& run : runs) {
    const auto classes = static_cast<std::size_t>(number(run.json, "classes").value_or(0));
    const std::vector<Confusion> cells = cells_of(run);
    if (cells.empty() || classes > kMostClassesDrawn) continue;
    if (order.empty())
      for (std::size_t k = 0; k < classes; ++k) order.push_back(class_name(run, k));
    for (const Confusion& c : cells)
      data.push_back({{"view", run.name},
                      {"predicted", c.predicted},
                      {"observed", c.observed},
                      {"items", c.items},
                      {"share", c.share}});
    choices.push_back({run.name, run.name, largest_confusion(cells)});
  }
  if (choices.empty()) return;
  Plot& plot = add_plot(
      out, std::move(data), {},
      {"confusion", "classes", "Confusion matrix", "",
       "Each row is an observed class, each column a predicted one (the most probable). A number is the share of the observed class, and a row adds up to 100%; the diagonal is right. With several raters an item counts for each class by the share of its votes.",
       "model", choices});
  for (const char* axis : {"x", "y"}) plot.spec["encoding"][axis]["sort"] = order;
}

void confusion_tables(const Runs& runs, std::vector<ReaderTable>& out) {
  for (const Run& run : runs) {
    if (number(run.json, "classes").value_or(0) <= kMostClassesDrawn) continue;
    const std::vector<Confusion> cells = cells_of(run);
    if (cells.empty()) continue;
    ReaderTable t{"classes",
                  runs.size() > 1 ? "Most frequent confusions: " + run.name : "Most frequent confusions",
                  largest_confusion(cells),
                  {"observed", "predicted", "items", "share of observed"}};
    for (const Confusion& c : cells) t.rows.push_back({c.observed, c.predicted, c.items, c.share});
    out.push_back(std::move(t));
  }
}

}  // namespace plumb::detail
