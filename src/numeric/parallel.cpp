#include "plumb/numeric/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <latch>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>

#ifdef PLUMB_PARALLEL_TBB
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>
#endif

#include "plumb/numeric/narrow.hpp"

namespace plumb {
namespace {

constexpr int kMaxThreads = 256;

// Runs loop(0), ..., loop(count - 1), as many at a time as the backend can; the caller takes part.
#ifdef PLUMB_PARALLEL_TBB
void run_loops(int count, int threads, const std::function<void(int)>& loop) {
  // TBB limits itself to the number of cores; a caller who asks for more threads gets them. The smallest
  // limit in force holds, so that a loop of few blocks must allow what loops inside of it will ask for.
  const tbb::global_control allow(tbb::global_control::max_allowed_parallelism,
                                  std::max(threads, resolve_threads(0)));
  tbb::task_arena arena(count);
  arena.execute([&] {
    tbb::parallel_for(
        0, count, [&](int i) { loop(i); }, tbb::simple_partitioner());
  });
}
#else
void run_loops(int count, int, const std::function<void(int)>& loop) {
  std::vector<std::jthread> crew;
  crew.reserve(count - 1);
  for (int i = 1; i < count; ++i) crew.emplace_back([&loop, i] { loop(i); });
  loop(0);
}
#endif

// How many of `wanted` loops can run at a time: the system may refuse threads (ulimit), and TBB then ends the
// process. So they are tried first, once; where one is refused, half of them leave memory for the data.
int loops_to_be_had(int wanted) {
  static std::mutex mutex;
  static int proven = 1, most = kMaxThreads;
  const std::scoped_lock lock(mutex);
  wanted = std::min(wanted, most);
  if (wanted <= proven) return wanted;
  std::latch all_there(1);
  std::vector<std::jthread> crew;
  try {
    while (std::ssize(crew) + 1 < wanted) crew.emplace_back([&] { all_there.wait(); });
    proven = wanted;
  } catch (const std::system_error&) {
    most = proven = std::max(proven, narrow<int>(crew.size() / 2));
  }
  all_there.count_down();
  return std::min(wanted, most);
}

// Blocks are claimed in index order. So when one throws, every lower block is already claimed and runs to its
// end: the lowest failure is known once all workers have stopped, and higher blocks need not start.
class BlockQueue {
 public:
  explicit BlockQueue(std::int64_t blocks) : blocks_(blocks) {}

  [[nodiscard]] std::int64_t claim() {
    if (failed_.load(std::memory_order_relaxed)) return blocks_;
    return next_.fetch_add(1, std::memory_order_relaxed);
  }
  void fail(std::int64_t block) {
    const std::scoped_lock lock(mutex_);
    failed_.store(true, std::memory_order_relaxed);
    if (block < lowest_) {
      lowest_ = block;
      error_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::int64_t blocks_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::int64_t lowest_ = std::numeric_limits<std::int64_t>::max();
  std::exception_ptr error_;
};

}  // namespace

int resolve_threads(int threads) {
  // Asked once: the system reads a file for it, which takes longer than a thousand forecasts.
  static const int all = narrow<int>(std::thread::hardware_concurrency());
  if (threads <= 0) threads = all;
  return std::clamp(threads, 1, kMaxThreads);
}

void parallel_blocks(std::int64_t n, std::int64_t block, int threads,
                     const std::function<void(int worker, std::int64_t begin, std::int64_t end)>& body) {
  if (block <= 0) throw std::invalid_argument("the block size of a parallel loop must be positive");
  if (n <= 0) return;
  const std::int64_t blocks = (n - 1) / block + 1;
  const auto run = [&](int worker, std::int64_t b) { body(worker, b * block, std::min(n, (b + 1) * block)); };
  const int wanted = resolve_threads(threads);
  const int loops = loops_to_be_had(narrow<int>(std::min<std::int64_t>(wanted, blocks)));
  if (loops == 1) {
    for (std::int64_t b = 0; b < blocks; ++b) run(0, b);
    return;
  }
  BlockQueue queue(blocks);
  run_loops(loops, wanted, [&](int worker) {
    for (std::int64_t b = queue.claim(); b < blocks; b = queue.claim()) {
      try {
        run(worker, b);
      } catch (...) {
        queue.fail(b);
      }
    }
  });
  queue.rethrow();
}

}  // namespace plumb
