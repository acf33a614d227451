// A block of rows as the class-wise builder sees it.
#pragma once

#include "plumb/metrics/streaming/reliability_table.hpp"

namespace plumb {

struct ClasswiseBuilder::RowBlock {
  const ItemBlock& block;
  const double* z;  ///< all classes of a row, also when binary
  std::size_t size, classes;
  std::span<const std::uint32_t> times;  ///< empty: once each
  [[nodiscard]] const double* row(std::size_t i) const { return z + i * classes; }
  [[nodiscard]] const VoteBlock& votes() const { return block.votes; }
  [[nodiscard]] std::uint32_t drawn(std::size_t i) const { return times.empty() ? 1 : times[i]; }
};

}  // namespace plumb
