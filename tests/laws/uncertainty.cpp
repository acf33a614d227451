// The interval of the expected odds ratio, and thresholds with a guarantee.
#include <cmath>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "laws/laws.hpp"
#include "plumb/uncertainty/uncertainty.hpp"
#include "support/make_items.hpp"

namespace plumb::laws {
namespace {

/// A measure u, uniform on (0, 1), and answers that are right with chance f(u) = logistic(level - slope u +
/// effect of the group). Right or wrong is all that counts, so two classes will do: p = 1 - u/2 for class 1.
struct World {
  double error, slope, spread = 0;  ///< share of wrong answers; standard deviation of the groups' effects
  int groups = 0;                   ///< 0: none
  int levels = 0;                   ///< > 0: u on so many values
  double level = 0;

  World(double error_, double slope_, int groups_ = 0, double spread_ = 0, int levels_ = 0)
      : error(error_), slope(slope_), spread(spread_), groups(groups_), levels(levels_) {
    double low = -40, high = 40;
    for (int i = 0; i < 60; ++i) {
      level = (low + high) / 2;
      (accuracy_below(1) < 1 - error ? low : high) = level;
    }
  }
  static double logistic(double x) { return 1 / (1 + std::exp(-x)); }
  /// Mean over groups.
  [[nodiscard]] double right(double u) const {
    if (spread == 0) return logistic(level - slope * u);
    double sum = 0, mass = 0;
    for (int q = -12; q <= 12; ++q) {
      const double x = q / 3.0, w = std::exp(-x * x / 2);
      sum += w * logistic(level - slope * u + spread * x);
      mass += w;
    }
    return sum / mass;
  }
  [[nodiscard]] double value(double u) const {
    return levels == 0 ? u : (std::floor(u * levels) + 0.5) / levels;
  }
  [[nodiscard]] double accuracy_below(double u) const {
    constexpr int kSteps = 2000;
    double sum = 0, mass = 0;
    for (int i = 0; i < kSteps; ++i) {
      const double x = value((i + 0.5) / kSteps);
      if (x >= u) break;
      sum += right(x);
      ++mass;
    }
    return mass > 0 ? sum / mass : 1;
  }
  /// The odds ratio of B bins with equal shares of the wrong answers, of the whole population.
  [[nodiscard]] double odds_ratio(int bins) const {
    constexpr int kSteps = 200'000;
    std::vector<double> f(kSteps), mass(bins), hits(bins);
    double wrong = 0;
    for (int i = 0; i < kSteps; ++i) wrong += 1 - (f[i] = right((i + 0.5) / kSteps));
    double below = 0;
    for (int i = 0; i < kSteps; ++i) {
      const int b = std::min(bins - 1, static_cast<int>(bins * below / wrong));
      ++mass[b];
      hits[b] += f[i];
      below += 1 - f[i];
    }
    const double base = (kSteps - wrong) / wrong;
    double sum = 0;
    for (int b = 0; b < bins; ++b) {
      const double odds = hits[b] / (mass[b] - hits[b]) / base;
      sum += mass[b] * std::max(odds, 1 / odds);
    }
    return sum / kSteps;
  }

  [[nodiscard]] Items draw(int n, std::uint64_t seed, int votes = 1) const {
    RandomStream rng(seed, Purpose::demo);
    test::Simulated s;
    std::vector<double> effect;
    for (int g = 0; g < groups; ++g) effect.push_back(spread * rng.normal());
    for (int i = 0; i < n; ++i) {
      const double u = value(rng.uniform());
      const double chance = logistic(level - slope * u + (groups > 0 ? effect[i % groups] : 0));
      s.z.push_back(1 - u / 2);
      std::vector<int> seen;
      for (int v = 0; v < votes; ++v) seen.push_back(rng.uniform() < chance ? 1 : 0);
      s.votes.push_back(seen);
      if (groups > 0) s.group.push_back(i % groups);
    }
    return test::to_items(s, votes == 1 ? test::VoteForm::labels : test::VoteForm::counts);
  }
};

/// Truths by number of bins, found once.
class Truths {
 public:
  explicit Truths(const World& w) : world_(w) {}
  double operator()(int bins) {
    const std::scoped_lock lock(mutex_);
    const auto [at, fresh] = known_.try_emplace(bins, 0);
    if (fresh) at->second = world_.odds_ratio(bins);
    return at->second;
  }

