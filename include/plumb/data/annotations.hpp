// Votes as exported by annotation tools: one row per judgement (item, rater, label), joined with the
// predictions by the item's id.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/data/items.hpp"

namespace plumb {

/// How repeated judgements of one rater on one item are counted.
enum class Duplicates {
  last,   ///< the last row of the file
  keep,   ///< each is a vote
  refuse  ///< InputError
};
[[nodiscard]] const char* duplicates_name(Duplicates duplicates);

/// One row per judgement.
struct Annotations {
  Names item;
  Names rater;  ///< empty: the raters are unknown, and no judgement is a repeated one
  Rows label;   ///< class index or text; negative, NaN or empty text: no judgement
  [[nodiscard]] std::int64_t size() const { return item.size(); }
};

/// Counts of the join. Items are counted once.
struct JoinCounts {
  std::int64_t judgements = 0;                       ///< rows of the annotations
  std::int64_t used = 0;                             ///< votes that resulted from them
  std::int64_t repeated = 0;                         ///< by the same rater on the same item, beyond the first
  std::int64_t without_label = 0;                    ///< rows that hold no judgement
  std::int64_t items = 0;                            ///< that the annotations name
  std::int64_t items_unpredicted = 0;                ///< of those without a prediction
  std::int64_t unannotated = 0;                      ///< predictions that no annotation names
  std::string first_unpredicted, first_unannotated;  ///< an example of each
};

struct JoinedVotes {
  Votes votes;
  JoinCounts counts;
};

/// Votes in the order of `ids`, one name for each prediction. InputError: an id twice, nothing that joins
/// (with names of both sides), an unknown label, a repeated judgement where those are refused.
[[nodiscard]] JoinedVotes join_annotations(const Annotations& annotations, const Names& ids, int classes,
                                           const std::vector<std::string>& class_names,
                                           Duplicates duplicates = Duplicates::last, int threads = 0);

/// Notes about the join; empty when every row matched.
[[nodiscard]] std::vector<std::string> join_notes(const JoinCounts& counts, Duplicates duplicates,
                                                  const std::string& annotations, const std::string& ids);

}  // namespace plumb
