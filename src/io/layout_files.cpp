#include "io/layout_files.hpp"

#include <algorithm>

#include "plumb/data/check.hpp"
#include "plumb/io/load.hpp"

namespace plumb::detail {

namespace fs = std::filesystem;

bool names_rater(const std::string& column) {
  return column.starts_with("rater_") || column.starts_with("mask_") || column == "mask";
}

std::string stem_without(const std::string& file, std::initializer_list<std::string_view> endings) {
  for (const std::string_view end : endings)
    if (file.size() > end.size() && file.ends_with(end)) return file.substr(0, file.size() - end.size());
  return "";
}

std::vector<fs::path> entries_of(const fs::path& folder, bool below) {
  std::vector<fs::path> out;
  std::error_code error;
  if (!fs::is_directory(folder, error)) throw InputError(folder.string() + " is not a folder");
  if (below) {
    for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
      out.push_back(at->path());
  } else {
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
      out.push_back(at->path());
  }
  if (error) throw InputError(folder.string() + " cannot be read: " + error.message());
  std::sort(out.begin(), out.end(),
            [](const fs::path& a, const fs::path& b) { return natural_less(a.string(), b.string()); });
  return out;
}

}  // namespace plumb::detail
