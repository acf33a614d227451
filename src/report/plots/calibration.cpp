// Reliability diagram, histogram of forecasts, error by class.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/paragraphs.hpp"
#include "report/plots.hpp"
#include "report/words.hpp"

namespace plumb::detail {
namespace {

constexpr std::size_t kMaxClasses = 40;  // class tables in one page; those with the largest error
constexpr const char* kEvent = "event";

struct Means {
  double weight = 0, forecast = 0, outcome = 0;  // sums, weighted as the bins are
};

Means means(const Json& bins) {
  Means m{.weight = total_weight(bins)};
  for (const Json& row : bins) {
    const auto p = number(row, "mean_p"), y = number(row, "mean_y"), w = number(row, "weight");
    if (!p || !y || !w) continue;
    m.forecast += *w * *p / m.weight;
    m.outcome += *w * *y / m.weight;
  }
  return m;
}

/// A description of the bins, without claims about chance.
std::string meaning(const Runs& runs, const std::vector<std::pair<std::string, const Json*>>& tables) {
  std::vector<std::string> parts;
  for (const auto& [name, bins] : tables) {
    const Means m = means(*bins);
    if (!(m.weight > 0)) continue;
    parts.push_back(fmt::format("{}{}he mean forecast is {} and the observed frequency is {}",
                                model_prefix(runs, name), several_models(runs) ? "t" : "T",
                                percent(m.forecast), percent(m.outcome)));
  }
  return joined(parts);
}

/// In the same words as beside the verdict.
std::string event_meaning(const Runs& runs) {
  std::string out;
  for (const Run& run : runs) {
    if (rows(run, "reliability") == nullptr) continue;
    const std::string one = mean_words(to_result(run)).text;
    if (!one.empty()) out += (out.empty() ? "" : " ") + model_prefix(runs, run.name) + one;
  }
  return out;
}

void add_bin_rows(Json& out, const Json& bins, const std::string& model, const std::string& view) {
  const double weight = total_weight(bins);
  int bin = 0;
  for (const Json& row : bins) {
    ++bin;
    const auto w = number(row, "weight");
    if (!w || !(*w > 0)) continue;  // an empty bin
    Json r{{"model", model}, {"view", view}, {"cell", bin}, {"share", *w / weight}};
    for (const char* key :
         {"low", "high", "mean_p", "mean_y", "gap", "items", "votes", "band_low", "band_high"})
      if (const auto it = row.find(key); it != row.end() && !it->is_null()) r[key] = *it;
    // A band from few items can leave [0, 1].
    for (const char* key : {"band_low", "band_high"})
      if (const auto x = number(r, key)) r[key] = std::clamp(*x, 0.0, 1.0);
    out.push_back(std::move(r));
  }
}

Json curves(const Runs& runs) {
  Json out = Json::array();
  for (const Run& run : runs) {
    const Json* curve = rows(run, "reliability_kde");
    if (curve == nullptr) curve = rows(run, "reliability_smooth");
    if (curve == nullptr) continue;
    // The curve is meaningless where there are no forecasts. At 0 and 1 it is the mean of the votes at that
    // end alone (docs/metrics/ece_kde.md), to which a smooth line would jump.
    double peak = 0;
    for (const Json& row : *curve) peak = std::max(peak, number(row, "density").value_or(0));
    for (const Json& row : *curve) {
      const auto p = number(row, "p"), y = number(row, "estimate"), density = number(row, "density");
      if (!p || !y || *p <= 0 || *p >= 1 || density.value_or(0) < 0.002 * peak) continue;
      out.push_back({{"model", run.name}, {"view", kEvent}, {"p", *p}, {"estimate", *y}});
    }
  }
  return out;
}

/// One line per model in the figure itself, so that a copied figure keeps its numbers.
Json statistics(const Runs& runs) {
  Json out = Json::array();
  for (const Run& run : runs) {
    if (rows(run, "reliability") == nullptr) continue;
    std::string line;
    if (const Json* ece = look(run.json, {"metrics", "ece"}); ece != nullptr && number(*ece, "value")) {
      line = fmt::format("ECE {:.3f}", *number(*ece, "value"));
      const auto low = number(*ece, "low"), high = number(*ece, "high");
      if (low && high) line += fmt::format(" [{:.3f}, {:.3f}]", *low, *high);
    }
    if (const auto slope = metric(run, "calibration_slope"))
      line += fmt::format("{}slope {:.2f}", line.empty() ? "" : ", ", *slope);
    if (const auto items = number(run.json, "items"))
      line += fmt::format("{}{} {}", line.empty() ? "" : ", ", thousands(static_cast<std::int64_t>(*items)),
                          look(run.json, {"per_case"}) != nullptr ? "voxels" : "items");
    out.push_back({{"model", run.name}, {"view", kEvent}, {"y", 0.97 - 0.055 * out.size()}, {"text", line}});
  }
  return out;
}

// The classes whose tables are shown: all of them, or those with the largest error in the first run that
// has it.
std::vector<std::size_t> classes_shown(const Runs& runs) {
  std::size_t count = 0;
  const Json* errors = nullptr;
  for (const Run& run : runs) {
    std::size_t k = 0;
    while (rows(run, fmt::format("reliability_class_{}", k)) != nullptr) ++k;
    count = std::max(count, k);
    if (errors == nullptr) errors = look(run.json, {"per_class", "ece_classwise"});
  }
  std::vector<std::size_t> out(count);
  for (std::size_t k = 0; k < count; ++k) out[k] = k;
  if (count <= kMaxClasses) return out;
  const auto error = [&](std::size_t k) {
    return errors != nullptr && k < errors->size() && (*errors)[k].is_number() ? (*errors)[k].get<double>()
                                                                               : -1.0;
  };
  std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) { return error(a) > error(b); });
  out.resize(kMaxClasses);
  std::sort(out.begin(), out.end());
  return out;
}

