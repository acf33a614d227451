#include "report/runs.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "plumb/data/check.hpp"
#include "plumb/registry.hpp"
#include "result/shared/json_limits.hpp"

namespace plumb {
namespace detail {
namespace {

/// Each metric under its key alone; a result that is older than the key has only the other name.
void remove_aliases(Json& at) {
  for (Json& e : at)
    if (e.is_structured()) remove_aliases(e);
  if (!at.is_object()) return;
  for (const KeyAlias& a : kAliases) {
    const auto old = at.find(a.alias);
    if (old == at.end()) continue;
    Json value = *old;
    at.erase(old);
    if (!at.contains(a.key)) at[std::string(a.key)] = std::move(value);
  }
}

Json parse(const NamedResult& r) {
  check_json_limits(r.json, r.name);
  Json json = Json::parse(r.json, nullptr, false);
  if (json.is_discarded())
    throw InputError(r.name + ": this is not JSON; give a file that \"plumb ... ⟦json⟧ FILE\" wrote");
  if (!json.is_object() || !json.contains("plumb") || !json.contains("command"))
    throw InputError(
        r.name +
        ": this is JSON but not a plumb result: it has no \"plumb\" and \"command\"; give a file that \"plumb ... ⟦json⟧ FILE\" wrote, or history.json of a training run");
  if (const double format = number(json, "format").value_or(1); format > kResultFormat)
    throw InputError(fmt::format(
        "{}: a result of format {:g}, and this version reads formats up to {}; install a newer plumb", r.name,
        format, kResultFormat));
  remove_aliases(json);
  return json;
}

MetricResults metrics(const Json* object) {
  MetricResults out;
  if (object == nullptr || !object->is_object()) return out;
  for (const auto& [key, m] : object->items()) {
    MetricResult r;
    r.value = number(m, "value");
    r.low = number(m, "low");
    r.high = number(m, "high");
    r.null_mean = number(m, "null_mean");
    r.p_value = number(m, "p_value");
    out.emplace_back(key, r);
  }
  return out;
}

/// A result of format 1 has none: its rule is no longer used.
Verdict read_verdict(const Json& json) {
  Verdict v;
  const Json* at = look(json, {"verdict"});
  if (at == nullptr) {
    if (!number(json, "format") && text(json, "command") == "evaluate")
      v.why = "the result was made by plumb " + text(json, "plumb") +
              ", which reached none; evaluate again with ⟦bootstrap⟧ 200";
    return v;
  }
  v.verdict = text(*at, "verdict");
  if (v.verdict != "trustworthy" && v.verdict != "off" && v.verdict != "cannot tell") v.verdict.clear();
  const Json* certain = look(*at, {"certain"});
  v.certain = certain != nullptr && certain->is_boolean() && certain->get<bool>();
  v.tolerance = number(*at, "tolerance").value_or(0);
  v.estimate = number(*at, "estimate");
  v.low = number(*at, "low");
  v.high = number(*at, "high");
  v.p_value = number(*at, "p_value");
  if (const auto needed = number(*at, "needed"); needed && *needed >= 0 && *needed < 1e18)
    v.needed = static_cast<std::int64_t>(*needed);
  v.unit = text(*at, "unit");
  v.why = text(*at, "why");
  return v;
}

Value value(const Json& j) {
  if (j.is_number_integer()) return j.get<std::int64_t>();
  if (j.is_number()) return j.get<double>();
  if (j.is_string()) return j.get<std::string>();
  return {};
}

// mean_p of a bin may have been written as a whole number: 1.0 reads back as a double, and so it must here.
Value as_double(const Json& row, const char* key) {
  const auto x = number(row, key);
  return x ? Value(*x) : Value{};
}

}  // namespace

Runs read_runs(std::span<const NamedResult> results) {
  if (results.empty()) throw InputError("no result given; a report needs at least one");
  Runs out;
  for (const NamedResult& r : results) out.push_back({r.name, parse(r)});
  return out;
}

const Json* look(const Json& at, std::initializer_list<std::string_view> path) {
  const Json* here = &at;
  for (const std::string_view key : path) {
    if (!here->is_object()) return nullptr;
    const auto it = here->find(key);
    if (it == here->end() || it->is_null()) return nullptr;
    here = &*it;
  }
  return here;
}

std::optional<double> number(const Json& at, std::string_view key) {
  const Json* x = look(at, {key});
  return x != nullptr && x->is_number() ? std::optional(x->get<double>()) : std::nullopt;
}

Json member(const Json& at, std::string_view key) {
  const Json* x = look(at, {key});
  return x != nullptr ? *x : Json(nullptr);
}

std::string text(const Json& at, std::string_view key) {
  const Json* x = look(at, {key});
  return x != nullptr && x->is_string() ? x->get<std::string>() : "";
}

const Json* rows(const Run& run, std::string_view table) {
  const Json* t = look(run.json, {"tables", table});
  return t != nullptr && t->is_array() && !t->empty() ? t : nullptr;
}

std::optional<double> metric(const Run& run, std::string_view key) {
  const Json* m = look(run.json, {"metrics", key});
  return m != nullptr ? number(*m, "value") : std::nullopt;
}

std::string class_name(const Run& run, std::size_t k) {
  const Json* names = look(run.json, {"class_names"});
  if (names != nullptr && names->is_array() && k < names->size() && (*names)[k].is_string())
    return (*names)[k].get<std::string>();
  return fmt::format("class {}", k);
}

bool several_models(const Runs& runs) {
  return std::any_of(runs.begin(), runs.end(), [&](const Run& r) { return r.name != runs.front().name; });
}

std::string model_name(const Runs& runs, const std::string& name, bool first) {
  return several_models(runs) ? name : first ? "The model" : "the model";
}

std::string of_model(const Runs& runs, const std::string& name) {
  return several_models(runs) ? " of " + name : "";
}

std::string model_prefix(const Runs& runs, const std::string& name) {
  return several_models(runs) ? name + ": " : "";
}

Result to_result(const Run& run) {
  Result r;
  r.version = text(run.json, "plumb");
  r.command = text(run.json, "command");
  r.task = text(run.json, "task");
  r.verdict = read_verdict(run.json);
  if (const Json* argv = look(run.json, {"argv"}); argv != nullptr && argv->is_array())
    for (const Json& word : *argv)
      if (word.is_string()) r.argv.push_back(word.get<std::string>());
  const auto count = [](const Json& at, const char* key) {
    return static_cast<std::int64_t>(number(at, key).value_or(0));
  };
  r.items = count(run.json, "items");
  r.classes = count(run.json, "classes");
  r.votes = count(run.json, "votes");
  if (const Json* names = look(run.json, {"class_names"}); names != nullptr && names->is_array())
    for (std::size_t k = 0; k < names->size(); ++k) r.class_names.push_back(class_name(run, k));
  if (const Json* settings = look(run.json, {"settings"}); settings != nullptr && settings->is_object())
    for (const auto& [key, v] : settings->items()) r.settings.emplace_back(key, value(v));
  r.metrics = metrics(look(run.json, {"metrics"}));
  r.consensus = metrics(look(run.json, {"consensus"}));
  if (const Json* by_class = look(run.json, {"per_class"}); by_class != nullptr && by_class->is_object())
    for (const auto& [key, values] : by_class->items()) {
      std::vector<std::optional<double>> numbers;
      for (const Json& x : values)
        numbers.push_back(x.is_number() ? std::optional(x.get<double>()) : std::nullopt);
      r.per_class.emplace_back(key, std::move(numbers));
    }
  if (const Json* groups = look(run.json, {"per_group"}); groups != nullptr && groups->is_array())
    for (const Json& g : *groups) {
      GroupResult out{text(g, "group"), count(g, "items"), 0, {}};
      if (const Json* values = look(g, {"metrics"}); values != nullptr && values->is_object())
        for (const auto& [key, x] : values->items()) out.metrics.emplace_back(key, number(*values, key));
      r.per_group.push_back(std::move(out));
    }
  if (const Json* list = rows(run, "rejection")) {
    Table t;
    t.columns = {"threshold", "rejected", "kept", "mse", "falls"};
    for (const Json& row : *list) {
      const Json falls = member(row, "falls");
      t.rows.push_back({as_double(row, "threshold"), as_double(row, "rejected"), as_double(row, "kept"),
                        as_double(row, "mse"), falls.is_boolean() ? Value(falls.get<bool>()) : value(falls)});
    }
    r.tables.emplace_back("rejection", std::move(t));
  }
  if (const Json* bins = rows(run, "reliability")) {
    Table t;
    t.columns = {"weight", "mean_p", "mean_y"};
    for (const Json& row : *bins)
      t.rows.push_back({as_double(row, "weight"), as_double(row, "mean_p"), as_double(row, "mean_y")});
    r.tables.emplace_back("reliability", std::move(t));
  }
  return r;
}

}  // namespace detail

std::string given_name(const std::string& json) {
  const detail::Json j = detail::Json::parse(json, nullptr, false);
  return j.is_object() ? detail::text(j, "name") : "";
}

std::string name_of_result(const std::string& json) {
  const detail::Json j = detail::Json::parse(json, nullptr, false);
  if (const std::string name = given_name(json); !name.empty()) return name;
  if (const auto* inputs = detail::look(j, {"inputs"});
      inputs != nullptr && inputs->is_array() && !inputs->empty()) {
    const std::string path = detail::text(inputs->front(), "path");
    const std::string stem = std::filesystem::path(path.substr(0, path.find_last_of(':'))).stem().string();
    if (!stem.empty()) return stem;
  }
  return detail::text(j, "command");
}

}  // namespace plumb
