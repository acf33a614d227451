// A part of Plumb that lives in a shared object of its own and is loaded when it is needed, so that the
// program starts quickly and needs no library that most runs do without.
#pragma once

#include <string>
#include <vector>

namespace plumb {

/// What the user is told about a plugin.
struct PluginWords {
  std::string need;  ///< what cannot be done without it, as the beginning of a sentence: "reading Parquet"
  std::string how;   ///< how to get it: "install pyarrow and build again"
};

/// A shared object libplumb_NAME.so. It exports `extern "C" int plumb_plugin_abi()`, which returns the number
/// of the interface that it was built for, and the functions of that interface. It stays loaded until the
/// process ends, because what it made may refer to its code.
class Plugin {
 public:
  /// Loads the first libplumb_NAME.so in plugin_folders(). InputError when there is none, when it cannot be
  /// loaded (a library that it needs is missing) or when it was built for another interface.
  Plugin(const std::string& name, int abi, const PluginWords& words);

  /// A function that it exports. InputError when there is none of this name.
  template <class Function>
  [[nodiscard]] Function* function(const char* symbol) const {
    return reinterpret_cast<Function*>(address(symbol));
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[nodiscard]] void* address(const char* symbol) const;

  std::string path_;
  void* handle_ = nullptr;
};

/// Where plugins are looked for, in this order: the folders of the environment variable PLUMB_PLUGINS (with
/// colons between them), then the folder of the program and ../lib/plumb from there, and the same for the
/// shared library that holds this code, as in a Python module, which also has lib/plumb beside it.
[[nodiscard]] std::vector<std::string> plugin_folders();

/// Whether libplumb_NAME.so is in one of them; says nothing about whether it can be loaded.
[[nodiscard]] bool has_plugin(const std::string& name);

}  // namespace plumb
