// Plots of uncertainty measures: odds ratio by bin, the score itself, deferral (Finlay 2022, Fig. 2, 3).
#include <algorithm>

#include <fmt/format.h>

#include "report/plots.hpp"

namespace plumb::detail {
namespace {

constexpr const char* kUncertaintySection = "uncertainty";
constexpr double kDeferredShare = 0.2;  // the share deferred in the sentence

template <class Use>  // use(run, name, measure)
void each_measure(const Runs& runs, Use use) {
  for (const Run& run : runs)
    if (const Json* measures = look(run.json, {"measures"}); measures != nullptr && measures->is_object())
      for (const auto& [name, m] : measures->items()) use(run, name, m);
}

std::optional<double> score(const Json& measure, const char* key, const char* part = "value") {
  const Json* s = look(measure, {key});
  return s == nullptr ? std::nullopt : s->is_number() ? std::optional(s->get<double>()) : number(*s, part);
}

std::string odds_ratio_sentence(const Runs& runs, const Run& run, const std::string& name, const Json& m) {
  const auto eor = score(m, "eor"), null_mean = score(m, "eor", "null_mean");
  if (!eor) return "";
  std::string out =
      fmt::format("{}Knowing {} changes the odds of a right answer by a factor of {:.1f} on average",
                  model_prefix(runs, run.name), name, *eor);
  return out + (null_mean ? fmt::format("; a useless measure would show {:.2f}.", *null_mean) : ".");
}

void odds_ratio(const Runs& runs, Plots& out) {
  Json bins = Json::array(), curve = Json::array();
  std::vector<Choice> choices;
  double base = 0;
  each_measure(runs, [&](const Run& run, const std::string& name, const Json& m) {
    const Json* list = look(m, {"bins"});
    if (list == nullptr || !list->is_array() || list->empty()) return;
    base = number(run.json, "base_accuracy").value_or(number(run.json, "accuracy").value_or(base));
    double share = 0;
    for (const Json& b : *list) {
      const double w = number(b, "weight").value_or(0);
      const auto accuracy = number(b, "accuracy"), ratio = number(b, "odds_ratio");
      share += w;
      if (!accuracy || !ratio) continue;  // only right or only wrong answers: no odds
      bins.push_back(
          {{"model", run.name},
           {"view", name},
           {"share", share - w / 2},
           {"accuracy", *accuracy},
           {"odds_ratio", *ratio},
           {"items", number(b, "items").value_or(0)},
           {"side", *accuracy >= base ? "more often right than average" : "less often right than average"}});
    }
    add_choice(choices, name, odds_ratio_sentence(runs, run, name, m));
  });
  if (bins.empty()) return;
  // The loss uses the labels: a bound, not a measure to show first.
  std::stable_partition(choices.begin(), choices.end(), [](const Choice& c) { return c.value != "loss"; });
  add_plot(
      out, bins, {},
      {"odds_ratio", kUncertaintySection, "Odds ratio by bin", "",
       "The items in bins from least to most uncertain. A bar shows how many times better (or worse) the odds of a right answer are there than on average. High bars at both ends mean that the measure separates right from wrong; a flat line near 1 means that it does not. Bins with only right or only wrong answers have no odds and are left out.",
       "measure", choices});

  if (!(base > 0 && base < 1)) return;
  const double odds = base / (1 - base);
  for (int i = 1; i < 200; ++i) {
    const double p = i / 200.0, ratio = p / (1 - p) / odds;
    curve.push_back({{"p", p}, {"score", std::max(ratio, 1 / ratio)}});
  }
  Plot& map = add_plot(
      out, std::move(bins), {},
      {"odds_score", kUncertaintySection, "The odds-ratio score",
       fmt::format(
           "With an accuracy of {}, a bin of 99% right answers scores {:.1f} and one of 50% scores {:.1f}.",
           percent(base), 99 / odds >= 1 ? 99 / odds : odds / 99, odds >= 1 ? odds : 1 / odds),
       "The score of a bin by its accuracy: 1 at the average, larger on both sides. The dots are the bins of the measure; the higher they are, the better it separates right from wrong.",
       "measure", choices});
  for (Choice& c : map.choices) c.sentence = map.sentence;
  map.spec["datasets"]["curve"] = std::move(curve);
}

void deferral(const Runs& runs, Plots& out) {
  Json data = Json::array();
  double most = 0, start = 0;
  std::string best;
  each_measure(runs, [&](const Run& run, const std::string& name, const Json& m) {
    const Json* curve = look(m, {"deferral"});
    if (curve == nullptr || !curve->is_array()) return;
    for (const Json& row : *curve) {
      const auto handed = number(row, "handed_over"), accuracy = number(row, "accuracy");
      if (!handed || !accuracy) continue;
      data.push_back(
          {{"model", run.name}, {"measure", name}, {"handed_over", *handed}, {"accuracy", *accuracy}});
      if (*handed == 0) start = *accuracy;
      if (name != "loss" && *handed <= kDeferredShare && *accuracy > most) {  // the loss uses the labels
        most = *accuracy;
        best = name;
      }
    }
  });
  if (data.empty()) return;
  add_plot(
      out, std::move(data), {},
      {"deferral", kUncertaintySection, "Accuracy after deferring uncertain items",
       best.empty()
           ? ""
           : fmt::format(
                 "Deferring up to {:.0f}% of the items by {} raises the accuracy of the rest from {} to {}.",
                 100 * kDeferredShare, best, percent(start), percent(most)),
       "Items are deferred to a person, most uncertain first. The higher the curve, the better the measure finds wrong answers. The measure \"loss\" uses the labels, so no other measure is expected to exceed it."});
}

// Only raster images embedded in the page, whatever the file contains.
Json picture(const Json& suspect) {
  const std::string uri = text(suspect, "image");
  for (const char* kind : {"png", "jpeg", "gif", "webp"}) {
    const std::string head = fmt::format("data:image/{};base64,", kind);
    if (uri.starts_with(head) &&
        uri.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=",
                              head.size()) == std::string::npos)
      return uri;
  }
  return nullptr;
}

Json cell(const std::optional<double>& x) { return x ? Json(*x) : Json(nullptr); }

}  // namespace

