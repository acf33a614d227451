// Tables for readers: suspects and thresholds, outputs of a regression, paired comparison.
#include <fmt/format.h>

#include "report/plots.hpp"

namespace plumb::detail {
namespace {

void outputs(const Runs& runs, std::vector<ReaderTable>& out) {
  for (const Run& run : runs) {
    const Json* list = rows(run, "per_output");
    if (list == nullptr) continue;
    ReaderTable t{"regression", several_models(runs) ? "By output: " + run.name : "By output", "", {}};
    for (const auto& [key, x] : list->front().items()) t.columns.push_back(key);
    for (const Json& row : *list) {
      Json cells = Json::array();
      for (const std::string& key : t.columns) cells.push_back(member(row, key));
      t.rows.push_back(std::move(cells));
    }
    out.push_back(std::move(t));
  }
}

/// "raw is best on 5 metrics and clearly best on 2".
std::string wins_text(const std::string& name, double best, double clear) {
  if (best == 0) return name + " is best on no metric";
  return fmt::format("{} is best on {:.0f} {} and clearly best on {}", name, best,
                     best == 1 ? "metric" : "metrics", clear > 0 ? fmt::format("{:.0f}", clear) : "none");
}

/// Of one section: `compare`, or `compare_cases` with the means over cases.
void differences(const Json& compared, const char* title, std::vector<ReaderTable>& out) {
  const Json *metrics = look(compared, {"metrics"}), *models = look(compared, {"models"});
  if (metrics == nullptr || models == nullptr || !metrics->is_object() || !models->is_array()) return;
  std::vector<std::string> wins;
  for (const Json& name : *models)
    if (const Json* w = look(compared, {"wins", name.get<std::string>()}))
      wins.push_back(wins_text(name.get<std::string>(), number(*w, "best").value_or(0),
                               number(*w, "clear").value_or(0)));
  ReaderTable t{"compare",
                title,
                joined(wins),
                {"metric", "from", "to", "difference", "low", "high", "p-value", "better"}};
  for (const auto& [key, m] : metrics->items())
    if (const Json* list = look(m, {"differences"}); list != nullptr && list->is_array())
      for (const Json& d : *list)
        t.rows.push_back({key, member(d, "from"), member(d, "to"), member(d, "difference"), member(d, "low"),
                          member(d, "high"), member(d, "p_value"), member(m, "better")});
  if (!t.rows.empty()) out.push_back(std::move(t));
}

void comparison(const Runs& runs, std::vector<ReaderTable>& out) {
  for (const Run& run : runs) {
    const Json *pooled = look(run.json, {"compare"}), *means = look(run.json, {"compare_cases"});
    if (pooled != nullptr)
      differences(*pooled, means != nullptr ? "Paired differences over all voxels" : "Paired differences",
                  out);
    if (means != nullptr) differences(*means, "Paired differences of the means over cases", out);
  }
}

// The methods that the automatic choice of a calibrator tried.
void league(const Runs& runs, std::vector<ReaderTable>& out) {
  for (const Run& run : runs) {
    const Json* list = look(run.json, {"league"});
    if (list == nullptr || !list->is_array() || list->empty()) continue;
    ReaderTable t{
        "calibrators",
        "The methods that were tried",
        "By held-out log-loss; a method with more parameters is taken where it gains more than one standard error.",
        {"method", "held-out log-loss", "gain over none", "standard error of the gain", "outcome"}};
    for (const Json& m : *list)
      t.rows.push_back({member(m, "method"), member(m, "nll"), member(m, "gain"), member(m, "gain_se"),
                        member(m, "outcome")});
    out.push_back(std::move(t));
  }
}

}  // namespace

std::vector<ReaderTable> make_tables(const Runs& runs) {
  std::vector<ReaderTable> out;
  case_tables(runs, out);
  confusion_tables(runs, out);
  rater_reader_tables(runs, out);
  uncertainty_tables(runs, out);
  outputs(runs, out);
  comparison(runs, out);
  league(runs, out);
  return out;
}

}  // namespace plumb::detail
