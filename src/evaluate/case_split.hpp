// The sums of a case in one pass, by how its raters voted: voxels on which all of them agree are most of an
// image, and every sum over them follows from that of a single vote.
#pragma once

#include <optional>
#include <vector>

#include "evaluate/bin_plan.hpp"
#include "evaluate/case_ladders.hpp"
#include "evaluate/case_overlap.hpp"
#include "evaluate/product_set.hpp"
#include "plumb/evaluate/state.hpp"

namespace plumb::detail {

/// What is supported; other products need the votes item by item.
inline constexpr ProductSet kBySplit{Product::event_table, Product::class_tables, Product::proper_scores,
                                     Product::histogram};

struct SplitExtras {
  bool logs = true;      ///< false: log-losses need not be computed
  bool ladders = false;  ///< ladders of the event are welcome
};

struct SplitSums {
  StreamSums votes, consensus;
  std::vector<StreamSums> raters;  ///< without the histogram
  CaseOverlap overlap;
  std::uint64_t tied = 0;
  std::uint32_t most_votes = 0;
  std::optional<CaseLadders> ladders;  ///< where they were made on the way
};

/// The bits of stream_sums() over the votes, over the majority and over each rater, and of case_overlap().
/// Votes are ratings; items have no weights. `products` are among kBySplit.
[[nodiscard]] SplitSums split_sums(const Items& items, ProductSet products, const EvaluateOptions& options,
                                   const SplitExtras& extras = {});

/// Adds voxels item by item, all but their overlap.
void add_item_by_item(const Items& items, const BinPlan& plan, ProductSet products, const EvaluateOptions& o,
                      SplitSums& out);

}  // namespace plumb::detail
