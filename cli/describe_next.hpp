// The command for the described files: which array goes to which flag, by content and name.
#pragma once

#include <string>
#include <vector>

#include "plumb/io/describe.hpp"

namespace plumb::cli {

/// "plumb evaluate ..." (for volumes, after the line that writes their table of cases) with the files filled
/// in, and words in capitals for what is missing; "" when nothing fits.
[[nodiscard]] std::string next_evaluate(const std::vector<ArrayInfo>& infos);

}  // namespace plumb::cli
