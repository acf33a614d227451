// The shares of a block are listed by begin_shares, then for each item write_share as often as needed and
// offset[i + 1].
#pragma once

#include <span>
#include <vector>

#include "plumb/metrics/raters/share_builder.hpp"
#include "plumb/numeric/fixed_point.hpp"

namespace plumb::detail {

/// Makes room for `size` items and at most `most` shares.
void begin_shares(std::size_t size, std::size_t most, std::span<const double> weight, ShareTerms& t);

/// Writes share number `at`: mu above 0 in a column whose forecast is p; returns the next number.
[[nodiscard]] inline std::uint32_t write_share(std::uint32_t at, double mu, double g, double p,
                                               std::uint32_t column, ShareTerms& t) {
  t.column[at] = column;
  t.share[at] = {to_fixed(mu), to_fixed(mu * mu), to_fixed(g), 2 * to_fixed(p * mu)};
  return at + 1;
}

}  // namespace plumb::detail
