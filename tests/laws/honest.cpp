// The band of the isotonic reliability diagram that holds at all forecasts at once.
#include "laws/laws.hpp"
#include "laws/simulated.hpp"
#include "plumb/evaluate/evaluate.hpp"

namespace plumb::laws {
namespace {

bool holds_everywhere(const Result& r, const Setting& s) {
  for (const auto& [name, t] : r.tables) {
    if (name != "corp_honest") continue;
    for (const auto& row : t.rows) {
      const double p = std::get<double>(row[0]);
      if (p <= 0 || p >= 1) continue;
      const double truth = true_chance(s, std::log(p / (1 - p)));
      if (truth < std::get<double>(row[2]) || truth > std::get<double>(row[3])) return false;
    }
    return true;
  }
  throw std::logic_error("no band");
}

/// How many forecasts of a model that is off lie outside, to show that the band is not empty of meaning.
void honest_bands(Book& book) {
  for (const Setting& s :
       {Setting{.name = "calibrated, N = 100", .n = 100}, Setting{.name = "calibrated, N = 1,000", .n = 1000},
        Setting{.name = "slope 0.5, N = 1,000", .n = 1000, .slope = 0.5},
        Setting{.name = "rare events (5%), N = 1,000", .n = 1000, .mean = -3.5, .spread = 1},
        Setting{.name = "5 votes, slope 0.5, N = 200", .n = 200, .votes = 5, .slope = 0.5},
        Setting{.name = "40 groups of 10, slope 0.5", .n = 400, .groups = 40, .slope = 0.5},
        Setting{.name = "10 groups of 40, calibrated", .groups = 10}}) {
    const auto held = simulate_sets(book.sets(1000, 60), book.seed(), [&](std::uint64_t seed) {
      return holds_everywhere(evaluate(items_of(draw(s, seed)), {.metrics = {"mcb"},
                                                                 .bootstrap = s.groups > 0 ? 2 : 0,
                                                                 .seed = seed,
                                                                 .threads = 1,
                                                                 .consensus = false}),
                              s);
    });
    book.rate("the honest band contains the true frequency at all forecasts", s.name, {0.95, 1}, held);
  }
}

const Topic kHonestBand{"honest band", honest_bands};

}  // namespace
}  // namespace plumb::laws
