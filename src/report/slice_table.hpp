// The slices as tables on a terminal, no wider than it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plumb/report/terminal.hpp"
#include "plumb/result.hpp"

namespace plumb::detail {

struct SliceColumns {
  std::vector<std::string> keys;  ///< in the order of the columns
  std::string first;              ///< the key that stays when there is room for one, with its interval
  std::function<std::string(double)> number;
};
/// One table for each way to slice, with a line that says which keys had no room. Empty without slices.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> slice_tables(const Result& r,
                                                                            const SliceColumns& columns,
                                                                            const TerminalOptions& o);

}  // namespace plumb::detail
