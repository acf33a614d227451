// Ways to slice made from others: numbers cut into ranges, and intersections.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plumb/data/items.hpp"

namespace plumb {

/// How the numbers of one way to slice become ranges: parts of equal size, or ranges between edges.
struct Cut {
  std::string name;                ///< of the way: its title
  int quantiles = 0;               ///< above 0: so many parts
  std::vector<double> edges = {};  ///< otherwise: ascending; a number on an edge belongs to the range above
};
/// "age=quantile4" or "age=40,65". Throws InputError for anything else; `option` is named in the message.
[[nodiscard]] Cut parse_cut(const std::string& text, const std::string& option);

/// Part min(Q - 1, floor(Q * share of items with a smaller number)): equal numbers stay together. A part is
/// named by its range ("40 to 65"). InputError where a name is not a number.
[[nodiscard]] Names cut_names(const Names& by, const Cut& cut);

/// The ways themselves, then the intersections of two, three, ..., `most` of them, named "site x sex".
[[nodiscard]] std::vector<Names> with_intersections(std::span<const Names> ways, int most);

}  // namespace plumb
