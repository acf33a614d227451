#include "train/options/options.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "plumb/data/check.hpp"

namespace plumb::train {
namespace {

using Json = nlohmann::ordered_json;

// The one list of names: writing, reading and suggestions all walk it.
template <class Options, class Visit>
void visit_options(Options& o, Visit visit) {
  visit("data", o.data);
  visit("format", o.format);
  visit("targets", o.targets);
  visit("validation_share", o.validation_share);
  visit("train_items", o.train_items);
  visit("image_size", o.image_size);
  visit("scenario", o.scenario);
  visit("normalize", o.normalize);
  visit("model", o.model);
  visit("head", o.head);
  visit("hidden", o.hidden);
  visit("width", o.width);
  visit("dropout", o.dropout);
  visit("method", o.method);
  visit("strength", o.strength);
  visit("cape_every", o.cape_every);
  visit("cape_bins", o.cape_bins);
  visit("cape_neighbours", o.cape_neighbours);
  visit("cape_sigma", o.cape_sigma);
  visit("cape_epochs", o.cape_epochs);
  visit("cape_lr", o.cape_lr);
  visit("from_start", o.from_start);
  visit("start_from", o.start_from);
  visit("optimizer", o.optimizer);
  visit("lr", o.lr);
  visit("momentum", o.momentum);
  visit("weight_decay", o.weight_decay);
  visit("batch", o.batch);
  visit("epochs", o.epochs);
  visit("patience", o.patience);
  visit("warmup", o.warmup);
  visit("milestones", o.milestones);
  visit("milestone_factor", o.milestone_factor);
  visit("plateau", o.plateau);
  visit("plateau_factor", o.plateau_factor);
  visit("flip", o.flip);
  visit("shift", o.shift);
  visit("rotation", o.rotation);
  visit("seed", o.seed);
  visit("data_seed", o.data_seed);
  visit("ensemble", o.ensemble);
  visit("tune", o.tune);
  visit("intra_training", o.intra_training);
}

template <class T>
void put(Json& j, const char* name, const T& value) {
  j[name] = value;
}
template <class T>
void put(Json& j, const char* name, const std::optional<T>& value) {
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

void one_of(const char* name, const std::string& value, const std::vector<std::string>& allowed) {
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
  std::string list;
  for (const std::string& one : allowed) list += (list.empty() ? "" : ", ") + one;
  throw InputError(opt(name) + " takes one of " + list + ", not \"" + value + "\"" +
                   did_you_mean(value, allowed));
}

void in_range(const char* name, double value, double low, double high) {
  if (value >= low && value <= high) return;  // NaN fails as well
  throw InputError(opt(name) + " must lie between " + show(low) + " and " + show(high) + ", not " +
                   show(value));
}

}  // namespace

const std::vector<std::string>& methods() {
  static const std::vector<std::string> all = {"ce",          "cape-bin", "cape-kernel",     "focal",
                                               "entropy",     "mmce",     "label-smoothing", "mixup",
                                               "ce-resampled"};
  return all;
}

double default_strength(const std::string& method) {
  if (method == "focal") return 2;
  if (method == "entropy") return 1;
  if (method == "mmce") return 3;
  if (method == "label-smoothing") return 0.05;
  if (method == "mixup") return 0.2;
  return 0;
}

double strength_of(const TrainOptions& o) { return o.strength.value_or(default_strength(o.method)); }
bool is_cape(const std::string& method) { return method == "cape-bin" || method == "cape-kernel"; }
std::int64_t cape_every_of(const TrainOptions& o) {
  return o.cape_every > 0 ? o.cape_every : o.method == "cape-bin" ? 3 : 4;
}

std::uint64_t data_seed_of(const TrainOptions& o) { return o.data_seed.value_or(o.seed); }

void check_options(const TrainOptions& o) {
  constexpr double kMany = 1'000'000;
  const double strongest = o.method == "label-smoothing" || is_cape(o.method) ? 1.0 : 1e6;
  one_of("format", o.format, {"auto", "arrays", "images", "mnist", "cifar10", "utkface"});
  one_of("scenario", o.scenario, {"none", "linear", "sigmoid", "skewed", "centered", "discrete"});
  one_of("targets", o.targets, {"auto", "labels", "counts", "ratings", "targets"});
  one_of("model", o.model, {"linear", "mlp", "cnn", "resnet18", "vgg16-small", "unet-small"});
  one_of("head", o.head, {"auto", "softmax", "sigmoid", "gaussian", "laplace"});
  one_of("method", o.method, methods());
  one_of("optimizer", o.optimizer, {"sgd", "adam"});
  one_of("device", o.device, {"auto", "cpu", "cuda"});
  in_range("validation_share", o.validation_share, 0.01, 0.9);
  in_range("train_items", o.train_items, 0, 0x1p40);
  in_range("image_size", o.image_size, 0, 4096);
  in_range("width", o.width, 0, 4096);
  for (const std::int64_t h : o.hidden) in_range("hidden", h, 1, kMany);
  if (o.dropout) in_range("dropout", *o.dropout, 0.0, 0.99);
  if (o.strength) in_range("strength", *o.strength, 0.0, strongest);
  in_range("cape_every", o.cape_every, 0, kMany);
  in_range("cape_bins", o.cape_bins, 1, kMany);
  in_range("cape_neighbours", o.cape_neighbours, 1, kMany);
  in_range("cape_sigma", o.cape_sigma, 1e-6, 1e6);
  in_range("cape_epochs", o.cape_epochs, 0, kMany);
  in_range("cape_lr", o.cape_lr, 0.0, 1e6);
  in_range("lr", o.lr, 1e-12, 1e6);
  in_range("momentum", o.momentum, 0.0, 0.9999);
  in_range("weight_decay", o.weight_decay, 0.0, 1e3);
  in_range("batch", o.batch, 1, kMany);
  in_range("epochs", o.epochs, 1, kMany);
  in_range("patience", o.patience, 0, kMany);
  in_range("warmup", o.warmup, 0, kMany);
  for (const std::int64_t m : o.milestones) in_range("milestones", m, 1, kMany);
  in_range("milestone_factor", o.milestone_factor, 1e-6, 1.0);
  in_range("plateau", o.plateau, 0, kMany);
  in_range("plateau_factor", o.plateau_factor, 1e-6, 1.0);
  in_range("shift", o.shift, 0, 4096);
  in_range("rotation", o.rotation, 0.0, 180.0);
  in_range("ensemble", o.ensemble, 1, 1000);
  in_range("checkpoint_every", o.checkpoint_every, 1, kMany);
  check_threads(o.threads);
  if (o.from_start && !o.start_from.empty())
    throw InputError("⟦from_start⟧ and ⟦start_from⟧ exclude each other: give one of them");
  if ((o.from_start || !o.start_from.empty()) && !is_cape(o.method))
    throw InputError("⟦from_start⟧ and ⟦start_from⟧ are for cape-bin and cape-kernel, not for " + o.method);
  for (const double x : o.tune) in_range("tune", x, 0.0, strongest);
  if (o.strength && !o.tune.empty())
    throw InputError("⟦strength⟧ and ⟦tune⟧ exclude each other: ⟦tune⟧ tries the strengths that it is given");
  if (!o.tune.empty() && (o.method == "ce" || o.method == "ce-resampled"))
    throw InputError("⟦tune⟧ sweeps the strength of a method, and " + o.method + " has none");
  if ((o.head == "gaussian" || o.head == "laplace") && o.targets != "auto" && o.targets != "targets")
    throw InputError("⟦head⟧ " + o.head + " learns numbers (targets.npy), and ⟦targets⟧ " + o.targets +
                     " are classes; leave out one of the two");
  if (!o.tune.empty() && o.ensemble > 1)
    throw InputError("⟦tune⟧ and ⟦ensemble⟧ exclude each other: tune first, then train the ensemble");
}

std::string to_json(const TrainOptions& o) {
  Json j;
  visit_options(o, [&](const char* name, const auto& value) { put(j, name, value); });
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
  visit_options(start, [&](const char* key, auto& value) {
    known.emplace_back(key);
    if (!j.contains(key)) return;
    try {
      take(j[key], value);
    } catch (const std::exception&) {
      throw InputError(name + " has a value for \"" + key + "\" that does not fit: " + j[key].dump());
    }
  });
  for (const auto& item : j.items()) {
    if (std::find(known.begin(), known.end(), item.key()) == known.end())
      throw InputError(name + " has an unknown option \"" + item.key() + "\"" +
                       did_you_mean(item.key(), known));
  }
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
