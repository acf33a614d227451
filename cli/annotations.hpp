// --annotations: judgements in long form, from the files that the flag names.
#pragma once

#include "inputs.hpp"
#include "plumb/data/annotations.hpp"

namespace plumb::cli {

/// Reads item, rater and label of every row: the columns of these names, or those that follow the file's name
/// in this order (two: item and label).
[[nodiscard]] Annotations load_annotations(const Args& specs, int threads, InputRecord& record);

/// The votes of the predictions that `ids` names; notes and counts go to the record.
[[nodiscard]] Votes joined_votes(const Annotations& annotations, const Names& ids, int classes,
                                 const Args& class_names, const std::string& duplicates, int threads,
                                 InputRecord& record);

}  // namespace plumb::cli
