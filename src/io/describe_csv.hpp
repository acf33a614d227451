// Columns of a CSV, and groups of columns, for describe_file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "plumb/io/describe.hpp"

namespace plumb::detail {

[[nodiscard]] std::vector<ArrayInfo> describe_csv(std::span<const std::byte> bytes, const std::string& path,
                                                  char delimiter, int threads);

}  // namespace plumb::detail
