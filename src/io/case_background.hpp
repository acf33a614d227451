// Which structure, given that it is one.
#pragma once

#include "plumb/data/items.hpp"

namespace plumb::detail {

/// Voxels where a rater names another class than the first, without the votes for it. What the model says of
/// class k > 0 is p_k / (1 - p_0), so the classes are one fewer; a model that is calibrated for all classes
/// is so for these votes too, since both sides of every bin are divided by the same chance. Where p_0 is 1
/// there is nothing to divide: the structures get equal shares, and `even` counts such voxels. `rows` gets
/// the items that are left.
[[nodiscard]] Items without_background(const Items& items, std::int64_t& even,
                                       std::vector<std::int64_t>& rows);

}  // namespace plumb::detail
