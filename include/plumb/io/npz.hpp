// NumPy's .npz archives: a zip file of .npy members, stored (savez) or deflated (savez_compressed).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plumb/data/array.hpp"
#include "plumb/io/npy.hpp"

namespace plumb {

/// Names of the arrays, in the order of the archive, without ".npy".
[[nodiscard]] std::vector<std::string> npz_names(std::span<const std::byte> bytes, const std::string& name);

/// One array; `member` may be empty when the archive holds exactly one. The checksum of the member is
/// verified. A stored member that is aligned for its type stays where it is and `owner` keeps it alive;
/// others are unpacked into memory, never to more than their .npy header declares.
[[nodiscard]] Array parse_npz(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                              std::string name, const std::string& member);

}  // namespace plumb
