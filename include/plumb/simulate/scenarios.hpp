// The five risks by age of Liu et al. 2022, section 7.1, and the ages of a population.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace plumb {

enum class Scenario { linear, sigmoid, skewed, centered, discrete };
inline constexpr std::array kScenarios{Scenario::linear, Scenario::sigmoid, Scenario::skewed,
                                       Scenario::centered, Scenario::discrete};
inline constexpr int kOldest = 116;

[[nodiscard]] const char* scenario_name(Scenario s);
/// "linear" ... "discrete"; anything else is an InputError.
[[nodiscard]] Scenario parse_scenario(std::string_view name);

/// psi(age), the probability of the outcome at this age; clipped at 1 (the linear risk of those over 100).
[[nodiscard]] double scenario_risk(Scenario s, int age);

/// The age, 0 to kOldest, at or below which a share u of the population lies; u in [0, 1). The shares by five
/// years of age are about those of the world in the 2020s.
[[nodiscard]] int population_age(double u);

struct RiskOptions {
  Scenario scenario = Scenario::linear;
  std::int64_t items = 0;
  std::uint64_t seed = 0;
};

/// One entry per item, each a function of (seed, item). Ages are the same in all scenarios.
struct RiskData {
  std::vector<std::uint8_t> age;
  std::vector<double> truth;         ///< psi(age)
  std::vector<std::uint8_t> labels;  ///< 1 with probability truth
};

[[nodiscard]] RiskData simulate_risks(const RiskOptions& options);

}  // namespace plumb
