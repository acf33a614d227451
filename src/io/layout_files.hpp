// Names of files and of columns.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::detail {

/// Whether a column of a manifest names masks: rater_*, mask_* or mask.
[[nodiscard]] bool names_rater(const std::string& column);
/// "scan" of scan.nii.gz; empty for another kind of file.
[[nodiscard]] std::string stem_without(const std::string& file,
                                       std::initializer_list<std::string_view> endings);
/// What is in it, in natural order; InputError when it cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder,
                                                            bool below = false);

}  // namespace plumb::detail
