// --classes as a file.
#pragma once

#include <string>

#include "shell/flags.hpp"

namespace plumb::cli {

/// The lines of a text file, one name each; `word` itself where no such file is (a single name never names
/// all classes). InputError for a file that is not a list of names.
[[nodiscard]] Args names_in_file(const std::string& word);

}  // namespace plumb::cli
