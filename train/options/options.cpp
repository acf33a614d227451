#include "train/options/options.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ranges>

#include "plumb/data/check.hpp"

namespace plumb::train {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMany = 1'000'000;

double strongest(const TrainOptions& o) {
  return o.method == "label-smoothing" || is_cape(o.method) ? 1.0 : 1e6;
}

// The only list of options, with the values or the range of each:
// writing, reading, checks and suggestions all use it.
template <class Options, class Visit>
void visit_options(Options& o, Visit visit) {
  visit("data", o.data);
  visit("format", o.format, kFormats);
  visit("targets", o.targets, kTargetKinds);
  visit("validation_share", o.validation_share, 0.01, 0.9);
  visit("train_items", o.train_items, 0, 0x1p40);
  visit("image_size", o.image_size, 0, 4096);
  visit("scenario", o.scenario, kScenarioNames);
  visit("normalize", o.normalize);
  visit("model", o.model, kModels);
  visit("head", o.head, kHeads);
  visit("hidden", o.hidden, 1, kMany);
  visit("width", o.width, 0, 4096);
  visit("dropout", o.dropout, 0.0, 0.99);
  visit("method", o.method, kMethods);
  visit("strength", o.strength, 0.0, strongest(o));
  visit("cape_every", o.cape_every, 0, kMany);
  visit("cape_bins", o.cape_bins, 1, kMany);
  visit("cape_neighbours", o.cape_neighbours, 1, kMany);
  visit("cape_sigma", o.cape_sigma, 1e-6, 1e6);
  visit("cape_epochs", o.cape_epochs, 0, kMany);
  visit("cape_lr", o.cape_lr, 0.0, 1e6);
  visit("from_start", o.from_start);
  visit("start_from", o.start_from);
  visit("optimizer", o.optimizer, kOptimizers);
  visit("lr", o.lr, 1e-12, 1e6);
  visit("momentum", o.momentum, 0.0, 0.9999);
  visit("weight_decay", o.weight_decay, 0.0, 1e3);
  visit("batch", o.batch, 1, kMany);
  visit("epochs", o.epochs, 1, kMany);
  visit("select", o.select, kSelections);
  visit("patience", o.patience, 0, kMany);
  visit("warmup", o.warmup, 0, kMany);
  visit("milestones", o.milestones, 1, kMany);
  visit("milestone_factor", o.milestone_factor, 1e-6, 1.0);
  visit("plateau", o.plateau, 0, kMany);
  visit("plateau_factor", o.plateau_factor, 1e-6, 1.0);
  visit("flip", o.flip);
  visit("shift", o.shift, 0, 4096);
  visit("rotation", o.rotation, 0.0, 180.0);
  visit("seed", o.seed);
  visit("data_seed", o.data_seed);
  visit("ensemble", o.ensemble, 1, 1000);
  visit("tune", o.tune, 0.0, strongest(o));
  visit("intra_training", o.intra_training);
}

template <class T>
void set_value(Json& j, const char* name, const T& value) {
  j[name] = value;
}
template <class T>
void set_value(Json& j, const char* name, const std::optional<T>& value) {
  j[name] = value ? Json(*value) : Json(nullptr);
}
template <class T>
void take(const Json& j, T& value) {
  // nlohmann would cut 1.5 to 1 and turn -1 into 18446744073709551615.
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    if (!j.is_number_integer() || (std::is_unsigned_v<T> && j.is_number_integer() && !j.is_number_unsigned()))
      throw InputError("");
  value = j.get<T>();
}
template <class T>
void take(const Json& j, std::optional<T>& value) {
  value.reset();
  if (j.is_null()) return;
  T given{};
  take(j, given);
  value = given;
}

void check_value(const char* name, const std::string& value, const std::vector<std::string>& allowed) {
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
  throw InputError(opt(name) + " takes one of " + separated(allowed) + ", not \"" + value + "\"" +
                   did_you_mean(value, allowed));
}

void check_value(const char* name, double value, double low, double high) {
  if (value >= low && value <= high) return;  // NaN fails as well
  throw InputError(opt(name) + " must be between " + show(low) + " and " + show(high) + ", not " +
                   show(value));
}
template <class Several>
requires std::ranges::range<Several>
void check_value(const char* name, const Several& values, double low, double high) {
  for (const auto& value : values) check_value(name, value, low, high);
}
template <class T>
void check_value(const char* name, const std::optional<T>& value, double low, double high) {
  if (value) check_value(name, *value, low, high);
}

double default_strength(const std::string& method) {
  if (method == "focal") return 2;
  if (method == "entropy") return 1;
  if (method == "mmce") return 3;
  if (method == "label-smoothing") return 0.05;
  if (method == "mixup") return 0.2;
  return 0;
}

}  // namespace

