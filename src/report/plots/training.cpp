// Learning curves, from the history.json of a training run (Liu 2022, Fig. 5).
#include <fmt/format.h>

#include "report/plots.hpp"

namespace plumb::detail {
namespace {

constexpr std::size_t kMostEpochs = 300;  // of a run in a page; more are thinned
struct LearningKey {
  const char *key, *label;
};
constexpr LearningKey kLearningKeys[] = {{"nll", "log-loss (nll)"},
                                         {"ece", "calibration error (ece)"},
                                         {"brier", "Brier score"},
                                         {"accuracy", "accuracy"},
                                         {"mse_p", "squared distance to the true probability (mse_p)"},
                                         {"mse", "mean squared error"},
                                         {"variance", "predicted variance"},
                                         {"sigma_scale", "factor s of sigma scaling"},
                                         {"nll_scaled", "log-loss after sigma scaling"}};
constexpr LearningKey kParts[] = {{"validation", "validation"}, {"train", "training"}, {"test", "test"}};

struct Learning {
  const Run* run;
  std::vector<const Json*> epochs;  // those that are shown
  const Json *kept, *last;          // the epoch whose weights were kept
};

std::optional<double> value(const Json& epoch, const char* part, const char* key) {
  const Json* m = look(epoch, {part});
  return m != nullptr ? number(*m, key) : std::nullopt;
}

std::vector<Learning> histories(const Runs& runs) {
  std::vector<Learning> out;
  for (const Run& run : runs) {
    const Json* list = look(run.json, {"history"});
    if (list == nullptr || !list->is_array()) continue;
    std::vector<const Json*> all;
    for (const Json& epoch : *list)
      if (number(epoch, "epoch")) all.push_back(&epoch);
    if (all.empty()) continue;
    Learning l{&run, {}, all.back(), all.back()};
    for (const Json* epoch : all)
      if (const Json* best = look(*epoch, {"best"});
          best != nullptr && best->is_boolean() && best->get<bool>())
        l.kept = epoch;
    const std::size_t step = (all.size() + kMostEpochs - 1) / kMostEpochs;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i % step == 0 || all[i] == l.kept || all[i] == l.last) l.epochs.push_back(all[i]);
    out.push_back(std::move(l));
  }
  return out;
}

// "The weights of epoch 12 of 30 were kept, with log-loss (nll) 0.5321 on validation data; the last epoch has
// 0.6112 (0.4033 on training data)".
std::string meaning(const Runs& runs, const Learning& l, const LearningKey& k) {
  const auto here = value(*l.kept, "validation", k.key), end = value(*l.last, "validation", k.key);
  std::string out =
      fmt::format("{}{}he weights of epoch {:.0f} of {:.0f} were kept", model_prefix(runs, l.run->name),
                  several_models(runs) ? "t" : "T", *number(*l.kept, "epoch"), *number(*l.last, "epoch"));
  if (!here) return out;
  out += fmt::format(", with {} {} on validation data", k.label, four_digit_number(*here));
  if (end && l.kept != l.last) out += fmt::format("; the last epoch has {}", four_digit_number(*end));
  if (const auto train = value(*l.last, "train", k.key))
    out += fmt::format(" ({} on training data)", four_digit_number(*train));
  return out;
}

}  // namespace

void training_plots(const Runs& runs, Plots& out) {
  const std::vector<Learning> all = histories(runs);
  Json data = Json::array();
  std::vector<Choice> choices;
  for (const LearningKey& k : kLearningKeys) {
    std::vector<std::string> parts;
    for (const Learning& l : all) {
      const std::size_t before = data.size();
      for (const Json* epoch : l.epochs)
        for (const LearningKey& part : kParts)
          if (const auto x = value(*epoch, part.key, k.key))
            data.push_back({{"model", l.run->name},
                            {"view", k.key},
                            {"part", part.label},
                            {"epoch", *number(*epoch, "epoch")},
                            {"value", *x},
                            {"kept", epoch == l.kept}});
      if (data.size() > before) parts.push_back(meaning(runs, l, k));
    }
    if (!parts.empty()) choices.push_back({k.key, k.label, joined(parts)});
  }
  if (choices.empty()) return;
  add_plot(
      out, std::move(data), runs,
      {"learning", "training", "Learning curves", "",
       "Each metric by epoch: validation as a solid line, training as a dashed one. The vertical line marks the epoch whose weights were kept, the one with the best validation log-loss. Where the dashed line keeps falling while the solid one rises, the network overfits and becomes over-confident.",
       "metric", choices});
}

}  // namespace plumb::detail
