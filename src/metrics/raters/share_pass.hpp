// The streaming pass that fills tables of shares.
#pragma once

#include <span>
#include <vector>

#include "metrics/item_pass.hpp"
#include "plumb/metrics/raters/share_builder.hpp"

namespace plumb::detail {

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
