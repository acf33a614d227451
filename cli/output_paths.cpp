#include "output_paths.hpp"

#include <filesystem>
#include <system_error>

#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"

namespace plumb::cli {
namespace {

namespace fs = std::filesystem;

/// What is written to a pipe, a terminal or /dev/null replaces nothing.
bool is_pipe_or_device(const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

bool one_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return output_target(a) == output_target(b) || fs::equivalent(a, b, ignored);  // the latter: hard links
}

/// Whether a folder of plots would hold the file under a name that plots have.
bool among_plots(const std::string& folder, const std::string& path) {
  const fs::path file(output_target(path));
  const bool named = file.extension() == ".svg" || file.filename().string().ends_with(".vl.json");
  std::error_code ignored;
  return named && fs::equivalent(file.parent_path(), folder, ignored);
}

}  // namespace

void check_outputs(const std::vector<OutputPath>& outputs, const std::vector<std::string>& inputs) {
  for (auto a = outputs.begin(); a != outputs.end(); ++a) {
    const std::string flag = a->flag;
    if (a->path.empty() || (a->path == "-" && flag == "--json")) continue;
    if (a->path == "-") throw InputError(flag + " writes a file; give it a name instead of -");
    if (is_pipe_or_device(a->path)) continue;
    const bool plots = flag == "--plots";
    for (const std::string& input : inputs)
      if (plots && among_plots(a->path, input))
        throw InputError("--plots " + a->path + " may overwrite the input " + input +
                         "; give another folder");
    for (auto b = outputs.begin(); plots && b != outputs.end(); ++b)
      if (b != a && !b->path.empty() && b->path != "-" && among_plots(a->path, b->path))
        throw InputError("--plots " + a->path + " may overwrite " + b->path + " of " + b->flag +
                         "; give another folder");
    for (const std::string& input : inputs)
      if (one_file(a->path, input))
        throw InputError(flag + " would overwrite the input " + input + "; give it another name");
    for (auto b = outputs.begin(); b != a; ++b)
      if (!b->path.empty() && b->path != "-" && one_file(b->path, a->path))
        throw b->flag == flag
            ? InputError(flag + " names the file " + a->path + " twice; give different names")
            : InputError(std::string(b->flag) + " and " + flag + " name the same file " + a->path +
                         "; give them different names");
  }
}

}  // namespace plumb::cli
