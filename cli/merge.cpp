#include <sys/stat.h>

#include <set>
#include <string_view>
#include <utility>

#include "commands.hpp"
#include "output.hpp"
#include "plumb/data/check.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/io/load.hpp"
#include "plumb/io/mapped_file.hpp"
#include "plumb/regression/state.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kMergeExamples = R"(Examples:
  plumb evaluate --probs probs-1.npy --labels labels-1.npy --save-state 1.plumb
  plumb evaluate --probs probs-2.npy --labels labels-2.npy --save-state 2.plumb
  plumb merge 1.plumb 2.plumb --json result.json
Values have the same bits as from one run over all the data, up to 65,536 distinct forecasts; above that
metrics that need sorted forecasts (auroc, ks, ece_mass, kernels) are computed on a fine grid of log-odds, and
the result states their error bounds. What needs all the data at once is null, with the reason.)";

/// The files, each once.
std::vector<std::string> paths_of(const Args& specs) {
  std::vector<std::string> out;
  std::set<std::pair<dev_t, ino_t>> seen;
  for (const Source& source : resolve(specs)) {
    if (!source.selection.empty()) throw InputError(source.path + ":" + source.selection + " is not a file");
    struct stat file {};
    if (stat(source.path.c_str(), &file) == 0 && !seen.emplace(file.st_dev, file.st_ino).second)
      throw InputError(source.path + " is given twice and would be counted twice; give each state once");
    out.push_back(source.path);
  }
  return out;
}

template <class Read>
auto read_state(const std::string& path, Read read) {
  const auto file = MappedFile::open(path);
  const auto bytes = file->bytes();
  return read({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

/// All the files as one state, of which two are in memory at a time; an error names the first file and the
/// one that does not match it.
template <class Read>
auto merged(const std::vector<std::string>& paths, Read read) {
  auto state = read_state(paths.front(), read);
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const auto next = read_state(paths[i], read);
    try {
      merge(state, next);
    } catch (const InputError& e) {
      throw InputError(paths.front() + " and " + paths[i] + ": " + e.sentence());
    }
  }
  return state;
}

}  // namespace

int merge_command(const Args& args) {
  Flags flags("merge", "Merges the states that \"plumb evaluate --save-state\" wrote for each shard.");
  Args specs, keys;
  OutputFlags output_flags;
  flags.positional("STATE", specs, "state files, or quoted patterns");
  flags.list("--metrics", "k,k|all", keys, "keys from \"plumb list\" [as evaluate]");
  add_output_flags(flags, output_flags);
  flags.examples(kMergeExamples);
  if (!flags.parse(args)) return kDone;
  if (specs.empty())
    throw InputError("no state file given; name the files that \"plumb evaluate --save-state FILE\" wrote");

  Output output(output_flags);
  const std::vector<std::string> paths = paths_of(specs);
  output.check_not_over(paths);

  Result result;
  std::string bytes;
  const bool regression = read_state(
      paths.front(), [](std::string_view head, const std::string&) { return is_regression_state(head); });
  if (regression) {
    const RegressionState state = merged(paths, deserialize_regression_state);
    RegressionOptions options;
    options.metrics = keys;
    result = finish(state, options);
    bytes = serialize(state);
  } else {
    const EvaluateState state = merged(paths, deserialize_state);
    EvaluateOptions options;
    options.metrics = keys;
    result = finish(state, options);
    bytes = serialize(state);
  }
  output.open();
  result.argv = argv_of("merge", args);
  for (const std::string& path : paths) result.inputs.push_back({"STATE", path, {}, "state", ""});
  output.pages().add_checksums(result.inputs, paths);
  return output.finish(result, bytes, !keys.empty());
}

}  // namespace plumb::cli
