// How the event and each class are cut into cells.
#pragma once

#include <vector>

#include "evaluate/products.hpp"
#include "plumb/evaluate/evaluate.hpp"

namespace plumb::detail {

struct CellPlan {
  Cells event;
  std::vector<Cells> by_class;
  std::vector<Cells> disagreement;  ///< overall, then by class
};
/// Equal width, or equal mass of the full data (which costs a sort of each column that `products` need).
[[nodiscard]] CellPlan cell_plan(const Items& items, ProductSet products, const EvaluateOptions& options);
[[nodiscard]] CellPlan equal_width_plan(int bins, int classes);

}  // namespace plumb::detail
