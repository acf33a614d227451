// Differences of two models that are equally good, and of several metrics at once.
#include <algorithm>
#include <cmath>

#include "laws/laws.hpp"
#include "plumb/evaluate/compare.hpp"
#include "support/make_items.hpp"

namespace plumb::laws {
namespace {

const std::vector<std::string> kKeys{"nll",       "brier",           "ece",        "ece_mass", "mce",
                                     "ece_sweep", "ece_l2_debiased", "ece_kde_l2", "ks",       "auroc"};

using Move = std::function<double(double, RandomStream&)>;

/// Two versions of calibrated log-odds on the same outcomes.
Comparison two(std::uint64_t seed, int n, const Move& first, const Move& second) {
  RandomStream rng(seed, Purpose::kDemo);
  test::Simulated a, b;
  for (int i = 0; i < n; ++i) {
    const double u = 1.5 * rng.normal(), p = 1 / (1 + std::exp(-u));
    a.votes.push_back({rng.uniform() < p ? 1 : 0});
    a.z.push_back(1 / (1 + std::exp(-first(u, rng))));
    b.z.push_back(1 / (1 + std::exp(-second(u, rng))));
  }
  b.votes = a.votes;
  return compare(
      {{"a", test::to_items(a, test::VoteForm::labels)}, {"b", test::to_items(b, test::VoteForm::labels)}},
      {.metrics = kKeys, .bootstrap = 200, .threads = 1, .bandwidth = 0.02});
}

/// Shares of sets in which each key's p-value, and any adjusted one, is at most 0.05.
void equal_models(Book& book, const std::string& setting, int sets, int n, const Move& first,
                  const Move& second) {
  std::vector<std::vector<char>> rejected(kKeys.size() + 1, std::vector<char>(sets, 0));
  parallel_blocks(sets, 1, 0, [&](int, std::int64_t s, std::int64_t) {
    const Comparison c = two(book.seed() * 1'000'003 + s, n, first, second);
    for (std::size_t k = 0; k < kKeys.size(); ++k) {
      const Difference& d = c[kKeys[k]].differences[0];
      rejected[k][s] = *d.p_value <= 0.05;
      rejected.back()[s] = rejected.back()[s] || *d.adjusted <= 0.05;
    }
  });
  for (std::size_t k = 0; k < kKeys.size(); ++k)
    book.rate("equally good models differ (`" + kKeys[k] + "`)", setting, {0, 0.07}, rejected[k]);
  book.rate("any adjusted p-value of " + std::to_string(kKeys.size()) + " metrics is at most 0.05", setting,
            {0, 0.06}, rejected.back());
}

void compare_laws(Book& book) {
  const auto by = [](double shift) { return [shift](double u, RandomStream&) { return u + shift; }; };
  const auto noise = [](double u, RandomStream& rng) { return u + 0.3 * rng.normal(); };
  for (const int n : {200, 1000})
    equal_models(book, "log-odds shifted by +0.6 and -0.6, N = " + std::to_string(n),
                 book.sets(n == 200 ? 400 : 200, 40), n, by(0.6), by(-0.6));
  equal_models(book, "two noisy copies of one model, N = 400", book.sets(200, 40), 400, noise, noise);
  const auto found = simulate_sets(book.sets(200, 40), book.seed(), [&](std::uint64_t seed) {
    return *two(seed, 1000, by(0), by(0.6))["nll"].differences[0].adjusted <= 0.05;
  });
  book.rate("a worse model is found (`nll`, adjusted)", "log-odds shifted by 0 and 0.6, N = 1000", {0.95, 1},
            found);
}
const Topic kCompare{"compare", compare_laws};

}  // namespace
}  // namespace plumb::laws
