#include "io/arrow_library.hpp"

#include <mutex>

#include "plumb/data/check.hpp"
#include "plumb/io/plugin.hpp"

namespace plumb::detail {

const PlumbArrowPlugin& load_arrow_library(const std::string& path) {
  const std::string build = "build it with \"make arrow\"";
  const Plugin plugin("arrow", PLUMB_ARROW_INTERFACE,
                      {path + ": a Parquet or Arrow file",
                       build + ", read the file with pyarrow in Python, or use .csv or .npy"});
  const PlumbArrowPlugin& found = *plugin.function<const PlumbArrowPlugin*()>("plumb_arrow_plugin")();
  const std::string built_for = found.built_for, running = found.running();
  if (built_for != running)
    throw InputError(plugin.path() + " was built for Arrow " + built_for + ", but Arrow " + running +
                     " was loaded; " + build);
  return found;
}

const PlumbArrowPlugin& arrow_library(const std::string& path) {
  static std::mutex one;
  static const PlumbArrowPlugin* loaded = nullptr;
  const std::lock_guard lock(one);
  if (loaded == nullptr) loaded = &load_arrow_library(path);
  return *loaded;
}

}  // namespace plumb::detail
