// How often 95% intervals cover the truth.
#include <algorithm>
#include <map>

#include "laws/laws.hpp"
#include "laws/simulated.hpp"
#include "plumb/evaluate/evaluate.hpp"

namespace plumb::laws {
namespace {

using Keys = std::vector<std::string>;

// On fixed cells: the truth is the same functional of the true chances on each set's own forecasts.
const Keys kOnCells = {"ece", "ece_mass", "ece_classwise", "ece_l2", "brier_reliability", "log_calibration"};
// The truth is the population's.
const Keys kPopulation = {"accuracy", "nll",  "brier", "brier_resolution", "log_refinement",
                          "auroc",    "auprc", "aurc",  "cl",               "ece_l2_debiased"};
const Keys kBinary = {"calibration_slope", "calibration_intercept", "oe_ratio"};
const Keys kVotes = {"agreement", "el", "dl", "disagreement_loss", "disagreement_cl"};

Keys operator+(Keys a, const Keys& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

using Covered = std::vector<std::pair<std::string, char>>;

void cover(Book& book, const Setting& s, const Keys& on_cells, const Keys& population, Wanted wanted, int sets) {
  Setting big = s;
  big.n = 200'000;
  big.groups = 0;
  const Result truth = population.empty() ? Result{} : evaluate(items_of(draw(big, 12345)), {.metrics = population, .consensus = false});
  const auto all = simulate_sets(book.sets(sets, 20), book.seed(), [&](std::uint64_t seed) {
    const Drawn d = draw(s, seed);
    const Result r = evaluate(items_of(d), {.metrics = on_cells + population,
                                            .bootstrap = 200,
                                            .threads = 1,
                                            .consensus = false});
    const Result here = on_cells.empty() ? Result{} : evaluate(truth_of(d), {.metrics = on_cells, .threads = 1, .consensus = false});
    Covered out;
    for (const auto& [key, m] : r.metrics) {
      if (!m.low) continue;
      const bool cells = std::find(on_cells.begin(), on_cells.end(), key) != on_cells.end();
      const double value = *(cells ? here : truth)[key].value;
      out.emplace_back(key, *m.low <= value && value <= *m.high);
    }
    return out;
  });
  std::map<std::string, std::vector<char>> by_key;
  for (const Covered& set : all)
    for (const auto& [key, hit] : set) by_key[key].push_back(hit);
  for (const auto& [key, hits] : by_key) book.rate("the interval of `" + key + "` covers", s.name, wanted, hits);
}

void intervals(Book& book) {
  const char* pick = getenv("PICK");
  const char* what = getenv("WHAT");
  const std::vector<Setting> settings = {
      {.name = "calibrated, N = 200", .n = 200},
      {.name = "calibrated, N = 400", .n = 400},
      {.name = "slope 0.74, N = 200", .n = 200, .slope = .74},
      {.name = "slope 0.74, N = 400", .n = 400, .slope = .74},
      {.name = "slope 0.74, N = 1000", .n = 1000, .slope = .74},
      {.name = "shift, N = 400", .n = 400, .shift = .5},
      {.name = "wave, N = 400", .n = 400, .wave = .06},
      {.name = "rare events, N = 1000", .n = 1000, .mean = -3.5},
      {.name = "rare events, shift, N = 1000", .n = 1000, .shift = .5, .mean = -3.5},
      {.name = "K = 4, calibrated, N = 400", .n = 400, .classes = 4},
      {.name = "K = 4, slope 0.74, N = 400", .n = 400, .classes = 4, .slope = .74},
      {.name = "5 votes, calibrated, N = 200", .n = 200, .votes = 5},
      {.name = "5 votes, slope 0.74, N = 200", .n = 200, .votes = 5, .slope = .74},
      {.name = "40 groups of 5, calibrated", .n = 200, .groups = 40},
      {.name = "40 groups of 5, slope 0.74", .n = 200, .groups = 40, .slope = .74},
      {.name = "40 groups of 5, shift", .n = 200, .groups = 40, .shift = .5}};
  for (const Setting& s : settings) {
    if (pick && s.name.find(pick) == std::string::npos) continue;
    const Keys pop = kPopulation + (s.classes == 2 ? kBinary : Keys{}) + (s.votes > 1 ? kVotes : Keys{});
    const bool cells = !what || std::string(what) == "cells", rest = !what || std::string(what) == "pop";
    cover(book, s, cells ? kOnCells : Keys{}, rest ? pop : Keys{}, {0.93, 0.97}, getenv("SETS") ? atoi(getenv("SETS")) : 200);
  }
}
const Topic kIntervals{"intervals", intervals};

}  // namespace
}  // namespace plumb::laws
