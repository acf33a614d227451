// The plugin that opens Parquet and Arrow files, loaded with the first such file.
#pragma once

#include <string>

#include "plumb/io/arrow_plugin.hpp"

namespace plumb::detail {

/// Throws InputError, which names `path` as the file that needs it, when the plugin is absent or does
/// not fit.
[[nodiscard]] const PlumbArrowPlugin& arrow_library(const std::string& path);
/// The same, loaded and checked again.
[[nodiscard]] const PlumbArrowPlugin& load_arrow_library(const std::string& path);

}  // namespace plumb::detail
