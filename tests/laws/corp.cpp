// The consistency band of the isotonic reliability diagram: how often the fit of a calibrated model lies in
// it at one forecast.
#include "laws/laws.hpp"
#include "laws/simulated.hpp"
#include "plumb/evaluate/evaluate.hpp"

namespace plumb::laws {
namespace {

bool within_band(const Result& r, double forecast) {
  for (const auto& [name, t] : r.tables) {
    if (name != "corp_band") continue;
    const std::vector<Value>* nearest = &t.rows.front();
    const auto at = [](const std::vector<Value>& row, int i) { return std::get<double>(row[i]); };
    for (const auto& row : t.rows)
      if (std::abs(at(row, 0) - forecast) < std::abs(at(*nearest, 0) - forecast)) nearest = &row;
    return at(*nearest, 1) >= at(*nearest, 2) && at(*nearest, 1) <= at(*nearest, 3);
  }
  throw std::logic_error("no band");
}

void consistency_band(Book& book) {
  constexpr Wanted kWanted{0.92, 0.99};
  for (const Setting& s : {Setting{.name = "calibrated, N = 400"},
                           Setting{.name = "5 votes, calibrated, N = 200", .n = 200, .votes = 5},
                           Setting{.name = "40 groups of 5, calibrated", .n = 200, .groups = 40}})
    for (const double forecast : {0.2, 0.5}) {
      const auto inside = simulate_sets(book.sets(400, 30), book.seed(), [&](std::uint64_t seed) {
        return within_band(
            evaluate(items_of(draw(s, seed)),
                     {.metrics = {"mcb"}, .bootstrap = 200, .seed = seed, .threads = 1, .consensus = false}),
            forecast);
      });
      book.rate("the isotonic fit of a calibrated model lies in its consistency band",
                s.name + ", at " + (forecast < 0.3 ? "0.2" : "0.5"), kWanted, inside);
    }
}

const Topic kConsistencyBand{"corp band", consistency_band};

}  // namespace
}  // namespace plumb::laws
