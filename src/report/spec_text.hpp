// The specs of web/specs/, embedded by CMake.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumb::detail {

/// The file web/specs/NAME.vl.json; empty when there is none.
[[nodiscard]] std::string_view spec_text(std::string_view name);
/// Of all of them, in the order of the alphabet.
[[nodiscard]] std::vector<std::string> spec_names();

}  // namespace plumb::detail
