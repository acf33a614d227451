// Outputs of a result: a table, JSON, a state file, the exit code of a gate. Shared by the commands that
// make results.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fail_if.hpp"
#include "pages.hpp"
#include "plumb/data/items.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/report/terminal.hpp"
#include "plumb/result.hpp"
#include "shell/flags.hpp"

namespace plumb::cli {

struct OutputFlags {
  std::string json, save_state, name;
  PageFlags pages;
  Args fail_if;
  bool quiet = false;
};

/// How text for standard output is laid out, with options spelled as flags.
[[nodiscard]] TerminalOptions stdout_options(bool all_metrics = true);

/// The command line, as a result keeps it.
[[nodiscard]] Args argv_of(const std::string& command, const Args& args);
/// A result with version, command and arguments.
[[nodiscard]] Result result_of(const std::string& command, const Args& args);
/// The JSON where standard output is its file (-), otherwise the table unless quiet.
void print_result(const Result& result, const std::string& json, bool quiet,
                  const std::function<std::string()>& table);
/// Prints the gates that failed; returns the exit code.
[[nodiscard]] int exit_code(const std::vector<std::string>& held);

void add_output_flags(Flags& flags, OutputFlags& out);

/// The order is: construct (checks the flags), check_not_over, open (before the work, so that unwritable
/// outputs are reported at once), finish. Nothing is left of the files unless finish() is reached.
class Output {
 public:
  explicit Output(const OutputFlags& flags);
  /// InputError when an output would overwrite one of these.
  void check_not_over(const std::vector<std::string>& inputs) const;
  /// InputError for a gate that so many replicates can never make fail.
  void check_reach(std::int64_t replicates) const;
  void open();
  /// A report carries what the result was made from; nothing otherwise.
  [[nodiscard]] const Pages& pages() const { return pages_; }
  /// Writes everything and returns the exit code.
  int finish(Result result, const std::string& state, bool all_metrics);

 private:
  OutputFlags flags_;
  std::vector<Gate> gates_;
  Pages pages_;
  std::optional<AtomicFile> json_, state_;
};

}  // namespace plumb::cli
