#include "plumb/registry.hpp"

#include <algorithm>

#include "plumb/data/check.hpp"

namespace plumb {

std::string_view canonical_key(std::string_view key) {
  for (const KeyAlias& a : kAliases)
    if (a.alias == key) return a.key;
  return key;
}

std::string_view alias_of(std::string_view key) {
  for (const KeyAlias& a : kAliases)
    if (a.key == key) return a.alias;
  return {};
}

std::span<const MetricRow> metrics() { return kMetrics; }

const MetricRow* find_metric(std::string_view key) {
  const std::string_view canonical = canonical_key(key);
  for (const MetricRow& row : kMetrics)
    if (row.key == canonical) return &row;
  return nullptr;
}

std::span<const MetricRow> regression_metrics() { return kRegressionMetrics; }

const MetricRow* find_regression_metric(std::string_view key) {
  for (const MetricRow& row : kRegressionMetrics)
    if (row.key == key) return &row;
  return nullptr;
}

void check_keys(std::span<const std::string> keys, std::span<const MetricRow> rows,
                const std::string& complaint) {
  std::vector<std::string> known;
  for (const MetricRow& row : rows) known.emplace_back(row.key);
  for (const std::string& key : keys)
    if (key != "all" && std::find(known.begin(), known.end(), canonical_key(key)) == known.end())
      throw InputError(complaint + " \"" + key + "\"" + did_you_mean(key, known) +
                       "; `plumb list` shows them all");
}

}  // namespace plumb
