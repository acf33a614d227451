// Ladders of a case: of all votes, of the majority, of each rater alone, and of each class.
#pragma once

#include <optional>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/metrics/ordered/ladder.hpp"

namespace plumb::detail {

/// Parts of a vote in which the majority is counted, so that tied classes can share it. A tie of more than
/// ten classes is rounded.
[[nodiscard]] std::uint32_t majority_unit(int classes, Ties ties);

struct CaseLadders {
  std::optional<Ladder> votes;
  std::optional<Ladder> majority;  ///< in units of majority_unit()
  std::vector<Ladder> raters;      ///< in the order of the columns
  std::vector<Ladder> classes;     ///< where they are wanted
};

struct WantedLadders {
  bool votes = false;    ///< the event, all votes
  bool single = false;   ///< the event, majority and raters
  bool classes = false;  ///< each class, all votes
};

/// One pass over the items, without weights.
[[nodiscard]] CaseLadders case_ladders(const Items& items, const WantedLadders& wanted, const TiesRule& ties,
                                       int threads);
void merge_into(CaseLadders& into, const CaseLadders& from);

}  // namespace plumb::detail
