// The built page, embedded by CMake (cmake/PlumbPage.cmake). All empty if node was not available.
#pragma once

#include <string_view>

namespace plumb::detail {

[[nodiscard]] std::string_view page_script();
[[nodiscard]] std::string_view
page_script_hash();  ///< SHA-256 in base64, as a Content-Security-Policy names it
[[nodiscard]] std::string_view page_style();

}  // namespace plumb::detail
