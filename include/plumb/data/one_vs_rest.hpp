// One class against the rest: what is defined for two classes, for each of several.
#pragma once

#include "plumb/data/items.hpp"

namespace plumb {

/// The binary items whose class 1 is `cls`: its probability in each stochastic prediction, and the votes for
/// it. A concentration stays what it is, since a Dirichlet distribution whose classes are merged is one.
/// Known raters stay known. 8 bytes per item and prediction. InputError for two classes or no such class.
[[nodiscard]] Items one_vs_rest(const Items& items, int cls);

}  // namespace plumb
