#include "plumb/numeric/progress.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "plumb/numeric/parallel.hpp"

namespace plumb {
namespace {

TEST(Progress, TellsTheShareOfAllThatIsExpected) {
  std::vector<double> shares;
  Progress progress([&](double share) { shares.push_back(share); }, {});
  progress.expect(3);
  progress.expect(1);
  for (int i = 0; i < 4; ++i) progress.add(1);
  EXPECT_EQ(shares, (std::vector<double>{0.25, 0.5, 0.75, 1}));
  progress.add(1);
  EXPECT_EQ(shares.back(), 1) << "never above the whole";
}

TEST(Progress, CountsFromManyThreads) {
  double last = 0;
  int calls = 0;  // the listener is called by one thread at a time
  Progress progress(
      [&](double share) {
        EXPECT_GT(share, last);
        last = share;
        ++calls;
      },
      {});
  progress.expect(1000);
  parallel_blocks(1000, 1, 8, [&](int, std::int64_t, std::int64_t) { progress.add(1); });
  EXPECT_EQ(calls, 1000);
  EXPECT_EQ(last, 1);
}

TEST(Progress, StopsWhenTheCallerAsks) {
  std::stop_source source;
  Progress progress({}, source.get_token());
  progress.add(1);
  source.request_stop();
  EXPECT_THROW(progress.add(1), Cancelled);
  EXPECT_THROW(progress.check(), Cancelled);
  EXPECT_THROW(parallel_blocks(10, 1, 4, [&](int, std::int64_t, std::int64_t) { progress.add(1); }),
               Cancelled);
}

TEST(Progress, NobodyNeedListen) {
  Progress progress;
  EXPECT_NO_THROW(progress.add(1));
}

}  // namespace
}  // namespace plumb
