// Words of a command line that is shown to be copied.
#pragma once

#include <string>

namespace plumb::cli {

/// A word as a shell takes it: in quotes where it needs them.
[[nodiscard]] std::string shell_word(const std::string& word);

}  // namespace plumb::cli
