// The streaming pass that fills tables of shares. The shares of a block are listed by begin_shares, then for
// each item put_share as often as needed and offset[i + 1].
#pragma once

#include <span>
#include <vector>

#include "metrics/item_pass.hpp"
#include "plumb/metrics/raters/share_builder.hpp"
#include "plumb/numeric/fixed_point.hpp"

namespace plumb::detail {

/// Makes room for `size` items and at most `most` shares.
void begin_shares(std::size_t size, std::size_t most, std::span<const double> weight, ShareTerms& t);

/// Writes share number `at`: mu above 0 in a column whose forecast is p; returns the next number.
[[nodiscard]] inline std::uint32_t put_share(std::uint32_t at, double mu, double g, double p,
                                             std::uint32_t column, ShareTerms& t) {
  t.column[at] = column;
  t.share[at] = {to_fixed(mu), to_fixed(mu * mu), to_fixed(g), 2 * to_fixed(p * mu)};
  return at + 1;
}

/// project(block, terms) fills the terms of a block.
template <class Project>
[[nodiscard]] ShareTables share_pass(const Items& items, std::span<const Cells> cells, int threads,
                                     Project project) {
  struct Worker {
    ShareBuilder builder;
    ShareTerms terms;
  };
  const std::vector<Cells> own(cells.begin(), cells.end());
  ShareTables total(own);
  for (Worker& w :
       item_pass(items, threads, Worker{ShareBuilder(own), {}}, [&](Worker&to, const ItemBlock&block) {
         project(block, to.terms);
         to.builder.update(to.terms);
       }))
    merge(total, w.builder.finish());
  return total;
}

}  // namespace plumb::detail
