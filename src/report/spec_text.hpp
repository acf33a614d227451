// The specs of web/specs/, embedded by CMake.
#pragma once

#include <string_view>

namespace plumb::detail {

/// The file web/specs/NAME.vl.json; empty when there is none.
[[nodiscard]] std::string_view spec_text(std::string_view name);

}  // namespace plumb::detail
