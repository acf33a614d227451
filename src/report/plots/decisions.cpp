// The decision curve: net benefit by threshold, beside treating everyone and treating no one.
#include <fmt/format.h>

#include "report/plots.hpp"

namespace plumb::detail {
namespace {

Json point(const Json& row, const char* column) {
  return {{"threshold", number(row, "threshold").value_or(0)}, {"benefit", number(row, column).value_or(0)}};
}

Json model_point(const Json& row, const std::string& model) {
  Json out = point(row, "net_benefit");
  out["model"] = model;
  const auto low = number(row, "net_benefit_low"), high = number(row, "net_benefit_high");
  if (low && high) {
    out["low"] = *low;
    out["high"] = *high;
  }
  return out;
}

Json policy_point(const Json& row, const char* column, const char* policy) {
  Json out = point(row, column);
  out["policy"] = policy;
  return out;
}

// Below this the axis would be stretched for nothing.
constexpr double kLowest = -0.05;
bool worth_showing(const Json& row, const char* column) {
  return number(row, column).value_or(kLowest - 1) >= kLowest;
}

/// Where the model is worth more than both simple policies in these data.
std::string useful_range(const Json& curve, const std::string& of_model) {
  std::vector<double> useful;
  for (const Json& row : curve) {
    const auto benefit = number(row, "net_benefit"), all = number(row, "treat_all");
    if (benefit && all && *benefit > 0 && *benefit > *all)
      useful.push_back(number(row, "threshold").value_or(0));
  }
  if (useful.empty())
    return fmt::format("At no threshold is the net benefit{} above that of both simple policies", of_model);
  return fmt::format(
      "In these data the net benefit{} is above that of both simple policies at {} of {} thresholds, from {:g} to {:g}",
      of_model, useful.size(), curve.size(), useful.front(), useful.back());
}

}  // namespace

void decision_plots(const Runs& runs, Plots& out) {
  Json points = Json::array();
  std::vector<std::string> words;
  for (const Run& run : runs) {
    const Json* curve = rows(run, "decision_curve");
    if (curve == nullptr) continue;
    for (const Json& row : *curve) {
      if (worth_showing(row, "net_benefit")) points.push_back(model_point(row, run.name));
      if (!words.empty()) continue;  // the policies are the same for all models
      if (worth_showing(row, "treat_all")) points.push_back(policy_point(row, "treat_all", "treat all"));
      points.push_back(policy_point(row, "treat_none", "treat none"));
    }
    words.push_back(useful_range(*curve, of_model(runs, run.name)));
  }
  if (words.empty()) return;
  add_plot(
      out, std::move(points), runs,
      {"decision_curve", "calibration", "Decision curve", joined(words, ". "),
       "Net benefit: true positives minus false positives, which are weighted by the odds of the threshold. The band is the interval of each threshold by itself."});
}

}  // namespace plumb::detail
