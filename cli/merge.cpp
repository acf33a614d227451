#include <filesystem>

#include "commands.hpp"
#include "output.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/load.hpp"
#include "plumb/io/mapped_file.hpp"

namespace plumb::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  plumb evaluate --probs probs-1.npy --labels labels-1.npy --save-state 1.plumb
  plumb evaluate --probs probs-2.npy --labels labels-2.npy --save-state 2.plumb
  plumb merge 1.plumb 2.plumb --json result.json
The streaming metrics come out bit for bit as from one pass over all the data; those that need all
the data at once are null, with the reason.)";

EvaluateState read_state(const std::string& path) {
  const auto file = MappedFile::open(path);
  const auto bytes = file->bytes();
  return deserialize_state({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

}  // namespace

int merge_command(const Args& args) {
  Flags flags("merge", "Adds up what \"plumb evaluate --save-state\" wrote for each shard.");
  Args files;
  OutputFlags output_flags;
  EvaluateOptions options;
  flags.positional("STATE", files, "state files, or quoted patterns");
  flags.list("--metrics", "k,k|all", options.metrics, "keys of \"plumb list\" [the streaming ones]");
  add_output_flags(flags, output_flags);
  flags.examples(kExamples);
  if (!flags.parse(args)) return kDone;
  if (files.empty())
    throw InputError("merge what? Give the files that \"plumb evaluate --save-state FILE\" wrote");

  Output output(output_flags);
  std::optional<EvaluateState> state;
  std::vector<InputInfo> infos;
  std::vector<std::string> paths;
  for (const Source& source : resolve(files)) {
    if (!source.selection.empty()) throw InputError(source.path + ":" + source.selection + " is no file");
    for (const std::string& earlier : paths) {
      std::error_code ignored;
      if (std::filesystem::equivalent(earlier, source.path, ignored))
        throw InputError(source.path + " is given twice and would be counted twice; give each state once");
    }
    EvaluateState next = read_state(source.path);
    try {
      state ? merge(*state, next) : void(state = std::move(next));
    } catch (const InputError& e) {
      throw InputError(paths.front() + " and " + source.path + ": " + e.what());
    }
    infos.push_back({"STATE", source.path, {}, "state", ""});
    paths.push_back(source.path);
  }
  output.check_not_over(paths);
  output.open();
  Result result = finish(*state, options);
  result.command = "merge";
  result.argv = {"plumb", "merge"};
  result.argv.insert(result.argv.end(), args.begin(), args.end());
  result.inputs = infos;
  output.pages().add_checksums(result.inputs, paths);
  return output.finish(result, state, !options.metrics.empty());
}

}  // namespace plumb::cli
