// One parallel streaming pass that fills tables of shares: nothing of size N is held.
#pragma once

#include <span>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/metrics/raters/share_builder.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb {

/// project(block, terms) fills the terms of a block.
template <class Project>
[[nodiscard]] ShareTables share_pass(const Items& items, std::span<const Cells> cells, int threads,
                                     Project project) {
  struct Worker {
    ShareBuilder builder;
    ItemBlock block;
    ShareTerms terms;
  };
  const std::vector<Cells> own(cells.begin(), cells.end());
  std::vector<Worker> workers(static_cast<std::size_t>(resolve_threads(threads)),
                              {ShareBuilder(own), {}, {}});
  parallel_blocks(items.size(), block_rows(items), threads,
                  [&](int worker, std::int64_t begin, std::int64_t end) {
                    Worker& w = workers[static_cast<std::size_t>(worker)];
                    read_items(items, begin, end, w.block);
                    project(w.block, w.terms);
                    w.builder.update(w.terms);
                  });
  ShareTables total(own);
  for (Worker& w : workers) merge(total, w.builder.finish());
  return total;
}

}  // namespace plumb
