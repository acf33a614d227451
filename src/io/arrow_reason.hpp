// What Arrow says about a failure, as a part of a sentence of ours.
#pragma once

#include <string>
#include <string_view>

namespace plumb::detail {

/// The first sentence, without the kind of the error before it and the full stop behind it.
[[nodiscard]] std::string arrow_reason(std::string_view said);
/// What a file that cannot be read needs.
inline constexpr const char* kDamagedFile = "the file is damaged or incomplete: write it again";

}  // namespace plumb::detail
