// How each regression metric is computed; its description is in the registry.
#pragma once

#include <string_view>

#include "plumb/registry.hpp"
#include "regression/products.hpp"

namespace plumb::detail {

struct RegressionRun {
  std::string_view key;
  RegressionProductSet needs;
  Estimate (*finish)(const RegressionProducts& products, const RegressionPlan& plan);
};

/// `row` is one of regression_metrics().
[[nodiscard]] const RegressionRun& regression_run(const MetricRow& row);

}  // namespace plumb::detail
