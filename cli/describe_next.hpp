// The command that fits described files: which array is for which flag, by what it holds and what it is
// called.
#pragma once

#include <string>
#include <vector>

#include "plumb/io/describe.hpp"

namespace plumb::cli {

/// "plumb evaluate ..." with the files filled in, and words in capitals for what is not among them; "" when
/// nothing fits.
[[nodiscard]] std::string next_evaluate(const std::vector<ArrayInfo>& infos);

}  // namespace plumb::cli