double strength_of(const TrainOptions& o) { return o.strength.value_or(default_strength(o.method)); }
bool is_cape(const std::string& method) { return method == "cape-bin" || method == "cape-kernel"; }
std::int64_t cape_every_of(const TrainOptions& o) {
  return o.cape_every > 0 ? o.cape_every : o.method == "cape-bin" ? 3 : 4;
}

bool is_one_file(const PredictOptions& o) {
  const std::string suffix = std::filesystem::path(o.out).extension().string();
  constexpr std::array kSuffixes{".npy", ".csv", ".tsv", ".parquet", ".arrow", ".feather"};
  return std::find(kSuffixes.begin(), kSuffixes.end(), suffix) != kSuffixes.end();
}

std::uint64_t data_seed_of(const TrainOptions& o) { return o.data_seed.value_or(o.seed); }

void check_options(const TrainOptions& o) {
  visit_options(o, [](const char* name, const auto& value, const auto&... allowed) {
    if constexpr (sizeof...(allowed) > 0) check_value(name, value, allowed...);
  });
  check_value("device", o.device, kDevices);
  check_value("checkpoint_every", o.checkpoint_every, 1, kMany);
  check_threads(o.threads);
  if (o.from_start && !o.start_from.empty())
    throw InputError("⟦from_start⟧ and ⟦start_from⟧ cannot be combined; give one of them");
  if ((o.from_start || !o.start_from.empty()) && !is_cape(o.method))
    throw InputError("⟦from_start⟧ and ⟦start_from⟧ are for cape-bin and cape-kernel, not for " + o.method);
  if (o.strength && !o.tune.empty())
    throw InputError("⟦strength⟧ and ⟦tune⟧ cannot be combined: ⟦tune⟧ tries the strengths that it is given");
  if (!o.tune.empty() && (o.method == "ce" || o.method == "ce-resampled"))
    throw InputError("⟦tune⟧ sweeps the strength of a method, and " + o.method + " has none");
  if ((o.head == "gaussian" || o.head == "laplace") && o.targets != "auto" && o.targets != "targets")
    throw InputError("⟦head⟧ " + o.head + " is for regression (targets.npy), and ⟦targets⟧ " + o.targets +
                     " are classes; leave out one of the two");
  if (!o.tune.empty() && o.ensemble > 1)
    throw InputError("⟦tune⟧ and ⟦ensemble⟧ cannot be combined: tune first, then train the ensemble");
}

std::string to_json(const TrainOptions& o) {
  Json j;
  visit_options(o, [&](const char* name, const auto& value, const auto&...) { set_value(j, name, value); });
  return j.dump(2) + "\n";
}

TrainOptions from_json(const std::string& text, const std::string& name, TrainOptions start) {
  Json j;
  try {
    j = Json::parse(text);
  } catch (const Json::exception&) {
    throw InputError(name + " is not valid JSON");
  }
  if (!j.is_object()) throw InputError(name + " must hold one JSON object of options");
  std::vector<std::string> known;
  visit_options(start, [&](const char* key, auto& value, const auto&...) {
    known.emplace_back(key);
    if (!j.contains(key)) return;
    try {
      take(j[key], value);
    } catch (const std::exception&) {
      throw InputError(name + " has a value for \"" + key + "\" that does not fit: " + j[key].dump());
    }
  });
  for (const auto& item : j.items())
    if (std::find(known.begin(), known.end(), item.key()) == known.end())
      throw InputError(name + " has an unknown option \"" + item.key() + "\"" +
                       did_you_mean(item.key(), known));
  return start;
}

std::string read_text(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw InputError("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TrainOptions run_from_json(const std::string& text, const std::string& path) {
  TrainOptions o = from_json(text, path);
  if (o.data.empty())
    throw InputError(path + " names no \"data\": it is not the config.json of a run, or was changed");
  return o;
}

}  // namespace plumb::train
