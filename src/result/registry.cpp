#include "plumb/registry.hpp"

namespace plumb {

std::span<const MetricRow> metrics() { return kMetrics; }

const MetricRow* find_metric(std::string_view key) {
  for (const MetricRow& row : kMetrics)
    if (row.key == key) return &row;
  return nullptr;
}

std::span<const MetricRow> regression_metrics() { return kRegressionMetrics; }

const MetricRow* find_regression_metric(std::string_view key) {
  for (const MetricRow& row : kRegressionMetrics)
    if (row.key == key) return &row;
  return nullptr;
}

}  // namespace plumb
