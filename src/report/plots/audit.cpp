// The forest plot of an audit: the difference of each slice from the other items.
#include <algorithm>

#include <fmt/format.h>

#include "report/plots.hpp"

namespace plumb::detail {
namespace {

constexpr std::size_t kMostOfForest = 40;
struct ForestKey {
  const char *key, *label;
};
constexpr ForestKey kForestKeys[] = {{"gap", "frequency minus forecast (gap)"},
                                     {"oe_ratio", "observed over expected (oe_ratio)"},
                                     {"brier", "Brier score"},
                                     {"nll", "log-loss (nll)"},
                                     {"auroc", "ranking (auroc)"},
                                     {"accuracy", "accuracy"},
                                     {"agreement", "agreement with the votes"}};

std::string forest_sentence(const std::string& who, std::size_t clear, std::size_t slices) {
  if (clear == 0)
    return fmt::format("{}none of {} slices differs from the rest by more than chance", who, slices);
  return fmt::format("{}{} of {} slices {} from the rest by more than chance", who, clear, slices,
                     clear == 1 ? "differs" : "differ");
}

}  // namespace

void audit_plots(const Runs& runs, Plots& out) {
  Json data = Json::array();
  std::vector<Choice> choices;
  std::size_t most = 0;
  for (const ForestKey& k : kForestKeys) {
    std::vector<std::string> words;
    for (const Run& run : runs) {
      const Json* audit = rows(run, "audit");
      if (audit == nullptr) continue;
      std::size_t clear = 0, slices = 0;
      for (const Json& row : *audit) {
        const auto d = number(row, "difference"), low = number(row, "low"), high = number(row, "high");
        if (text(row, "metric") != k.key || !d || !low || !high) continue;
        ++slices;
        clear += *low > 0 || *high < 0;
        if (slices > kMostOfForest) continue;
        data.push_back({{"model", run.name},
                        {"view", k.key},
                        {"slice", text(row, "by") + " " + text(row, "slice")},
                        {"difference", *d},
                        {"low", *low},
                        {"high", *high},
                        {"value", member(row, "value")},
                        {"rest", member(row, "rest")},
                        {"items", number(row, "items").value_or(0)},
                        {"clear", *low > 0 || *high < 0 ? "larger than chance" : "within chance"}});
      }
      if (slices > 0) words.push_back(forest_sentence(model_prefix(runs, run.name), clear, slices));
      most = std::max(most, slices);
    }
    if (words.empty()) continue;
    std::string sentence = joined(words);
    if (sentence.front() >= 'a' && sentence.front() <= 'z' && runs.size() == 1) sentence.front() -= 'a' - 'A';
    choices.push_back({k.key, k.label, sentence});
  }
  if (choices.empty()) return;
  Plot& plot = add_plot(
      out, std::move(data), runs,
      {"forest", "slices", "Slices against the rest", "",
       "Each line is a slice: its value minus that of all other items, worst slice first. The bars are intervals that hold for all slices of the metric at once; a bar that does not reach 0 is a difference that chance does not explain.",
       "metric", choices});
  if (most > kMostOfForest)
    plot.how += fmt::format(" Of {} slices the first {} are shown.", most, kMostOfForest);
}

}  // namespace plumb::detail
