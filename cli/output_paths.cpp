#include "output_paths.hpp"

#include <filesystem>
#include <system_error>

#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"

namespace plumb::cli {
namespace {

namespace fs = std::filesystem;

/// What is written to a pipe, a terminal or /dev/null replaces nothing.
bool keeps_nothing(const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

bool one_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return output_target(a) == output_target(b) || fs::equivalent(a, b, ignored);  // the latter: hard links
}

}  // namespace

void check_outputs(std::initializer_list<OutputPath> outputs, const std::vector<std::string>& inputs) {
  for (const auto* a = outputs.begin(); a != outputs.end(); ++a) {
    const std::string flag = a->flag;
    if (a->path.empty() || (a->path == "-" && flag == "--json")) continue;
    if (a->path == "-") throw InputError(flag + " writes a file; give it a name instead of -");
    if (keeps_nothing(a->path)) continue;
    for (const std::string& input : inputs)
      if (one_file(a->path, input))
        throw InputError(flag + " would write over the input " + input + "; give it another name");
    for (const auto* b = outputs.begin(); b != a; ++b)
      if (!b->path.empty() && b->path != "-" && one_file(b->path, a->path))
        throw InputError(std::string(b->flag) + " and " + flag + " name the same file " + a->path +
                         "; give them different names");
  }
}

}  // namespace plumb::cli
