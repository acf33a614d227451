// Which reader a file belongs to.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace plumb::detail {

enum class Format { npy, npz, csv, tsv };

/// The extension decides; a known mark at the beginning that contradicts it is an error, and decides alone
/// when the extension is unknown. Formats that cannot be read get one sentence with what to do. Throws
/// InputError.
[[nodiscard]] Format format_of(const std::string& path, std::span<const std::byte> bytes);
/// The sentence for a format that cannot be read, by the name alone.
void refuse_unreadable_name(const std::string& path);

}  // namespace plumb::detail
