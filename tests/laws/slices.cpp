// Intervals of many slices: how often those of one slice cover, and how often all of them do at once.
#include <map>

#include "laws/laws.hpp"
#include "laws/simulated.hpp"
#include "plumb/evaluate/evaluate.hpp"

namespace plumb::laws {
namespace {

const std::vector<std::string> kSliceKeys = {"accuracy", "nll", "brier", "ece", "auroc"};
constexpr int kSlices = 10;

struct Misses {
  std::map<std::string, int> plain, simultaneous, slices;
};

Names every_tenth(std::int64_t n) {
  std::vector<std::int64_t> code(n);
  for (std::int64_t i = 0; i < n; ++i) code[i] = i % kSlices;
  return Names(Rows(array_of(code, {n}, "slice.npy")));
}

/// The truth of ece is the same functional of the true chances on the slice's own forecasts; of the others,
/// that of the population.
Misses misses_of(const Setting& s, const Result& population, std::uint64_t seed) {
  const Drawn d = draw(s, seed);
  Items items = items_of(d), truth = truth_of(d);
  items.by = {every_tenth(items.size())};
  truth.by = items.by;
  const EvaluateOptions values{.metrics = kSliceKeys, .threads = 1, .consensus = false};
  EvaluateOptions drawn = values;
  drawn.bootstrap = 200;
  const Result r = evaluate(items, drawn), exact = evaluate(truth, values);
  Misses out;
  for (std::size_t g = 0; g < r.per_group.size(); ++g)
    for (const auto& [key, i] : r.per_group[g].intervals) {
      double wanted = *population[key].value;
      if (key == "ece")
        for (const auto& [name, x] : exact.per_group[g].metrics)
          if (name == key) wanted = *x;
      ++out.slices[key];
      out.plain[key] += wanted < i.low || wanted > i.high;
      out.simultaneous[key] += wanted < i.simultaneous_low || wanted > i.simultaneous_high;
    }
  return out;
}

void cover_slices(Book& book, const Setting& s) {
  Setting big = s;
  big.n = book.whole() ? 400'000 : 50'000;
  const Result population = evaluate(items_of(draw(big, 12345)), {.metrics = kSliceKeys, .consensus = false});
  const std::vector<Misses> sets = simulate_sets(
      book.sets(200, 20), book.seed(), [&](std::uint64_t seed) { return misses_of(s, population, seed); });
  for (const std::string& key : kSliceKeys) {
    std::vector<double> one;
    std::vector<char> all;
    for (const Misses& m : sets) {
      if (m.slices.at(key) == 0) continue;
      one.push_back(1 - static_cast<double>(m.plain.at(key)) / m.slices.at(key));
      all.push_back(m.simultaneous.at(key) == 0);
    }
    book.shares("the interval of `" + key + "` in one slice covers", s.name, {0.92, 0.99}, one);
    book.rate("the simultaneous intervals of `" + key + "` cover in all 10 slices", s.name, {0.93, 1}, all);
  }
}

void slices(Book& book) {
  cover_slices(book, {.name = "10 slices of 100, slope 0.74", .n = 1000, .slope = 0.74});
  if (!book.whole()) return;
  cover_slices(book, {.name = "10 slices of 100, calibrated", .n = 1000});
  cover_slices(book, {.name = "10 slices of 300, slope 0.74", .n = 3000, .slope = 0.74});
}
const Topic kSlicesTopic{"slices", slices};

}  // namespace
}  // namespace plumb::laws
