// `plumb evaluate --sets` as a function: how often sets of classes hold the votes, the majority and each
// rater's label, and how large they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumb/data/items.hpp"

namespace plumb {

/// A share with a Wilson interval whose number of observations is that of independent votes with the same
/// variance between units (groups if given, otherwise items); with few groups wider, as Student's t is.
struct Coverage {
  std::string against;  ///< "votes", "majority", a rater, or a slice
  std::int64_t items = 0;
  std::optional<double> value, low, high;
};

struct SetsResult {
  std::int64_t items = 0, votes = 0;         ///< items with votes
  std::vector<Coverage> coverage;            ///< votes: of a random vote of an item; majority; each rater
  std::vector<Coverage> by_size;             ///< of the votes, by the size of the set
  std::vector<Coverage> by_class;            ///< of the votes for each class
  std::vector<Coverage> by_class_of_groups;  ///< with groups: mean over groups with votes for the class
  std::vector<Coverage> by_slice;            ///< of the votes, by each way to slice
  double mean_size = 0, size_low = 0, size_high = 0;
  std::int64_t empty = 0;  ///< sets without any class
};

struct SetsOptions {
  double level = 0.95;  ///< of the intervals
  Ties ties = Ties::half;
  std::uint64_t seed = 0;
};

/// `sets`: N x K numbers, 0 or 1. Every item counts once: the coverage of an item is the share of its votes
/// that are in its set. Items without votes do not enter. Throws InputError.
[[nodiscard]] SetsResult evaluate_sets(const Rows& sets, const Votes& votes, const Names& groups,
                                       const std::vector<Names>& by, const SetsOptions& options);

}  // namespace plumb
