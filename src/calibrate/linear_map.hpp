// The map softmax(W u + b) with W full or diagonal, on logits or on log-probabilities.
#pragma once

#include <vector>

#include "calibrate/rows.hpp"

namespace plumb::detail {

struct LinearMap {
  int classes = 0;
  std::vector<double> w;   ///< K (diagonal) or K x K
  std::vector<double> b;   ///< K
  double temperature = 0;  ///< 0: u are the logits; else log softmax(logits / T), clipped
};
[[nodiscard]] MapPtr make_linear_map(LinearMap map);

}  // namespace plumb::detail
