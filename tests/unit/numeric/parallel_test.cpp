#include "plumb/numeric/parallel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "plumb/numeric/exact_sum.hpp"

namespace plumb {
namespace {

TEST(Parallel, ResolveThreads) {
  EXPECT_GE(resolve_threads(0), 1);
  EXPECT_EQ(resolve_threads(3), 3);
  EXPECT_EQ(resolve_threads(256), 256);
  EXPECT_EQ(resolve_threads(100000), 256);
}

TEST(Parallel, EveryBlockOnce) {
  for (const int threads : {1, 2, 3, 16}) {
    for (const std::int64_t n : {1, 2, 99, 100, 101, 1000}) {
      for (const std::int64_t block : {1, 7, 100, 5000}) {
        std::vector<std::atomic<int>> seen(static_cast<std::size_t>(n));
        parallel_blocks(n, block, threads, [&](int worker, std::int64_t begin, std::int64_t end) {
          EXPECT_GE(worker, 0);
          EXPECT_LT(worker, threads);
          EXPECT_EQ(begin % block, 0);
          EXPECT_EQ(end, std::min(n, begin + block));
          for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
        });
        for (const auto& s : seen) ASSERT_EQ(s, 1) << threads << " threads, n " << n << ", block " << block;
      }
    }
  }
}

TEST(Parallel, NothingToDo) {
  bool called = false;
  parallel_blocks(0, 10, 4, [&](int, std::int64_t, std::int64_t) { called = true; });
  EXPECT_FALSE(called);
  EXPECT_EQ(parallel_reduce_blocks(
                0, 10, 4, 7, [](int&, std::int64_t, std::int64_t) {}, [](int& a, int) { a += 0; }),
            7);
  EXPECT_THROW(parallel_blocks(5, 0, 1, [](int, std::int64_t, std::int64_t) {}), std::invalid_argument);
}

TEST(Parallel, ConcurrentCallsNeverShareAWorker) {
  std::vector<std::atomic<int>> inside(16);
  std::atomic<bool> shared = false;
  parallel_blocks(2000, 1, 16, [&](int worker, std::int64_t, std::int64_t) {
    if (++inside[static_cast<std::size_t>(worker)] != 1) shared = true;
    std::this_thread::yield();
    --inside[static_cast<std::size_t>(worker)];
  });
  EXPECT_FALSE(shared);
}

// More threads than cores are really used: each of 16 blocks waits until all 16 run.
TEST(Parallel, SixteenWorkersRunTogether) {
  constexpr auto kPatience =
      std::chrono::seconds(30);  // far beyond what starting 16 threads takes on a busy machine
  std::atomic<int> arrived = 0;
  std::atomic<bool> late = false;
  const auto start = std::chrono::steady_clock::now();
  parallel_blocks(16, 1, 16, [&](int, std::int64_t, std::int64_t) {
    ++arrived;
    while (arrived < 16 && !late) {
      if (std::chrono::steady_clock::now() - start > kPatience) late = true;
      std::this_thread::yield();
    }
  });
  EXPECT_FALSE(late);
}

TEST(Parallel, AtMostTheAskedNumberAtATime) {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  parallel_blocks(200, 1, 3, [&](int, std::int64_t, std::int64_t) {
    const int now = ++running;
    int seen = most;
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    --running;
  });
  EXPECT_LE(most, 3);
}

TEST(Parallel, ReduceIsTheSameForAnyThreads) {
  std::vector<double> x(100000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = (i % 3 == 0 ? -1.0 : 1.0) / static_cast<double>(i + 1);
  const auto total = [&](int threads) {
    return parallel_reduce_blocks(
        static_cast<std::int64_t>(x.size()), 1000, threads, ExactSum{},
        [&](ExactSum& s, std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) s.add(x[static_cast<std::size_t>(i)]);
        },
        [](ExactSum& into, const ExactSum& from) { into.merge(from); });
  };
  const ExactSum one = total(1);
  for (const int threads : {2, 3, 16, 64}) EXPECT_EQ(total(threads), one) << threads << " threads";
}

TEST(Parallel, TheLowestFailureIsTheOneReported) {
  for (const int threads : {1, 2, 16}) {
    for (int round = 0; round < 50; ++round) {
      std::string message;
      try {
        parallel_blocks(100, 1, threads, [&](int, std::int64_t begin, std::int64_t) {
          // Later failures come first in time.
          if (begin == 20) std::this_thread::sleep_for(std::chrono::microseconds(300));
          if (begin >= 20 && begin % 5 == 0) throw std::runtime_error("block " + std::to_string(begin));
        });
      } catch (const std::runtime_error& e) {
        message = e.what();
      }
      ASSERT_EQ(message, "block 20") << threads << " threads";
    }
  }
}

TEST(Parallel, WorksAfterAFailureAndInsideItself) {
  EXPECT_THROW(
      parallel_blocks(10, 1, 4, [](int, std::int64_t, std::int64_t) { throw std::logic_error("x"); }),
      std::logic_error);
  std::atomic<int> calls = 0;
  parallel_blocks(8, 1, 4, [&](int, std::int64_t, std::int64_t) {
    parallel_blocks(8, 1, 4, [&](int worker, std::int64_t, std::int64_t) {
      EXPECT_LT(worker, 4);
      ++calls;
    });
  });
  EXPECT_EQ(calls, 64);
}

}  // namespace
}  // namespace plumb
