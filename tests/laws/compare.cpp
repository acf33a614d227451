// Differences of two models that are equally good, and of several metrics at once.
#include <algorithm>
#include <cmath>

#include "laws/laws.hpp"
#include "plumb/evaluate/compare.hpp"
#include "plumb/numeric/special.hpp"
#include "support/make_items.hpp"

namespace plumb::laws {
namespace {

const std::vector<std::string> kKeys{"nll",       "brier",           "ece",        "ece_mass", "mce",
                                     "ece_sweep", "ece_l2_debiased", "ece_kde_l2", "ks",       "auroc"};

using Move = std::function<double(double, RandomStream&)>;

/// Versions of calibrated log-odds on the same outcomes, those of a group correlated by a Gaussian copula.
Comparison compared(std::uint64_t seed, int n, const std::vector<Move>& moves, int groups = 0) {
  RandomStream rng(seed, Purpose::demo);
  std::vector<test::Simulated> versions(moves.size());
  std::vector<std::vector<int>> votes;
  std::vector<std::int64_t> group;
  std::vector<double> shared(groups);
  for (double& x : shared) x = rng.normal();
  for (int i = 0; i < n; ++i) {
    const double u = 1.5 * rng.normal(), p = 1 / (1 + std::exp(-u));
    double at = rng.uniform();
    if (groups > 0) {
      at = normal_cdf(std::sqrt(0.3) * shared[i % groups] + std::sqrt(0.7) * rng.normal());
      group.push_back(i % groups);
    }
    votes.push_back({at < p ? 1 : 0});
    for (std::size_t m = 0; m < moves.size(); ++m)
      versions[m].z.push_back(1 / (1 + std::exp(-moves[m](u, rng))));
  }
  std::vector<NamedModel> models;
  for (test::Simulated& s : versions) {
    s.votes = votes;
    s.group = group;
    models.push_back(
        {std::string(1, static_cast<char>('a' + models.size())), test::to_items(s, test::VoteForm::labels)});
  }
  return compare(models, {.metrics = kKeys, .bootstrap = 200, .threads = 1, .bandwidth = 0.02});
}

/// Shares of sets in which each key's p-value, and any adjusted one, is at most 0.05.
void equal_models(Book& book, const std::string& setting, int sets, int n, const std::vector<Move>& moves,
                  int groups = 0) {
  std::vector<std::vector<char>> rejected(kKeys.size() + 1, std::vector<char>(sets, 0));
  parallel_blocks(sets, 1, 0, [&](int, std::int64_t s, std::int64_t) {
    const Comparison c = compared(book.seed() * 1'000'003 + s, n, moves, groups);
    for (std::size_t k = 0; k < kKeys.size(); ++k)
      for (const Difference& d : c[kKeys[k]].differences) {
        if (d.from == 0 && d.to == 1) rejected[k][s] = *d.p_value <= 0.05;
        rejected.back()[s] = rejected.back()[s] || *d.adjusted <= 0.05;
      }
  });
  if (moves.size() == 2)
    for (std::size_t k = 0; k < kKeys.size(); ++k)
      book.rate("equally good models differ (`" + kKeys[k] + "`)", setting, {0, 0.07}, rejected[k]);
  book.rate("any adjusted p-value of " + std::to_string(kKeys.size()) + " metrics" +
                (moves.size() == 2 ? "" : " and of all pairs") + " is at most 0.05",
            setting, {0, 0.06}, rejected.back());
}

void compare_laws(Book& book) {
  const auto by = [](double shift) { return [shift](double u, RandomStream&) { return u + shift; }; };
  const auto noise = [](double u, RandomStream& rng) { return u + 0.3 * rng.normal(); };
  for (const int n : {200, 1000})
    equal_models(book, "log-odds shifted by +0.6 and -0.6, N = " + std::to_string(n),
                 book.sets(n == 200 ? 400 : 200, 40), n, {by(0.6), by(-0.6)});
  equal_models(book, "log-odds shifted by +0.6 and -0.6, 40 groups of 5", book.sets(200, 20), 200,
               {by(0.6), by(-0.6)}, 40);
  equal_models(book, "two noisy copies of one model, N = 400", book.sets(200, 40), 400, {noise, noise});
  equal_models(book, "three noisy copies of one model, N = 400", book.sets(200, 20), 400,
               {noise, noise, noise});
  struct Found {
    char nll, ece, ece_mass;
  };
  const auto found = simulate_sets(book.sets(200, 40), book.seed(), [&](std::uint64_t seed) {
    const Comparison c = compared(seed, 1000, {by(0), by(0.6)});
    const auto adjusted = [&](const char* key) { return *c[key].differences[0].adjusted <= 0.05; };
    return Found{adjusted("nll"), adjusted("ece"), adjusted("ece_mass")};
  });
  const auto share = [&](const char* key, char Found::*what, double least) {
    std::vector<char> hits;
    for (const Found& f : found) hits.push_back(f.*what);
    book.rate(std::string("a worse model is found (`") + key + "`, adjusted)",
              "log-odds shifted by 0 and 0.6, N = 1000", {least, 1}, hits);
  };
  share("nll", &Found::nll, 0.95);
  share("ece", &Found::ece, 0.8);
  share("ece_mass", &Found::ece_mass, 0.8);
}
const Topic kCompare{"compare", compare_laws};

}  // namespace
}  // namespace plumb::laws