 private:
  const World& world_;
  std::mutex mutex_;
  std::map<int, double> known_;
};

void odds(Book& book, const World& world, int n, Wanted wanted) {
  Truths truths(world);
  struct Seen {
    bool has = false, covers = false;
  };
  const auto seen = simulate_sets(book.sets(400, 30), book.seed(), [&](std::uint64_t seed) {
    const MeasureResult m = uncertainty(
        world.draw(n, seed), {}, {},
        {.measures = {"u1"}, .suspects = 0, .bootstrap = 100, .permutations = 0, .threads = 1})["u1"];
    const MetricResult& eor = m["eor"];
    if (!eor.low) return Seen{};
    const double truth = truths(static_cast<int>(m.eor_bins));
    return Seen{true, *eor.low <= truth && truth <= *eor.high};
  });
  std::vector<char> covered;
  for (const Seen& s : seen)
    if (s.has) covered.push_back(s.covers);
  book.rate("the 95% interval of `eor` covers",
            fmt::format("N = {}, {:g}% wrong, slope {:g}{}", n, 100 * world.error, world.slope,
                        world.groups > 0 ? fmt::format(", {} groups", world.groups) : ""),
            wanted, covered);
}

void thresholds(Book& book, const World& world, int n, double target, double least_share, int votes = 1) {
  struct Seen {
    bool plain = false, guaranteed = false;
    double share = 0;
  };
  const auto seen = simulate_sets(book.sets(600, 60), book.seed(), [&](std::uint64_t seed) {
    const MeasureResult m = uncertainty(
        world.draw(n, seed, votes), {}, {},
        {.measures = {"u1"}, .targets = {target}, .suspects = 0, .permutations = 0, .threads = 1})["u1"];
    const auto misses = [&](const std::optional<double>& cut) {
      return cut && world.accuracy_below(2 * (1 - std::exp(-*cut)) - 1e-9) < target;
    };
    return Seen{misses(m.thresholds.cuts[0].value), misses(m.guarantees[0].value), m.guarantees[0].share};
  });
  std::vector<char> plain, guaranteed;
  std::vector<double> share;
  for (const Seen& s : seen) {
    plain.push_back(s.plain);
    guaranteed.push_back(s.guaranteed);
    share.push_back(s.share);
  }
  const std::string setting = fmt::format(
      "target {:g}, N = {}, {:g}% wrong, slope {:g}{}{}{}", target, n, 100 * world.error, world.slope,
      world.groups > 0 ? fmt::format(", {} groups, effects {:g}", world.groups, world.spread) : "",
      votes > 1 ? fmt::format(", {} votes", votes) : "",
      world.levels > 0 ? fmt::format(", {} distinct values", world.levels) : "");
  book.rate("a guaranteed threshold misses its target", setting, {0, 0.05}, guaranteed);
  book.mean("share kept by the guaranteed threshold", setting, {least_share, 1}, share);
  if (world.groups > 0 || votes > 1 || world.levels > 0) return;
  book.rate("a plain threshold misses its target", setting, {0.4, 0.65}, plain);
}

void uncertainty_topic(Book& book) {
  const Wanted covers{0.92, 0.97}, groups{0.92, 0.99};
  odds(book, World(0.05, 6), 2000, covers);
  odds(book, World(0.05, 2), 8000, covers);
  odds(book, World(0.15, 2), 1000, covers);
  odds(book, World(0.15, 6), 4000, covers);
  odds(book, World(0.15, 2), 4000, covers);
  odds(book, World(0.3, 2), 1000, covers);
  odds(book, World(0.3, 2), 4000, covers);
  odds(book, World(0.3, 6), 4000, covers);
  odds(book, World(0.15, 4, 100, 0.7), 4000, groups);
  thresholds(book, World(0.1, 5), 500, 0.95, 0.3);
  thresholds(book, World(0.1, 5), 4000, 0.95, 0.7);
  thresholds(book, World(0.2, 8), 2000, 0.9, 0.7);
  thresholds(book, World(0.05, 8), 5000, 0.99, 0.6);
  thresholds(book, World(0.1, 5, 0, 0, 8), 2000, 0.95, 0.5);
  thresholds(book, World(0.1, 5, 1000, 0.7), 8000, 0.95, 0.2);
  thresholds(book, World(0.2, 5, 400, 1.5), 2000, 0.9, 0.2);
  thresholds(book, World(0.1, 5), 1000, 0.95, 0.3, 5);
}
const Topic kUncertainty{"uncertainty", uncertainty_topic};

}  // namespace
}  // namespace plumb::laws
