// Finds the first row of a block that is not a valid prediction or vote and describes the error. Called only
// when a block failed its fast check, so it need not be fast.
#pragma once

#include <cstdint>
#include <string>

#include "plumb/data/array.hpp"

namespace plumb::detail {

[[noreturn]] void refuse_probabilities(const Rows& rows, std::int64_t begin, std::int64_t end,
                                       bool normalize);
[[noreturn]] void refuse_logits(const Rows& rows, std::int64_t begin, std::int64_t end);
[[noreturn]] void refuse_labels(const Rows& rows, std::int64_t begin, std::int64_t end, int classes);
[[noreturn]] void refuse_ratings(const Rows& rows, std::int64_t begin, std::int64_t end, int classes);
[[noreturn]] void refuse_counts(const Rows& rows, std::int64_t begin, std::int64_t end);

/// "probs.npy, row 17, column 3"; the column is left out where there is only one.
[[nodiscard]] std::string cell_of(const Rows& rows, std::int64_t row, std::int64_t column);
/// "probs.npy is 100 x 3", over all shards.
[[nodiscard]] std::string shape_of(const Rows& rows);

}  // namespace plumb::detail
