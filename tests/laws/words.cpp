// Sentences about results: false claims are rare. That none contradicts another is measured in agreement.cpp.
#include <cmath>

#include "laws/laws.hpp"
#include "laws/simulated.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "report/said.hpp"
#include "report/verdict_words.hpp"
#include "report/words.hpp"

namespace plumb::laws {
namespace {

using detail::Claim;

Result judged(const Setting& s, std::uint64_t seed, bool weighted = false) {
  Drawn d = draw(s, seed);
  if (weighted) {
    RandomStream rng(seed, Purpose::demo, 9);
    for (int i = 0; i < s.n; ++i) d.votes.weight.push_back(std::exp(1.2 * rng.normal()));
  }
  std::vector<std::string> keys{"ece", "ece_corrected", "mean_gap", "accuracy"};
  if (s.classes == 2) keys.emplace_back("calibration_slope");
  return evaluate(items_of(d), {.metrics = keys, .bootstrap = 100, .threads = 1, .consensus = false});
}

std::vector<Claim> claims_about(const Result& r) {
  std::vector<detail::Said> all = detail::said_of(r);
  all.push_back(detail::verdict_words(r));
  return detail::claims_of(all);
}

bool claims(const std::vector<Claim>& made, std::initializer_list<Claim> any) {
  return std::any_of(any.begin(), any.end(),
                     [&](Claim c) { return std::find(made.begin(), made.end(), c) != made.end(); });
}

void words(Book& book) {
  const int sets = book.sets(120, 20);
  struct Calibrated {
    Setting setting;
    bool weighted;
  };
  for (const Calibrated& c :
       {Calibrated{{.name = "N = 400", .n = 400}, false},
        Calibrated{{.name = "10 groups of 40", .n = 400, .groups = 10}, false},
        Calibrated{{.name = "weights, N = 400", .n = 400}, true},
        Calibrated{{.name = "prevalence 2%, N = 600", .n = 600, .mean = -4.3, .spread = 0.8}, false}}) {
    const auto made = simulate_sets(sets, book.seed(), [&](std::uint64_t seed) {
      return claims_about(judged(c.setting, seed, c.weighted));
    });
    std::vector<char> mean, slope;
    for (const auto& m : made) {
      mean.push_back(claims(m, {Claim::too_high, Claim::too_low}));
      slope.push_back(claims(m, {Claim::too_extreme, Claim::too_timid}));
    }
    book.rate("a calibrated model is called too high or too low on average", c.setting.name, {0, 0.07}, mean);
    book.rate("a calibrated model is called too extreme or too timid", c.setting.name, {0, 0.07}, slope);
  }
}

const Topic kWords{"words", words};

}  // namespace
}  // namespace plumb::laws
