#pragma once

#include <string_view>

namespace plumb::detail {

/// Defines plumbFigure(request) and plumbAnswer; a zero follows its last byte.
[[nodiscard]] std::string_view figure_script();

}  // namespace plumb::detail
