#include "plumb/simulate/scenarios.hpp"

#include <algorithm>

#include "plumb/data/check.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/simulate/streams.hpp"

namespace plumb {
namespace {

constexpr std::array<const char*, 5> kScenarioNames{"linear", "sigmoid", "skewed", "centered", "discrete"};

// People of 0-4, 5-9, ..., 110-116 years among 10,000. The few above 100 are there so that clipping occurs.
constexpr std::array<int, 23> kPeople{840, 860, 850, 800, 760, 740, 750, 710, 630, 600, 560, 500,
                                      410, 350, 260, 165, 105, 60,  28,  10,  6,   4,   2};
constexpr int kAll = 10'000;

double psi(Scenario s, double z) {
  switch (s) {
    case Scenario::linear:
      return z / 100;
    case Scenario::sigmoid:
      return logistic(25 * (z / 100 - 0.29));
    case Scenario::skewed:
      return z / 250;
    case Scenario::centered:
      return z / 300 + 0.35;
    case Scenario::discrete:
      break;
  }
  const int steps = (z > 20) + (z > 40) + (z > 60) + (z > 80);
  return 0.2 * steps + 0.1;
}

}  // namespace

const char* scenario_name(Scenario s) { return kScenarioNames[static_cast<std::size_t>(s)]; }

Scenario parse_scenario(std::string_view name) {
  for (const Scenario s : kScenarios)
    if (name == scenario_name(s)) return s;
  const std::vector<std::string> known(kScenarioNames.begin(), kScenarioNames.end());
  throw InputError("there is no scenario \"" + std::string(name) + "\"" + did_you_mean(name, known) +
                   "; there are linear, sigmoid, skewed, centered and discrete");
}

double scenario_risk(Scenario s, int age) {
  if (age < 0 || age > kOldest)
    throw InputError("an age must be between 0 and " + std::to_string(kOldest) + ", not " +
                     std::to_string(age));
  return std::min(1.0, psi(s, age));
}

int population_age(double u) {
  double left = u * kAll;
  for (std::size_t g = 0; g < kPeople.size(); ++g) {
    const bool last = g + 1 == kPeople.size();
    const double people = kPeople[g];
    const int years = last ? kOldest + 1 - 110 : 5;
    if (left < people || last) {
      const int within = std::min(years - 1, static_cast<int>(left / people * years));
      return 5 * g + within;
    }
    left -= people;
  }
  return kOldest;
}

RiskData simulate_risks(const RiskOptions& options) {
  RiskData out;
  for (std::int64_t i = 0; i < options.items; ++i) {
    RandomStream random = item_stream(options.seed, "risks", i);
    const int age = population_age(random.uniform());
    const double risk = scenario_risk(options.scenario, age);
    out.age.push_back(age);
    out.truth.push_back(risk);
    out.labels.push_back(random.uniform() < risk ? 1 : 0);
  }
  return out;
}

}  // namespace plumb
