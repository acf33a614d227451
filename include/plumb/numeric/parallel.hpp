// The one parallel loop: blocks of a range, private states, an order-free merge.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace plumb {

/// 0 means all cores. Never more than 256.
[[nodiscard]] int resolve_threads(int threads);

/// Calls body(worker, begin, end) for consecutive blocks of [0, n), at most resolve_threads(threads) at a
/// time; `worker` is smaller than that number and no two concurrent calls share it. When blocks throw, the
/// exception of the first block (in index order) is rethrown after the rest has stopped, so that a message
/// does not depend on timing. With backend TBB (default) or std::thread (cmake -DPLUMB_PARALLEL=threads; for
/// the thread sanitizer).
void parallel_blocks(std::int64_t n, std::int64_t block, int threads,
                     const std::function<void(int worker, std::int64_t begin, std::int64_t end)>& body);

/// Runs body(state, begin, end) on private copies of `initial` and merges them: merge(into, from)
/// must be order-free.
template <class State, class Body, class Merge>
State parallel_reduce_blocks(std::int64_t n, std::int64_t block, int threads, const State& initial, Body body,
                             Merge merge) {
  std::vector<State> states(resolve_threads(threads), initial);
  parallel_blocks(n, block, threads, [&](int worker, std::int64_t begin, std::int64_t end) {
    body(states[worker], begin, end);
  });
  for (std::size_t i = 1; i < states.size(); ++i) merge(states[0], states[i]);
  return std::move(states[0]);
}

}  // namespace plumb