std::string event_name(const Runs& runs) {
  for (const Run& run : runs) {
    if (rows(run, "reliability") == nullptr) continue;
    return text(run.json, "task") == "binary" ? class_name(run, 1) : "most probable class";
  }
  return "";
}

std::string histogram_meaning(const Runs& runs,
                              const std::vector<std::pair<std::string, const Json*>>& tables) {
  std::vector<std::string> parts;
  for (const auto& [name, bins] : tables) {
    double weight = 0, most = 0;
    const Json* fullest = nullptr;
    for (const Json& row : *bins) {
      const double w = number(row, "weight").value_or(0);
      weight += w;
      if (w > most) {
        most = w;
        fullest = &row;
      }
    }
    if (fullest == nullptr) continue;
    parts.push_back(fmt::format("{} of the forecasts{} lie between {} and {}", percent(most / weight),
                                of_model(runs, name), percent(number(*fullest, "low").value_or(0)),
                                percent(number(*fullest, "high").value_or(1))));
  }
  return joined(parts);
}

void class_errors(const Runs& runs, Plots& out) {
  struct Row {
    std::string model, name;
    double error;
  };
  std::vector<Row> all;
  for (const Run& run : runs) {
    const Json* errors = look(run.json, {"per_class", "ece_classwise"});
    if (errors == nullptr || !errors->is_array() || errors->size() < 3) continue;
    for (std::size_t k = 0; k < errors->size(); ++k)
      if ((*errors)[k].is_number()) all.push_back({run.name, class_name(run, k), (*errors)[k].get<double>()});
  }
  if (all.empty()) return;
  std::stable_sort(all.begin(), all.end(), [](const Row& a, const Row& b) { return a.error > b.error; });
  const std::string first = runs.front().name;
  std::vector<std::string> order;
  for (const Row& r : all)
    if (std::find(order.begin(), order.end(), r.name) == order.end()) order.push_back(r.name);
  const std::size_t classes = order.size();
  if (order.size() > kMaxClasses) order.resize(kMaxClasses);
  Json data = Json::array();
  for (const Row& r : all)
    if (std::find(order.begin(), order.end(), r.name) != order.end())
      data.push_back({{"model", r.model}, {"class", r.name}, {"error", r.error}});
  Plot& plot = add_plot(
      out, std::move(data), runs,
      {"class_errors", "calibration", "Calibration error by class",
       fmt::format("The class with the largest error is {}{}: {}. The median over {} classes{} is {}.",
                   all.front().name, several_models(runs) ? " (" + all.front().model + ")" : "",
                   points(all.front().error), classes, several_models(runs) ? " and all models" : "",
                   points(all[all.size() / 2].error)),
       "Each dot is one class against the rest: the mean gap between its forecasts and its frequency. Smaller is better."});
  if (classes > order.size())
    plot.how += fmt::format(" Of {} classes the {} with the largest error are shown.", classes, order.size());
}

}  // namespace

void calibration_plots(const Runs& runs, Plots& out) {
  const auto tables_of = [&](const std::string& table) {
    std::vector<std::pair<std::string, const Json*>> tables;
    for (const Run& run : runs)
      if (const Json* bins = rows(run, table)) tables.emplace_back(run.name, bins);
    return tables;
  };
  const auto events = tables_of("reliability");
  if (events.empty()) return;
  Json bins = Json::array();
  std::vector<Choice> reliability{{kEvent, event_name(runs), event_meaning(runs)}};
  std::vector<Choice> histogram{{kEvent, event_name(runs), histogram_meaning(runs, events)}};
  for (const auto& [name, table] : events) add_bin_rows(bins, *table, name, kEvent);
  const Run* named = &runs.front();
  for (const Run& run : runs)
    if (const Json* names = look(run.json, {"class_names"}); names != nullptr && !names->empty())
      named = &run;
  for (const std::size_t k : classes_shown(runs)) {
    const auto tables = tables_of(fmt::format("reliability_class_{}", k));
    const std::string view = fmt::format("{}", k);
    for (const auto& [name, table] : tables) add_bin_rows(bins, *table, name, view);
    reliability.push_back({view, class_name(*named, k), meaning(runs, tables)});
    histogram.push_back({view, class_name(*named, k), histogram_meaning(runs, tables)});
  }
  if (reliability.size() == 2 && text(runs.front().json, "task") == "binary") reliability.resize(1);
  histogram.resize(reliability.size());

  Plot& diagram = add_plot(
      out, bins, runs,
      {"reliability", "calibration", "Reliability diagram", "",
       "Forecasts are sorted into bins. A dot shows how often the event happened in its bin, and its area how many votes the bin holds. On the diagonal, forecasts and frequencies agree; below it, forecasts are too high. The shaded bars show where the dots of a calibrated model would fall by chance; the line is a kernel estimate that does not depend on the bins.",
       "class", reliability});
  diagram.spec["datasets"]["curve"] = curves(runs);
  diagram.spec["datasets"]["statistics"] = statistics(runs);

  add_plot(
      out, std::move(bins), runs,
      {"confidence", "calibration", "Distribution of the forecasts", "",
       "The share of votes whose forecast falls into each bin. A confident model has most of its mass near 0 and 1; the reliability diagram shows whether that confidence is earned.",
       "class", histogram});
  class_errors(runs, out);
}

}  // namespace plumb::detail