void uncertainty_plots(const Runs& runs, Plots& out) {
  odds_ratio(runs, out);
  deferral(runs, out);
}

void uncertainty_tables(const Runs& runs, std::vector<ReaderTable>& out) {
  ReaderTable scores{kUncertaintySection,
                     "The measures side by side",
                     "",
                     {"model", "measure", "odds ratio", "by chance", "AUROC", "AURC", "conditional entropy"}};
  ReaderTable thresholds{
      kUncertaintySection,
      "Thresholds",
      "Answers whose uncertainty is below the threshold reach the requested accuracy.",
      {"model", "measure", "requested accuracy", "threshold", "share of items", "accuracy"}};
  each_measure(runs, [&](const Run& run, const std::string& name, const Json& m) {
    scores.rows.push_back({run.name, name, cell(score(m, "eor")), cell(score(m, "eor", "null_mean")),
                           cell(score(m, "auroc")), cell(score(m, "aurc")),
                           cell(score(m, "conditional_entropy"))});
    if (const Json* list = look(m, {"thresholds"}); list != nullptr && list->is_array())
      for (const Json& t : *list)
        thresholds.rows.push_back({run.name, name, cell(number(t, "target")), cell(number(t, "threshold")),
                                   cell(number(t, "share")), cell(number(t, "accuracy"))});
  });
  if (!scores.rows.empty()) out.push_back(std::move(scores));
  if (!thresholds.rows.empty()) out.push_back(std::move(thresholds));
  for (const Run& run : runs) {
    const Json* list = look(run.json, {"suspects"});
    if (list == nullptr || !list->is_array() || list->empty()) continue;
    ReaderTable t{kUncertaintySection,
                  "Look at these first",
                  fmt::format("The most confident wrong answers{}; often it is the label that is wrong.",
                              of_model(runs, run.name)),
                  {"item", "row", "label", "prediction", "score"}};
    const bool pictured =
        std::any_of(list->begin(), list->end(), [](const Json& s) { return !picture(s).is_null(); });
    if (pictured) {
      t.columns.insert(t.columns.begin(), "picture");
      t.picture = 0;
    }
    for (const Json& s : *list) {
      Json row = Json::array();
      if (pictured) row.push_back(picture(s));
      for (const char* key : {"id", "row", "label", "prediction", "score"}) row.push_back(member(s, key));
      t.rows.push_back(std::move(row));
    }
    out.push_back(std::move(t));
  }
}

}  // namespace plumb::detail
