// What may be written where: no output over an input, no two outputs on one file. Every command checks this
// before anything is computed.
#pragma once

#include <string>
#include <vector>

namespace plumb::cli {

/// A flag and the path that was given to it; "" when it was not.
struct OutputPath {
  const char* flag;
  std::string path;
};

/// Compares where the files really are: "./q", a symbolic link and an absolute path may all be one file. Also
/// refuses - for flags other than --json. Throws InputError.
void check_outputs(const std::vector<OutputPath>& outputs, const std::vector<std::string>& inputs);

}  // namespace plumb::cli
