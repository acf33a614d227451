// Predicted against observed error, intervals, rejection, shift (Laves 2021, Fig. 1, 6, 7, 8).
#include <algorithm>

#include <fmt/format.h>

#include "report/plots.hpp"

namespace plumb::detail {
namespace {

constexpr const char* kRegressionSection = "regression";
constexpr double kRejected = 0.2;

void reliability(const Runs& runs, Plots& out) {
  Json data = Json::array();
  double least = 0, reach = 0;
  std::vector<std::string> parts;
  for (const Run& run : runs) {
    const Json* bins = rows(run, "uncertainty_reliability");
    if (bins == nullptr) continue;
    const double weight = total_weight(*bins);
    double expected = 0, observed = 0;
    for (const Json& row : *bins) {
      const auto u = number(row, "mean_uncertainty"), e = number(row, "mean_error");
      const double w = number(row, "weight").value_or(0);
      if (!u || !e || !(w > 0) || !(*u > 0) || !(*e > 0)) continue;  // the scales are logarithmic
      data.push_back({{"model", run.name},
                      {"uncertainty", *u},
                      {"error", *e},
                      {"share", w / weight},
                      {"items", member(row, "items")}});
      reach = std::max({reach, *u, *e});
      least = least > 0 ? std::min({least, *u, *e}) : std::min(*u, *e);
      expected += w * *u / weight;
      observed += w * *e / weight;
    }
    if (expected > 0)
      parts.push_back(
          fmt::format("{} predicts a mean squared error of {}; the observed one is {}, {:.2f} times as large",
                      model_name(runs, run.name, true), four_digit_number(expected),
                      four_digit_number(observed), observed / expected));
  }
  if (data.empty()) return;
  Plot& plot = add_plot(
      out, std::move(data), runs,
      {"uncertainty_reliability", kRegressionSection, "Predicted and observed errors", joined(parts),
       "Items are put into bins by their predicted variance; a dot shows the squared error there, its area how many items there are. Above the diagonal the model is over-confident."});
  plot.spec["datasets"]["diagonal"] = {{{"x", least}, {"y", least}}, {{"x", reach}, {"y", reach}}};
}

void intervals(const Runs& runs, Plots& out) {
  Json data = Json::array();
  std::vector<std::string> parts;
  for (const Run& run : runs) {
    const Json* levels = rows(run, "intervals");
    if (levels == nullptr) continue;
    for (const Json& row : *levels)
      if (const auto level = number(row, "level"), coverage = number(row, "coverage"); level && coverage)
        data.push_back({{"model", run.name},
                        {"level", *level},
                        {"coverage", *coverage},
                        {"width", number(row, "mean_width").value_or(0)}});
    if (const auto c = metric(run, "coverage_90"))
      parts.push_back(fmt::format("the 90% intervals{} contain {} of the targets", of_model(runs, run.name),
                                  percent(*c)));
  }
  if (data.empty()) return;
  std::string sentence = joined(parts);
  if (!sentence.empty()) sentence[0] = 'T';
  add_plot(
      out, std::move(data), runs,
      {"intervals", kRegressionSection, "Coverage of the prediction intervals", sentence,
       "Horizontal: the share of targets that an interval should contain. Vertical: the share that it contained. Below the diagonal the intervals are too narrow."});
}

void rejection(const Runs& runs, Plots& out) {
  Json data = Json::array();
  std::vector<std::string> parts;
  for (const Run& run : runs) {
    const Json* curve = rows(run, "rejection");
    if (curve == nullptr) continue;
    std::optional<double> all, less;
    for (const Json& row : *curve) {
      const auto rejected = number(row, "rejected"), mse = number(row, "mse");
      if (!rejected || !mse) continue;
      data.push_back({{"model", run.name},
                      {"rejected", *rejected},
                      {"mse", *mse},
                      {"threshold", number(row, "threshold").value_or(0)}});
      if (*rejected == 0) all = mse;
      if (*rejected <= kRejected && (!less || *mse < *less)) less = mse;
    }
    if (all && less && *all > 0)
      parts.push_back(fmt::format(
          "leaving out up to {:.0f}% of the items{} changes the mean squared error from {} to {}",
          100 * kRejected, of_model(runs, run.name), four_digit_number(*all), four_digit_number(*less)));
  }
  if (data.empty()) return;
  std::string sentence = joined(parts);
  if (!sentence.empty()) sentence[0] = 'L';
  add_plot(
      out, std::move(data), runs,
      {"rejection", kRegressionSection, "Error after rejecting uncertain items", sentence,
       "Items whose variance is above a threshold are left out, largest first. If the curve falls, the variance identifies the large errors."});
}

void shift(const Runs& runs, Plots& out) {
  for (const Run& run : runs) {
    const Json* bins = rows(run, "shift_histogram");
    if (bins == nullptr) continue;
    Json data = Json::array();
    for (const Json& row : *bins)
      for (const auto& [key, label] : {std::pair{"share", "this set"}, {"reference_share", "reference"}})
        if (const auto share = number(row, key), low = number(row, "low"), high = number(row, "high");
            share && low && high && *low > 0)
          data.push_back({{"set", label}, {"low", *low}, {"high", *high}, {"share", *share}});
    if (data.empty()) continue;
    const Json* s = look(run.json, {"shift"});
    const auto auroc = s != nullptr ? number(*s, "auroc") : std::nullopt;
    add_plot(
        out, std::move(data), {},
        {"shift", kRegressionSection, "Predicted variance here and in the reference set",
         auroc
             ? fmt::format(
                   "An item of this set has a larger variance than one of the reference in {} of pairs; 50% is no difference.",
                   percent(*auroc))
             : "",
         "Histograms of the predicted variance here and in the reference set. On data unlike what it was trained on a model should be less certain: the histogram moves to the right."});
    return;
  }
}

}  // namespace

void regression_plots(const Runs& runs, Plots& out) {
  reliability(runs, out);
  intervals(runs, out);
  rejection(runs, out);
  shift(runs, out);
}

}  // namespace plumb::detail
