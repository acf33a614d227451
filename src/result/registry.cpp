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

std::string_view why_no_interval(const MetricRow& row) {
  if (row.interval != Interval::none) return {};
  const auto is = [&](std::initializer_list<std::string_view> keys) {
    return std::find(keys.begin(), keys.end(), row.key) != keys.end();
  };
  if (is({"cox_score", "spiegelhalter_z"})) return "a test statistic is not a measure of size";
  if (is({"mean_gap"})) return "the usual intervals of an absolute value do not cover near 0";
  if (is({"brier_calibration", "brier_refinement"}))
    return "if every forecast has one outcome, it does not estimate a property of the model";
  if (is({"skce"})) return "no interval has been tested; the p-value says whether it is above 0";
  if (is({"brier_uncertainty"})) return "at a base rate of 1/2 percentiles lie below the true value";
  return "noise alone makes this error positive, and no tested interval covers the true one";
}

void check_keys(std::span<const std::string> keys, std::span<const MetricRow> rows,
                const std::string& complaint) {
  std::vector<std::string> known;
  for (const MetricRow& row : rows) known.emplace_back(row.key);
  for (const std::string& key : keys)
    if (key != "all" && std::find(known.begin(), known.end(), canonical_key(key)) == known.end())
      throw InputError(complaint + " \"" + key + "\"" + did_you_mean(key, known) +
                       "; \"plumb list\" shows them all");
}

}  // namespace plumb
