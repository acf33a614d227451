// Forecasts of quantiles: intervals of their scores, and the guarantee of conformalized quantiles. Targets
// are skewed around forecasts that are too narrow.
#include <cmath>

#include "laws/laws.hpp"
#include "plumb/calibrate/regression/cqr.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/numeric/special.hpp"
#include "plumb/regression/quantiles.hpp"

namespace plumb::laws {
namespace {

const std::vector<double> kQuantileLevels{0.05, 0.5, 0.95};

struct QuantileSetting {
  std::string name;
  int n;
  int groups = 0;  // above 0: half of the variance of an error is shared
};

struct QuantileSet {
  QuantileItems items;
  Names category;
};

QuantileSet quantile_set(const QuantileSetting& s, std::uint64_t seed) {
  RandomStream rng(seed, Purpose::demo, 8);
  std::vector<double> q, y;
  std::vector<std::int64_t> group, category;
  std::vector<double> shared(std::max(s.groups, 1));
  for (double& x : shared) x = rng.normal();
  for (int i = 0; i < s.n; ++i) {
    const double mean = 2 * rng.normal(), spread = std::exp(0.4 * rng.normal());
    double z = rng.normal();
    if (s.groups > 0) z = (z + shared[i % s.groups]) / std::sqrt(2.0);
    for (const double level : kQuantileLevels) q.push_back(mean + 0.7 * spread * normal_quantile(level));
    category.push_back(i % 3 == 0 ? 1 : 0);
    const double scale = i % 3 == 0 ? 1.5 : 1;  // harder items
    y.push_back(mean + scale * spread * (std::exp(0.5 * z) - std::exp(0.125)) / 0.6);
    group.push_back(i % std::max(s.groups, 1));
  }
  const std::int64_t n = s.n;
  QuantileSet out{
      {Rows(array_of(q, {n, 3}, "q.npy")), kQuantileLevels, Rows(array_of(y, {n}, "y.npy")), {}, {}, {}},
      Names(Rows(array_of(category, {n}, "c.npy")))};
  if (s.groups > 0) out.items.groups = Names(Rows(array_of(group, {n}, "g.npy")));
  return out;
}

void score_intervals(Book& book) {
  const Result population =
      evaluate_quantiles(quantile_set({"population", book.whole() ? 1'000'000 : 100'000}, 12345).items);
  for (const QuantileSetting& s : {QuantileSetting{"N = 100", 100}, QuantileSetting{"N = 500", 500},
                                   QuantileSetting{"40 groups of 5", 200, 40}}) {
    const auto sets = simulate_sets(book.sets(1000, 60), book.seed(), [&](std::uint64_t seed) {
      return evaluate_quantiles(quantile_set(s, seed).items, {.bootstrap = 200, .seed = seed, .threads = 1});
    });
    for (const char* key : {"pinball", "interval_score_90", "coverage_90", "width_90"}) {
      std::vector<char> covers;
      for (const Result& r : sets)
        covers.push_back(*r[key].low <= *population[key].value && *population[key].value <= *r[key].high);
      book.rate(std::string("the interval of `") + key + "` covers", s.name, {0.92, 0.99}, covers);
    }
  }
}

/// Coverage of new items by intervals of one fit: in all, and in the harder category.
struct CqrCoverage {
  double all, hard;
};

void guarantees(Book& book) {
  for (const int n : {30, 200}) {
    const auto sets = simulate_sets(book.sets(1000, 100), book.seed(), [&](std::uint64_t seed) {
      const QuantileSet fit = quantile_set({"", 3 * n}, seed),
                        test = quantile_set({"", 300}, seed + 500'000'000);
      const auto coverage = [&](bool within) {
        const CalibrationModel model = fit_cqr(fit.items, within ? fit.category : Names());
        std::vector<double> y(300);
        test.items.targets.read(0, 300, y);
        CqrCoverage out{0, 0};
        std::size_t i = 0;
        apply_cqr(model, test.items, within ? test.category : Names(), [&](std::span<const double> rows) {
          for (std::size_t at = 0; at < rows.size(); at += 3, ++i) {
            const bool inside = rows[at] <= y[i] && y[i] <= rows[at + 2];
            out.all += inside / 300.0;
            out.hard += i % 3 == 0 ? inside / 100.0 : 0;
          }
        });
        return out;
      };
      return std::pair{coverage(false), coverage(true)};
    });
    std::vector<double> all, hard;
    for (const auto& [plain, within] : sets) {
      all.push_back(plain.all);
      hard.push_back(within.hard);
    }
    const std::string size = std::to_string(3 * n) + " items";
    book.shares("a `cqr` interval of level 0.9 contains a new target", size, {0.9, 0.92}, all);
    book.shares("a `cqr` interval by category contains a new target of the harder category",
                size + ", a third of them harder", {0.9, 0.94}, hard);
  }
}

const Topic kScores{"quantiles", score_intervals};
const Topic kGuarantees{"cqr", guarantees};

}  // namespace
}  // namespace plumb::laws
