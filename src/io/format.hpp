// Which reader a file belongs to. A format is a row of the table in formats.cpp.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/io/describe.hpp"
#include "plumb/io/load.hpp"
#include "plumb/io/mapped_file.hpp"

namespace plumb::detail {

using File = std::shared_ptr<const MappedFile>;

/// A format that can be read: how its files are known, what reads an array and what tells about the whole.
struct Format {
  std::string_view extension;             ///< with the dot; also its name
  std::array<std::string_view, 2> marks;  ///< how its files begin; empty: text
  Array (*read)(const File& file, const Source& source, const LoadOptions& options);
  std::vector<ArrayInfo> (*describe)(const File& file, const std::string& path, int threads);
};
[[nodiscard]] std::span<const Format> formats();

/// The extension decides; a known mark at the beginning that contradicts it is an error, and decides
/// alone when the extension is unknown. Formats that cannot be read get one sentence with what to
/// do. Throws InputError.
[[nodiscard]] const Format& format_of(const std::string& path, std::span<const std::byte> bytes);
/// The sentence for a format that cannot be read, by the name alone.
void refuse_unreadable_name(const std::string& path);

/// What an array holds, and what it could be used for.
void describe_array(const Array& array, int threads, ArrayInfo& info);

}  // namespace plumb::detail
