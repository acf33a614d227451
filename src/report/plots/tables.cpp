// Tables for readers: suspects and thresholds, outputs of a regression, paired comparison.
#include <fmt/format.h>

#include "report/plots.hpp"

namespace plumb::detail {
namespace {

void outputs(const Runs& runs, std::vector<ReaderTable>& out) {
  for (const Run& run : runs) {
    const Json* list = rows(run, "per_output");
    if (list == nullptr) continue;
    ReaderTable t{"regression", "By output: " + run.name, "", {}};
    for (const auto& [key, x] : list->front().items()) t.columns.push_back(key);
    for (const Json& row : *list) {
      Json cells = Json::array();
      for (const std::string& key : t.columns) cells.push_back(member(row, key));
      t.rows.push_back(std::move(cells));
    }
    out.push_back(std::move(t));
  }
}

void comparison(const Runs& runs, std::vector<ReaderTable>& out) {
  for (const Run& run : runs) {
    const Json* compared = look(run.json, {"compare"});
    const Json* metrics = compared != nullptr ? look(*compared, {"metrics"}) : nullptr;
    const Json* models = compared != nullptr ? look(*compared, {"models"}) : nullptr;
    if (metrics == nullptr || models == nullptr || !metrics->is_object() || !models->is_array()) continue;
    std::vector<std::string> wins;
    for (const Json& name : *models)
      if (const Json* w = look(*compared, {"wins", name.get<std::string>()}))
        wins.push_back(fmt::format("{} is best on {:.0f} metrics, clearly so on {:.0f}",
                                   name.get<std::string>(), number(*w, "best").value_or(0),
                                   number(*w, "clear").value_or(0)));
    ReaderTable t{"compare",
                  "Paired differences",
                  joined(wins),
                  {"metric", "from", "to", "difference", "low", "high", "p", "better"}};
    for (const auto& [key, m] : metrics->items())
      if (const Json* differences = look(m, {"differences"});
          differences != nullptr && differences->is_array())
        for (const Json& d : *differences)
          t.rows.push_back({key, member(d, "from"), member(d, "to"), member(d, "difference"),
                            member(d, "low"), member(d, "high"), member(d, "p_value"), member(m, "better")});
    if (!t.rows.empty()) out.push_back(std::move(t));
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
  confusion_tables(runs, out);
  uncertainty_tables(runs, out);
  outputs(runs, out);
  comparison(runs, out);
  league(runs, out);
  return out;
}

}  // namespace plumb::detail
