// A grid of runs that can be stopped and started again, by one process or by several at once.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "train/claim.hpp"
#include "train/run.hpp"

namespace plumb::train {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct GridCell {
  std::string name;
  TrainOptions options;
  std::vector<std::string> values;
};

std::string label(const Json& value) {
  std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  text = fs::path(text).filename().string();  // of a path, the last component
  for (char& c : text)
    if (c == '/' || c == ' ' || c == ',' || c == '"' || c == '[' || c == ']') c = '-';
  return text.empty() ? "none" : text;
}

// "{data}" in a string of "base" becomes this cell's value, so that a cell can start from the run of another.
void fill_in(Json& options, const std::vector<std::string>& axes, const std::vector<std::string>& values) {
  for (auto& item : options.items()) {
    if (!item.value().is_string()) continue;
    auto text = item.value().get<std::string>();
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::string place = "{" + axes[i] + "}";
      for (std::size_t at = 0; (at = text.find(place, at)) != std::string::npos; at += values[i].size())
        text.replace(at, place.size(), values[i]);
    }
    item.value() = text;
  }
}

std::vector<GridCell> cells_of(const Json& grid, const std::string& name, const TrainOptions& how,
                               std::vector<std::string>& axes) {
  if (!grid.is_object() || !grid.contains("vary") || !grid["vary"].is_object())
    throw InputError(
        name + R"( must look like {"base": {...}, "vary": {"method": ["ce", "cape-bin"], "seed": [0, 1]}})");
  for (const auto& item : grid.items())
    if (item.key() != "base" && item.key() != "vary")
      throw InputError(name + " has an unknown part \"" + item.key() + "\"; it holds \"base\" and \"vary\"");
  const Json base = grid.value("base", Json::object());
  std::vector<std::pair<Json, std::vector<std::string>>> all{{base, {}}};
  for (const auto& axis : grid["vary"].items()) {
    axes.push_back(axis.key());
    if (!axis.value().is_array() || axis.value().empty())
      throw InputError(name + ": \"" + axis.key() + "\" must be a list of values");
    std::vector<std::pair<Json, std::vector<std::string>>> more;
    for (const auto& [options, values] : all) {
      for (const Json& value : axis.value()) {
        more.emplace_back(options, values);
        more.back().first[axis.key()] = value;
        more.back().second.push_back(label(value));
      }
    }
    all = std::move(more);
  }
  std::vector<GridCell> cells;
  for (auto& [options, values] : all) {
    fill_in(options, axes, values);
    GridCell cell;
    cell.name = separated(values, "_");
    cell.options = from_json(options.dump(), name, how);
    cell.options.out = how.out + "/" + cell.name;
    cell.values = values;
    check_options(cell.options);
    for (const GridCell& other : cells)
      if (other.name == cell.name)
        throw InputError(name + ": two runs are both called " + cell.name +
                         "; give their folders different names");
    cells.push_back(std::move(cell));
  }
  return cells;
}

}  // namespace

GridOutcome run_grid(const std::string& path, const TrainOptions& how, const Hooks& hooks) {
  if (how.out.empty()) throw InputError("⟦out⟧ is needed: the folder of the grid's runs");
  const Json grid = Json::parse(read_text(path), nullptr, /*allow_exceptions=*/false);
  if (grid.is_discarded()) throw InputError(path + " is not valid JSON");
  std::vector<std::string> axes;
  const std::vector<GridCell> cells = cells_of(grid, path, how, axes);
  fs::create_directories(how.out);
  std::int64_t number = 0;
  std::set<std::string> busy;
  for (const GridCell& cell : cells) {
    ++number;
    if (is_finished(cell.options.out)) {
      write_config(cell.options);  // throws if the options differ
      continue;
    }
    const Claim claim(how.out + "/." + cell.name + ".lock");
    if (!claim.held()) busy.insert(cell.name);
    if (!claim.held() || is_finished(cell.options.out)) continue;
    if (hooks.say)
      hooks.say("run " + std::to_string(number) + " of " + std::to_string(cells.size()) + ": " + cell.name);
    try {
      (void)train_run(cell.options, hooks);
    } catch (const Busy&) {  // by plumb train --resume
      busy.insert(cell.name);
    } catch (const InputError& e) {
      if (hooks.complain) hooks.complain("run " + cell.name + ": " + e.sentence());
    }
  }
  GridOutcome outcome;
  std::string table = "cell";
  for (const std::string& axis : axes) table += "," + axis;
  table += ",status,epochs,best_epoch,seconds";
  const char* keys[] = {"nll", "brier", "ece", "mse_p", "kl_p", "accuracy", "mse"};
  for (const char* part : {"validation", "test"})
    for (const char* key : keys) table += std::string(",") + part + "_" + key;
  table += "\n";
  for (const GridCell& cell : cells) {
    table += cell.name;
    for (const std::string& v : cell.values) table += "," + v;
    if (!is_finished(cell.options.out)) {
      ++outcome.missing;
      outcome.busy += busy.contains(cell.name) ? 1 : 0;
      table += fs::exists(cell.options.out) ? ",unfinished" : ",missing";
      table += std::string(3 + 2 * std::size(keys), ',') + "\n";
      continue;
    }
    const RunResult r = read_result(cell.options.out);
    const bool diverged = !r.metric("validation", "nll");
    outcome.diverged += diverged ? 1 : 0;
    table += std::string(diverged ? ",diverged," : ",done,") + std::to_string(r.epochs) + "," +
             std::to_string(r.best_epoch) + "," + show(r.seconds);
    for (const char* part : {"validation", "test"}) {
      for (const char* key : keys) {
        const auto value = r.metric(part, key);
        table += "," + (value ? show(*value) : std::string());
      }
    }
    table += "\n";
  }
  write_file(how.out + "/grid.csv", table);
  return outcome;
}

}  // namespace plumb::train
