// State files, merged one after the other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/mapped_file.hpp"

namespace plumb::cli {

/// The files of these arguments, each once.
[[nodiscard]] std::vector<std::string> state_paths(const Args& specs);

template <class Read>
auto read_state(const std::string& path, Read read) {
  const auto file = MappedFile::open(path);
  const auto bytes = file->bytes();
  return read({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

/// All the files as one state, of which two are in memory at a time; an error names the first file and the
/// one that does not match it.
template <class Read>
auto merged_states(const std::vector<std::string>& paths, Read read) {
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

}  // namespace plumb::cli
