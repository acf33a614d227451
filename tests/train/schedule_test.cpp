#include "train/schedule.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace plumb::train {
namespace {

TEST(Schedule, WarmUpThenMilestones) {
  TrainOptions o;
  o.warmup = 4;
  o.milestones = {10, 20};
  const ScheduleState s;
  EXPECT_DOUBLE_EQ(learning_rate(o, 1, s, 1), 0.2);
  EXPECT_DOUBLE_EQ(learning_rate(o, 1, s, 4), 0.8);
  EXPECT_DOUBLE_EQ(learning_rate(o, 1, s, 5), 1);
  EXPECT_DOUBLE_EQ(learning_rate(o, 1, s, 10), 1);
  EXPECT_DOUBLE_EQ(learning_rate(o, 1, s, 11), 0.1);
  EXPECT_NEAR(learning_rate(o, 1, s, 21), 0.01, 1e-15);
}

TEST(Schedule, APlateauHalvesTheRateEachTimeItLasts) {
  TrainOptions o;
  o.plateau = 2;
  ScheduleState s;
  EXPECT_TRUE(observe(o, s, 1, 0.5));
  for (std::int64_t epoch = 2; epoch <= 5; ++epoch) EXPECT_FALSE(observe(o, s, epoch, 0.6));
  EXPECT_DOUBLE_EQ(s.scale, 0.25);
  EXPECT_TRUE(observe(o, s, 6, 0.4));
  EXPECT_EQ(s.stale, 0);
  EXPECT_EQ(s.best_epoch, 6);
}

TEST(EarlyStopping, CountsEpochsWithoutABetterLoss) {
  TrainOptions o;
  o.patience = 3;
  ScheduleState s;
  observe(o, s, 1, 0.5);
  observe(o, s, 2, 0.5);  // equal is not better
  observe(o, s, 3, NAN);  // a diverged epoch is never the best
  EXPECT_FALSE(should_stop(o, s));
  observe(o, s, 4, 0.7);
  EXPECT_TRUE(should_stop(o, s));
  EXPECT_EQ(s.best_epoch, 1);
  o.patience = 0;
  EXPECT_FALSE(should_stop(o, s));
}

}  // namespace
}  // namespace plumb::train
