// From arguments of the command line to rows: files, selections, shards and patterns; the format by extension
// or content.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "plumb/data/array.hpp"
#include "plumb/io/csv.hpp"
#include "plumb/io/describe.hpp"

namespace plumb {

struct LoadOptions {
  Want want = Want::numbers;  ///< `numbers` refuses text columns; `either` for labels and ratings;
                              ///< `names` for groups, slices and ids
  bool empty_is_nan = false;  ///< CSV: an empty value or NA is NaN (ratings)
  int threads = 0;
};

/// One file and what to take from it: an array of an .npz, columns of a CSV; an empty selection
/// means everything.
struct Source {
  std::string path, selection;
  friend bool operator==(const Source&, const Source&) = default;
};

/// The files behind "path", "path:selection" and patterns (* ? [..]), in order; the matches of a pattern are
/// in natural order (part2 before part10). A path that exists is used as it is, even with colons. A pattern
/// without match throws InputError.
[[nodiscard]] std::vector<Source> resolve(std::span<const std::string> specs);

[[nodiscard]] Array load_one(const Source& source, const LoadOptions& options = {});
/// All sources as shards of one table. With Want::either, sources that hold numbers are text when any of them
/// is text: a shard of a text column may happen to hold numbers alone.
[[nodiscard]] Rows load(std::span<const std::string> specs, const LoadOptions& options = {});

/// "part2" before "part10".
[[nodiscard]] bool natural_less(const std::string& a, const std::string& b);

}  // namespace plumb
