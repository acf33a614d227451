// Forecasts of quantiles as arguments.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "plumb/regression/quantiles.hpp"

namespace plumb::python {

struct QuantileColumns {
  Data quantiles, targets, weights, groups, within;
  std::vector<std::pair<std::string, Data>> slices;
  std::vector<double> levels;
  [[nodiscard]] QuantileItems items() const;  ///< InputError without quantiles
};
[[nodiscard]] QuantileColumns quantile_columns(Arguments& arguments);

}  // namespace plumb::python
