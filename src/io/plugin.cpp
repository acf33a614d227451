#include "plumb/io/plugin.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "plumb/data/check.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

void add_folder(std::vector<std::string>& folders, const fs::path& folder) {
  std::string one = folder.lexically_normal().string();
  while (one.size() > 1 && one.back() == '/') one.pop_back();
  if (!one.empty() && std::find(folders.begin(), folders.end(), one) == folders.end())
    folders.push_back(std::move(one));
}

void add_around(std::vector<std::string>& folders, const fs::path& file) {
  add_folder(folders, file.parent_path());
  add_folder(folders, file.parent_path() / "../lib/plumb");
}

std::string plugin_file(const std::string& name) { return "libplumb_" + name + ".so"; }

/// Empty when no folder has it.
std::string find_plugin(const std::string& name) {
  std::error_code ignored;
  for (const std::string& folder : plugin_folders())
    if (const fs::path file = fs::path(folder) / plugin_file(name); fs::exists(file, ignored))
      return file.string();
  return "";
}

/// The loader's words without the path that they begin with.
std::string loader_words(const std::string& path) {
  const char* said = ::dlerror();
  std::string words = said == nullptr ? "for an unknown reason" : said;
  if (words.starts_with(path + ": ")) words.erase(0, path.size() + 2);
  return words;
}

}  // namespace

std::vector<std::string> plugin_folders() {
  std::vector<std::string> out;
  const char* given = std::getenv("PLUMB_PLUGINS");
  const std::string list = given == nullptr ? "" : given;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(':', at), list.size());
    add_folder(out, list.substr(at, end - at));
    at = end + 1;
  }
  std::error_code error;
  if (const fs::path program = fs::read_symlink("/proc/self/exe", error); !error) add_around(out, program);
  Dl_info here{};  // of the program itself it may be a bare word of the command line, which tells nothing
  if (::dladdr(reinterpret_cast<void*>(&plugin_folders), &here) != 0 && here.dli_fname != nullptr)
    if (const fs::path object = here.dli_fname; object.is_absolute()) {
      add_around(out, object);
      add_folder(out, object.parent_path() / "lib/plumb");
    }
  return out;
}

bool has_plugin(const std::string& name) { return !find_plugin(name).empty(); }

Plugin::Plugin(const std::string& name, int abi, const PluginWords& words) : path_(find_plugin(name)) {
  if (path_.empty()) {
    std::string places;
    for (const std::string& folder : plugin_folders()) places += (places.empty() ? "" : ", ") + folder;
    throw InputError(words.need + " needs " + plugin_file(name) + ", which is not in " + places + "; " +
                     words.how);
  }
  const std::string absolute = fs::absolute(path_).string();  // a bare name would be searched for elsewhere
  handle_ = ::dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr)
    throw InputError(words.need + " needs " + path_ + ", which cannot be loaded (" + loader_words(absolute) +
                     "); " + words.how);
  const auto number = function<int()>("plumb_plugin_abi")();
  if (number != abi)
    throw InputError(path_ + " was built for version " + std::to_string(number) +
                     " of its interface, and this plumb has version " + std::to_string(abi) +
                     "; install both from the same build");
}

void* Plugin::address(const char* symbol) const {
  void* found = ::dlsym(handle_, symbol);
  if (found == nullptr)
    throw InputError(path_ + " is not a plugin of this plumb (it has no function " + symbol +
                     "); install both from the same build");
  return found;
}

}  // namespace plumb
