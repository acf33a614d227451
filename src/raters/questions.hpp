// What to ask next: items where one more vote tells most, and the number of votes needed per item.
#pragma once

#include <vector>

#include "plumb/raters/raters.hpp"
#include "raters/quantities.hpp"

namespace plumb::detail {

/// The `most` items of largest gain, for one more vote by an average rater; ties: the earlier row.
[[nodiscard]] std::vector<AskRow> items_to_ask(const DawidSkene& fit, const AllVotes& votes,
                                               const std::vector<double>& consensus, int most, int threads);

/// Fills within, within_class and needed: a share of n votes has the standard error sqrt(within/n) about the
/// share of all raters at large, root mean square over items.
void add_precision(const AllVotes& votes, double target_se, RatersResult& out);

}  // namespace plumb::detail
