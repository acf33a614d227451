// What votes say about raters, orders, ordered classes and sets, as tables for readers.
#include <fmt/format.h>

#include "report/plots.hpp"

namespace plumb::detail {
namespace {

constexpr const char* kVotesSection = "raters";

struct ShownColumn {
  const char *key, *title;
};

/// A table of the result, its columns under readers' titles.
void shown_table(const Runs& runs, const char* table, const char* title, const char* sentence,
                 std::initializer_list<ShownColumn> columns, std::vector<ReaderTable>& out) {
  for (const Run& run : runs) {
    const Json* list = rows(run, table);
    if (list == nullptr) continue;
    ReaderTable t{
        kVotesSection, several_models(runs) ? fmt::format("{}: {}", title, run.name) : title, sentence, {}};
    for (const ShownColumn& c : columns) t.columns.emplace_back(c.title);
    for (const Json& row : *list) {
      Json cells = Json::array();
      for (const ShownColumn& c : columns) cells.push_back(member(row, c.key));
      t.rows.push_back(std::move(cells));
    }
    out.push_back(std::move(t));
  }
}

/// Members of a section that have a value, low and high.
void bounded_section(const Runs& runs, const char* section, const char* title, const char* sentence,
                     std::vector<ReaderTable>& out) {
  for (const Run& run : runs) {
    const Json* all = look(run.json, {section});
    if (all == nullptr || !all->is_object()) continue;
    ReaderTable t{kVotesSection,
                  several_models(runs) ? fmt::format("{}: {}", title, run.name) : title,
                  sentence,
                  {"number", "value", "low", "high"}};
    for (const auto& [key, m] : all->items())
      if (m.is_object() && m.contains("value"))
        t.rows.push_back({key, member(m, "value"), member(m, "low"), member(m, "high")});
    if (!t.rows.empty()) out.push_back(std::move(t));
  }
}

void order_rows(const Runs& runs, std::vector<ReaderTable>& out) {
  for (const Run& run : runs) {
    const Json* all = look(run.json, {"orders"});
    if (all == nullptr || !all->is_object()) continue;
    ReaderTable t{kVotesSection,
                  several_models(runs) ? "Votes taken together: " + run.name : "Votes taken together",
                  "The calibration loss is 0 where the forecast for so many votes is right on average.",
                  {"votes", "items", "calibration loss", "low", "high", "plug-in", "loss"}};
    for (const auto& [key, m] : all->items()) {
      const Json none = Json::object();
      const Json& debiased = m.contains("debiased") ? m["debiased"] : none;
      const Json& plugin = m.contains("plugin") ? m["plugin"] : none;
      const Json& loss = m.contains("loss") ? m["loss"] : none;
      t.rows.push_back({key, member(m, "items"), member(debiased, "value"), member(debiased, "low"),
                        member(debiased, "high"), member(plugin, "value"), member(loss, "value")});
    }
    if (!t.rows.empty()) out.push_back(std::move(t));
  }
}

std::string ceiling_words(const Runs& runs) {
  for (const Run& run : runs)
    if (const Json* all = look(run.json, {"ceiling"}); all != nullptr && all->is_object() && !all->empty())
      return text(all->begin().value(), "sentence");
  return "";
}

}  // namespace

void rater_reader_tables(const Runs& runs, std::vector<ReaderTable>& out) {
  shown_table(
      runs, "rater_profiles", "Accuracy of each rater",
      "The share of right votes on items of the estimated prevalence, under the model of Dawid and Skene.",
      {{"rater", "rater"}, {"votes", "votes"}, {"accuracy", "accuracy"}, {"low", "low"}, {"high", "high"}},
      out);
  const std::string ceiling = ceiling_words(runs);
  shown_table(runs, "ceiling", "The model beside the raters", ceiling.c_str(),
              {{"rater", "rater"},
               {"metric", "metric"},
               {"items", "items"},
               {"rater_value", "rater's value"},
               {"model_value", "model's value"},
               {"difference", "difference"},
               {"low", "low"},
               {"high", "high"}},
              out);
  shown_table(runs, "ask", "Items to ask about next",
              "Here one more vote would tell most about the true class; the gain is in bits.",
              {{"id", "item"},
               {"row", "row"},
               {"votes", "votes"},
               {"class", "class"},
               {"probability", "probability"},
               {"gain", "gain"}},
              out);
  shown_table(runs, "rater_influence", "Without one rater",
              "How far each metric moves when the votes of one rater are left out.",
              {{"metric", "metric"},
               {"value", "all raters"},
               {"lowest", "lowest"},
               {"highest", "highest"},
               {"rater", "largest change without"},
               {"change", "change"}},
              out);
  order_rows(runs, out);
  bounded_section(
      runs, "decomposition", "Uncertainty in two parts",
      "Aleatoric: the raters' disagreement. Epistemic: what the model does not know. The gaps are forecast minus observed.",
      out);
  bounded_section(runs, "ordered", "Ordered classes",
                  "rps and emd are 0 for a forecast that equals the votes; emd counts classes.", out);
  shown_table(runs, "ordered_thresholds", "Calibration at each threshold between two classes",
              "The event is that the class is above the one named.",
              {{"above", "above"},
               {"forecast", "forecast"},
               {"observed", "observed"},
               {"ece", "ECE"},
               {"ece_low", "low"},
               {"ece_high", "high"},
               {"calibration_slope", "slope"},
               {"oe_ratio", "observed/expected"}},
              out);
  shown_table(runs, "set_coverage", "Coverage of the prediction sets",
              "How often the set contains the votes, the majority label and each rater's label.",
              {{"against", "against"},
               {"items", "items"},
               {"coverage", "coverage"},
               {"low", "low"},
               {"high", "high"}},
              out);
  shown_table(
      runs, "set_sizes", "Coverage by size of the set",
      "Sets of one class should be wrong no more often than others.",
      {{"size", "size"}, {"items", "items"}, {"coverage", "coverage"}, {"low", "low"}, {"high", "high"}},
      out);
}

}  // namespace plumb::detail
