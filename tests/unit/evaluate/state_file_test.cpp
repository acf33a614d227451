// State files: damaged, foreign and future ones are refused with a sentence; nothing crashes.
#include <gtest/gtest.h>

#include "plumb/data/check.hpp"
#include "plumb/evaluate_state.hpp"
#include "support/make_items.hpp"

namespace plumb::test {
namespace {

EvaluateState small_state() {
  return evaluate_state(to_items(simulate({.n = 60, .classes = 3, .raters = 2, .seed = 2}), VoteForm::counts),
                        {});
}

TEST(StateFile, RoundTrip) {
  const EvaluateState s = small_state();
  EXPECT_EQ(deserialize_state(serialize(s), "a"), s);
}

TEST(StateFile, EveryTruncationIsRefused) {
  const std::string bytes = serialize(small_state());
  for (std::size_t n = 0; n < bytes.size(); n += n < 64 ? 1 : 97)
    EXPECT_THROW((void)deserialize_state(bytes.substr(0, n), "a"), InputError) << n;
  EXPECT_THROW((void)deserialize_state(bytes + "x", "a"), InputError);
}

TEST(StateFile, EveryFlippedBitIsRefused) {
  const std::string bytes = serialize(small_state());
  for (std::size_t i = 0; i < bytes.size(); i += i < 64 ? 1 : 31) {
    std::string bad = bytes;
    bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
    EXPECT_THROW((void)deserialize_state(bad, "a"), InputError) << i;
  }
}

TEST(StateFile, FutureFormatNamesItself) {
  std::string bytes = serialize(small_state());
  bytes[8] = 9;
  try {
    (void)deserialize_state(bytes, "old.plumb");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("old.plumb"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("format 9"), std::string::npos);
  }
}

TEST(StateFile, UnlikeOptionsAreRefused) {
  const Items items = to_items(simulate({.n = 60, .seed = 2}), VoteForm::labels);
  EvaluateState a = evaluate_state(items, {});
  const EvaluateState b = evaluate_state(items, [] {
    EvaluateOptions o;
    o.bins = 10;
    return o;
  }());
  try {
    merge(a, b);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("--bins"), std::string::npos);
  }
}

}  // namespace
}  // namespace plumb::test
