// The flags of a command as data, for shell completion and manual pages.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace plumb::cli {

struct FlagEntry {
  std::vector<std::string> names;  ///< "-o", "--out"; one name without a dash: an argument
  std::string value;               ///< what the help calls its value; empty: it takes none
  std::string what, heading;
  [[nodiscard]] bool is_argument() const { return !names.front().starts_with('-'); }
  [[nodiscard]] bool takes_file() const;
  /// "a|b|c" as a list; empty if any value may be given.
  [[nodiscard]] std::vector<std::string> choices() const;
};

struct FlagTable {
  std::string command, line, examples;
  std::vector<FlagEntry> flags;
};

/// The flags that a command would parse: `run` is called, and ends at its Flags::parse() as if help had been
/// requested. Nothing is printed.
[[nodiscard]] FlagTable flag_table(const std::function<void()>& run);

}  // namespace plumb::cli
