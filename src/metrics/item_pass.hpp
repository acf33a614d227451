// One parallel streaming pass over items: nothing of size N is held.
#pragma once

#include <cstdint>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {

/// Calls update(state, block) for every block of the items. Each worker has its own copy of `initial`; they
/// are returned for the caller to merge.
template <class State, class Update>
[[nodiscard]] std::vector<State> item_pass(const Items& items, int threads, const State& initial,
                                           Update update) {
  std::vector<State> states(resolve_threads(threads), initial);
  std::vector<ItemBlock> blocks(states.size());
  parallel_blocks(items.size(), block_rows(items), threads,
                  [&](int worker, std::int64_t begin, std::int64_t end) {
                    read_items(items, begin, end, blocks[worker]);
                    update(states[worker], blocks[worker]);
                  });
  return states;
}

}  // namespace plumb::detail
