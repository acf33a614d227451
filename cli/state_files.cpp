#include "state_files.hpp"

#include <sys/stat.h>

#include <set>
#include <utility>

#include "plumb/io/load.hpp"

namespace plumb::cli {

std::vector<std::string> state_paths(const Args& specs) {
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

}  // namespace plumb::cli
