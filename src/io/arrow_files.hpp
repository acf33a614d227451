// Parquet and Arrow IPC files, through the plugin.
#pragma once

#include "io/format.hpp"

namespace plumb::detail {

[[nodiscard]] Array read_arrow_file(const File& file, const Source& source, const LoadOptions& options);
[[nodiscard]] std::vector<ArrayInfo> describe_arrow_file(const File& file, const std::string& path,
                                                         int threads);

}  // namespace plumb::detail
