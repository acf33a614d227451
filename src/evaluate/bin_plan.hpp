// How the event and each class are cut into bins.
#pragma once

#include <vector>

#include "evaluate/products.hpp"
#include "plumb/evaluate/evaluate.hpp"

namespace plumb::detail {

struct BinPlan {
  BinEdges event;
  std::vector<BinEdges> by_class;
  std::vector<BinEdges> disagreement;  ///< overall, then by class
};
/// Equal width, or equal mass of the full data (which costs a sort of each column that `products` need).
[[nodiscard]] BinPlan bin_plan(const Items& items, ProductSet products, const EvaluateOptions& options);
[[nodiscard]] BinPlan equal_width_plan(int bins, int classes);

}  // namespace plumb::detail
