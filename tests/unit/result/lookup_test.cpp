#include <gtest/gtest.h>

#include "plumb/data/check.hpp"
#include "plumb/result.hpp"

namespace plumb {
namespace {

TEST(Result, ReasonsSpellOptionsAsCppDoes) {
  MetricResult m;
  m.why = "2 votes fall on probability 0: give ⟦clip⟧ 1e-12";
  EXPECT_EQ(m.reason(), "2 votes fall on probability 0: give .clip 1e-12");
}

TEST(Result, AnUnknownKeyIsRefusedWithTheNearest) {
  Result r;
  r.metrics.emplace_back("ece", MetricResult{});
  EXPECT_NO_THROW((void)r["ece"]);
  try {
    (void)r["ec"];
    FAIL() << "it has no such key";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean \"ece\""), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace plumb
