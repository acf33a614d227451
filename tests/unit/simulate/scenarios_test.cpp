#include "plumb/simulate/scenarios.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "plumb/data/check.hpp"
#include "unit/simulate/laws.hpp"

namespace plumb {
namespace {

constexpr double kRounding = 1e-12;  // of a few operations on numbers near 1

// Golden: Liu et al. 2022, section 7.1, worked by hand; the sigmoid with 40 digits.
TEST(Scenarios, RisksOfThePaper) {
  EXPECT_NEAR(scenario_risk(Scenario::linear, 37), 0.37, kRounding);
  EXPECT_NEAR(scenario_risk(Scenario::sigmoid, 29), 0.5, kRounding);
  EXPECT_NEAR(scenario_risk(Scenario::sigmoid, 0), 0.00070967039910058811, kRounding);  // 1 / (1 + exp(7.25))
  EXPECT_NEAR(scenario_risk(Scenario::sigmoid, 50), 0.99477987430644166, kRounding);  // 1 / (1 + exp(-5.25))
  EXPECT_NEAR(scenario_risk(Scenario::skewed, 50), 0.2, kRounding);
  EXPECT_NEAR(scenario_risk(Scenario::centered, 60), 0.55, kRounding);
}

TEST(Scenarios, DiscreteStepsComeAfterTheirAge) {
  const std::map<int, double> steps{{0, 0.1},  {20, 0.1}, {21, 0.3}, {40, 0.3}, {41, 0.5},
                                    {60, 0.5}, {61, 0.7}, {80, 0.7}, {81, 0.9}};
  for (const auto& [age, risk] : steps)
    EXPECT_NEAR(scenario_risk(Scenario::discrete, age), risk, kRounding) << age;
}

TEST(Scenarios, RisksAreProbabilitiesAndGrowWithAge) {
  EXPECT_EQ(scenario_risk(Scenario::linear, 116), 1.0);
  for (const Scenario s : kScenarios) {
    for (int age = 0; age <= kOldest; ++age) {
      const double risk = scenario_risk(s, age);
      ASSERT_TRUE(risk >= 0 && risk <= 1) << scenario_name(s) << " " << age;
      ASSERT_GE(risk, scenario_risk(s, std::max(0, age - 1))) << scenario_name(s) << " " << age;
    }
  }
}

TEST(Scenarios, NamesReadBack) {
  for (const Scenario s : kScenarios) EXPECT_EQ(parse_scenario(scenario_name(s)), s);
  EXPECT_THROW(static_cast<void>(parse_scenario("centred")), InputError);
  EXPECT_THROW(static_cast<void>(scenario_risk(Scenario::linear, 117)), InputError);
  EXPECT_THROW(static_cast<void>(scenario_risk(Scenario::linear, -1)), InputError);
}

TEST(Scenarios, PopulationRunsFromNewbornToOldest) {
  EXPECT_EQ(population_age(0), 0);
  EXPECT_EQ(population_age(0x1.fffffffffffffp-1), kOldest);
  EXPECT_EQ(population_age(0.084), 5) << "840 of 10,000 are below five";
  EXPECT_EQ(population_age(0.5), 31);
  std::vector<int> seen(kOldest + 1, 0);
  int last = 0;
  for (int i = 0; i < 100000; ++i) {
    const int age = population_age(i / 100000.0);
    ASSERT_GE(age, last);
    ++seen[static_cast<std::size_t>(age)];
    last = age;
  }
  for (int age = 0; age <= kOldest; ++age) EXPECT_GT(seen[static_cast<std::size_t>(age)], 0) << age;
}

// Law: labels occur as often as psi says, at all ages together and in each twenty years.
TEST(Scenarios, LabelsFollowTheirProbability) {
  for (const Scenario s : kScenarios) {
    const RiskData d = simulate_risks({s, 40000, 5});
    Outcomes all;
    std::array<Outcomes, 6> by_age;
    for (std::size_t i = 0; i < d.age.size(); ++i) {
      ASSERT_EQ(d.truth[i], scenario_risk(s, d.age[i]));
      all.add(d.truth[i], d.labels[i]);
      by_age[d.age[i] / 20].add(d.truth[i], d.labels[i]);
    }
    EXPECT_LT(std::abs(all.z()), kSigmas) << scenario_name(s);
    for (const Outcomes& o : by_age)
      EXPECT_LT(std::abs(o.z()), kSigmas) << scenario_name(s) << " " << o.items() << " items";
  }
}

TEST(Scenarios, ItemDependsOnSeedAndNumberAlone) {
  const RiskData few = simulate_risks({Scenario::linear, 50, 3}),
                 many = simulate_risks({Scenario::linear, 200, 3});
  EXPECT_TRUE(std::equal(few.labels.begin(), few.labels.end(), many.labels.begin()));
  EXPECT_TRUE(std::equal(few.age.begin(), few.age.end(), many.age.begin()));
  EXPECT_EQ(many.age, simulate_risks({Scenario::discrete, 200, 3}).age)
      << "the people are the same in all scenarios";
  EXPECT_NE(many.age, simulate_risks({Scenario::linear, 200, 4}).age);
  EXPECT_TRUE(simulate_risks({Scenario::linear, 0, 3}).age.empty());
}

}  // namespace
}  // namespace plumb
