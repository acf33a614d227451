#include "plumb/report/json.hpp"

#include <cmath>
#include <stdexcept>

#include "plumb/registry.hpp"
#include "report/json_text.hpp"
#include "report/verdict_tree.hpp"

namespace plumb {
namespace {

using Json = nlohmann::ordered_json;

Json number(double x, const std::string& what) {
  if (!std::isfinite(x)) throw std::logic_error("the result's " + what + " is not a finite number");
  return x;
}

Json number(const std::optional<double>& x, const std::string& what) {
  return x ? number(*x, what) : Json(nullptr);
}

Json numbers(const std::vector<std::optional<double>>& values, const std::string& what) {
  Json out = Json::array();
  for (const auto& x : values) out.push_back(number(x, what));
  return out;
}

Json value(const Value& v, const std::string& what) {
  return std::visit(
      [&](const auto& x) -> Json {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return nullptr;
        } else if constexpr (std::is_same_v<T, double>) {
          return number(x, what);
        } else if constexpr (std::is_same_v<T, std::vector<double>>) {
          Json out = Json::array();
          for (const double e : x) out.push_back(number(e, what));
          return out;
        } else {
          return x;
        }
      },
      v);
}

Json metric(const std::string& key, const MetricResult& m) {
  Json out{{"value", number(m.value, key)}};
  if (!m.value) out["why"] = m.why;
  const auto add = [&](const char* name, const std::optional<double>& x) {
    if (x) out[name] = number(*x, key + "." + name);
  };
  add("low", m.low);
  add("high", m.high);
  if (!m.interval.empty()) out["interval"] = m.interval;
  if (!m.interval_why.empty()) out["interval_why"] = m.interval_why;
  add("null_mean", m.null_mean);
  add("p_value", m.p_value);
  if (m.items) out["items"] = *m.items;
  return out;
}

Json metrics_object(const MetricResults& results) {
  Json out = Json::object();
  for (const auto& [key, m] : results) out[key] = metric(key, m);
  return out;
}

Json input(const InputInfo& info) {
  Json out{{"flag", info.flag}, {"path", info.path}, {"shape", info.shape}, {"dtype", info.dtype}};
  if (!info.sha256.empty()) out["sha256"] = info.sha256;
  return out;
}

Json group_values(const GroupResult& g) {
  Json values = Json::object();
  for (const auto& [key, x] : g.metrics) values[key] = number(x, key + " of " + g.group);
  return values;
}

Json group(const GroupResult& g) {
  Json out{{"group", g.group}, {"items", g.items}, {"votes", g.votes}, {"metrics", group_values(g)}};
  if (!g.by.empty()) out["by"] = g.by;
  for (const auto& [key, i] : g.intervals) {
    const std::string what = key + "'s interval in slice " + g.group;
    out["intervals"][key] = {{"low", number(i.low, what)},
                             {"high", number(i.high, what)},
                             {"interval", i.interval},
                             {"simultaneous_low", number(i.simultaneous_low, what)},
                             {"simultaneous_high", number(i.simultaneous_high, what)}};
  }
  for (const auto& [key, why] : g.interval_why) out["interval_why"][key] = why;
  return out;
}

Json table(const std::string& name, const Table& t) {
  Json out = Json::array();
  for (const auto& cells : t.rows) {
    Json row = Json::object();
    for (std::size_t c = 0; c < t.columns.size(); ++c) {
      row[t.columns[c]] = value(cells.at(c), name + "." + t.columns[c]);
    }
    out.push_back(std::move(row));
  }
  return out;
}

Json tree(const Tree& t, const std::string& what) {
  if (const auto* v = std::get_if<Value>(&t.node)) return value(*v, what);
  if (const auto* list = std::get_if<Tree::List>(&t.node)) {
    Json out = Json::array();
    for (const Tree& e : *list) out.push_back(tree(e, what));
    return out;
  }
  Json out = Json::object();
  for (const auto& [key, e] : std::get<Tree::Members>(t.node)) out[key] = tree(e, what + "." + key);
  return out;
}

/// Wherever a metric stands that has another name, the value stands under that name too: programs that read
/// the old one go on.
void add_aliases(Json& at) {
  for (Json& e : at)
    if (e.is_structured()) add_aliases(e);
  if (!at.is_object()) return;
  for (const KeyAlias& a : kAliases)
    if (at.contains(a.key)) at[std::string(a.alias)] = Json(at[std::string(a.key)]);
}

}  // namespace

std::string render_json(const Result& r) {
  Json out{
      {"plumb", r.version}, {"format", kResultFormat}, {"command", r.command}, {"argv", r.argv},
      {"task", r.task},     {"items", r.items},        {"classes", r.classes}, {"class_names", r.class_names},
      {"votes", r.votes}};
  out["settings"] = Json::object();
  for (const auto& [key, v] : r.settings) out["settings"][key] = value(v, "setting " + key);
  out["inputs"] = Json::array();
  for (const InputInfo& info : r.inputs) out["inputs"].push_back(input(info));
  if (!r.verdict.verdict.empty() || !r.verdict.why.empty())
    out["verdict"] = tree(detail::verdict_tree(r.verdict), "verdict");
  out["metrics"] = metrics_object(r.metrics);
  if (!r.consensus.empty()) out["consensus"] = metrics_object(r.consensus);
  out["per_class"] = Json::object();
  for (const auto& [key, values] : r.per_class) out["per_class"][key] = numbers(values, key + " of a class");
  if (!r.per_group.empty()) {
    out["per_group"] = Json::array();
    for (const GroupResult& g : r.per_group) out["per_group"].push_back(group(g));
  }
  for (const GroupResult& g : r.per_rater) out["per_rater"][g.group] = group_values(g);
  out["tables"] = Json::object();
  for (const auto& [name, t] : r.tables) out["tables"][name] = table(name, t);
  for (const auto& [key, section] : r.sections) out[key] = tree(section, key);
  add_aliases(out);
  out["notes"] = r.notes;
  detail::quote_options(out);
  return detail::json_text(out);
}

}  // namespace plumb
