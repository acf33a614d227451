// The registry for `plumb list`, as a table and as JSON.
#include <array>
#include <cmath>
#include <optional>

#include "plumb/report/json.hpp"
#include "plumb/report/terminal.hpp"
#include "report/json_text.hpp"
#include "report/text_table.hpp"

namespace plumb {
namespace {

using Json = nlohmann::ordered_json;

// In the order of the enumerations in registry.hpp.
constexpr std::array kTask{"any", "binary", "multiclass", "regression"};
constexpr std::array kNeeds{"votes", "pairs", "truth"};
constexpr std::array kBetterNames{"lower", "higher", "zero", "one", "neither"};
constexpr std::array kCost{"linear", "sort", "quadratic"};
constexpr std::array kRoom{"streaming", "ordered", "kernel"};
constexpr std::array kInterval{"percentile", "basic",     "inversion", "wilson", "logit",
                               "normal",     "inversion", "exact",     "none"};

template <std::size_t N, class Enum>
const char* name_of(const std::array<const char*, N>& names, Enum e) {
  return names.at(static_cast<std::size_t>(e));
}

const char* needs_of(const MetricRow& m) {
  return m.task == Task::regression ? "targets" : name_of(kNeeds, m.needs);
}

struct MeasuredCost {
  std::string_view key;
  int nanoseconds;
  bool regression;
};
constexpr MeasuredCost kMeasured[] = {
#include "report/costs.inc"
};

std::optional<int> nanoseconds_of(const MetricRow& m) {
  for (const MeasuredCost& c : kMeasured)
    if (c.key == m.key && c.regression == (m.task == Task::regression)) return c.nanoseconds;
  return std::nullopt;
}

/// Measured, or the class of cost where it was not.
std::string cost_of(const MetricRow& m) {
  const std::optional<int> measured = nanoseconds_of(m);
  return measured ? std::to_string(*measured) : name_of(kCost, m.cost);
}

std::string line_of(const MetricRow& m, const Spelling& spelling) {
  const std::string_view alias = m.task == Task::regression ? "" : alias_of(m.key);
  return spell(m.line, spelling) + (alias.empty() ? "" : " (alias: " + std::string(alias) + ")");
}

Json measured_of(const MetricRow& m) {
  const std::optional<int> measured = nanoseconds_of(m);
  return measured ? Json(*measured) : Json(nullptr);
}

Json bound(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json metric_rows(std::span<const MetricRow> metrics) {
  Json rows = Json::array();
  for (const MetricRow& m : metrics) {
    rows.push_back({{"key", m.key},
                    {"task", name_of(kTask, m.task)},
                    {"needs", needs_of(m)},
                    {"better", name_of(kBetterNames, m.better)},
                    {"low", bound(m.low)},
                    {"high", bound(m.high)},
                    {"cost", name_of(kCost, m.cost)},
                    {"ns_per_row", measured_of(m)},
                    {"room", name_of(kRoom, m.room)},
                    {"interval", name_of(kInterval, m.interval)},
                    {"null", m.null},
                    {"per_class", m.per_class},
                    {"on_request", m.on_request},
                    {"line", spell(m.line, kBareName)}});
    if (const std::string_view alias = m.task == Task::regression ? "" : alias_of(m.key); !alias.empty())
      rows.back()["alias"] = alias;
  }
  return rows;
}

constexpr std::string_view kMeasuredHow =
    "ns per row: one core of 2.6 GHz with AVX-512, the key alone on 1e6 labels (votes of ten classes, where it needs them); keys that share a pass cost less together. ";
constexpr int kAllColumns = 110;  ///< below it there is no room for words beside five columns

/// On a narrow terminal: what is unusual about a metric stands behind its line.
std::string narrow_list(std::span<const MetricRow> metrics, const TerminalOptions& options, bool measured) {
  detail::TextTable table({"metric", measured ? "ns per row" : "best", "what it is"});
  table.wrap_last();
  for (const MetricRow& m : metrics) {
    std::string facts;
    const auto add = [&](const std::string& fact) { facts += (facts.empty() ? "" : ", ") + fact; };
    if (m.task == Task::binary || m.task == Task::multiclass) add(name_of(kTask, m.task));
    if (m.needs != Needs::votes) add(std::string("needs ") + needs_of(m));
    if (m.cost != Cost::linear && !measured) add(name_of(kCost, m.cost));
    table.add({std::string(m.key), measured ? cost_of(m) : name_of(kBetterNames, m.better),
               line_of(m, options.spelling) + (facts.empty() ? "" : " [" + facts + "]")});
  }
  const bool regression = metrics.front().task == Task::regression;
  if (regression) return table.render(options.colour, options.width);
  const std::string legend =
      std::string(measured ? kMeasuredHow : "") +
      "[...]: the only tasks it is for, what it needs (pairs: two votes on some item; truth: ⟦truth⟧)" +
      (measured ? "." : ", and its cost where that is a sort or quadratic.");
  return table.render(options.colour, options.width) + "\n" +
         detail::wrap(spell(legend, options.spelling), options.width, "") + "\n";
}

}  // namespace

std::string render_list(std::span<const MetricRow> metrics, const TerminalOptions& options, bool measured) {
  if (metrics.empty()) return "";
  if (options.width < kAllColumns) return narrow_list(metrics, options, measured);
  detail::TextTable table(
      {"metric", "task", "needs", "best", measured ? "ns per row" : "cost", "what it is"});
  table.wrap_last();
  for (const MetricRow& m : metrics) {
    table.add({std::string(m.key), name_of(kTask, m.task), needs_of(m), name_of(kBetterNames, m.better),
               measured ? cost_of(m) : name_of(kCost, m.cost), line_of(m, options.spelling)});
  }
  const bool regression = !metrics.empty() && metrics.front().task == Task::regression;
  if (regression) return table.render(options.colour, options.width);
  return table.render(options.colour, options.width) +
         (measured ? "\n" + detail::wrap(std::string(kMeasuredHow), options.width, "") + "\n"
                   : std::string()) +
         spell("\nneeds: votes = any label or vote; pairs = two votes on some item; truth = ⟦truth⟧.\n",
               options.spelling);
}

std::string render_list_json(std::span<const MetricRow> metrics, const std::string& version,
                             std::span<const CalibratorRow> calibrators) {
  Json methods = Json::array();
  for (const CalibratorRow& c : calibrators) {
    methods.push_back({{"method", c.method},
                       {"task", c.serves(2) ? c.serves(3) ? "any" : "binary" : "multiclass"},
                       {"line", spell(c.line, kBareName)}});
  }
  return detail::json_text({{"plumb", version},
                            {"metrics", metric_rows(metrics)},
                            {"regression_metrics", metric_rows(kRegressionMetrics)},
                            {"calibrators", methods}});
}

}  // namespace plumb
