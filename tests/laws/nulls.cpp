// Tests of calibration: how often they reject models that are calibrated, and how often those that are not.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "laws/laws.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/numeric/special.hpp"
#include "plumb/registry.hpp"
#include "support/make_items.hpp"

namespace plumb::laws {
namespace {

/// How votes come about: `z` is what the model says, the votes are drawn from softmax(slope * log z).
struct Case {
  int n = 200, classes = 2, votes = 1;
  double slope = 1, spread = 1.5;  ///< the binary log-odds have this standard deviation
  bool rare = false;               ///< about 2% of the binary outcomes are 1
  double concentration = 0;        ///< > 0: Dirichlet; 0: independent; < 0: half of the items unanimous
  int group_size = 0;              ///< 0: no groups
  double rho = 0;                  ///< of the Gaussian copula; 1: one uniform number for the group
  NullKind null = NullKind::model;
};

test::Simulated simulate_case(const Case& c, std::uint64_t seed) {
  RandomStream rng(seed, Purpose::demo, 31);
  test::Simulated s;
  s.classes = c.classes;
  double group_normal = 0;
  for (int i = 0; i < c.n; ++i) {
    if (c.group_size > 0) {
      if (i % c.group_size == 0) group_normal = rng.normal();
      s.group.push_back(i / c.group_size);
    }
    std::vector<double> logit(c.classes), z(c.classes), q(c.classes);
    if (c.classes == 2) {
      logit[1] = c.rare ? -4.2 + 0.8 * rng.normal() : c.spread * rng.normal();
    } else {
      for (double& x : logit) x = 1.5 * rng.normal();
    }
    double zs = 0, qs = 0;
    for (int k = 0; k < c.classes; ++k) {
      zs += z[k] = std::exp(logit[k]);
      qs += q[k] = std::exp(c.slope * logit[k]);
    }
    for (int k = 0; k < c.classes; ++k) z[k] /= zs, q[k] /= qs;
    if (c.classes == 2)
      s.z.push_back(z[1]);
    else
      s.z.insert(s.z.end(), z.begin(), z.end());
    if (c.concentration > 0) s.concentration.push_back(c.concentration);
    std::vector<double> own = q;
    if (c.concentration > 0) {
      double sum = 0;
      for (int k = 0; k < c.classes; ++k) sum += own[k] = rng.gamma(c.concentration * q[k]) + 1e-300;
      for (double& x : own) x /= sum;
    }
    const bool unanimous = c.concentration < 0 && i % 2 == 0;
    // The item's own uniform number, tied to its group.
    double u = rng.uniform();
    if (c.rho > 0) u = normal_cdf(std::sqrt(c.rho) * group_normal + std::sqrt(1 - c.rho) * rng.normal());
    std::vector<int> votes;
    for (int v = 0; v < c.votes; ++v) {
      double at = v == 0 || unanimous ? u : rng.uniform();
      int k = c.classes - 1;
      while (k > 0 && at >= own[k]) at -= own[k--];
      votes.push_back(k);
    }
    s.votes.push_back(votes);
  }
  return s;
}

/// Kernel estimates cost a hundred times as much as the others.
bool heavy(std::string_view key) { return key.starts_with("ece_kde") || key == "smece"; }

using Rejected = std::map<std::string, std::vector<char>>;

/// By key, and by "omnibus": which sets are rejected at 5%.
Rejected reject(const Case& c, int sets, std::uint64_t seed, const std::vector<std::string>& keys) {
  const auto runs = simulate_sets(sets, seed, [&](std::uint64_t own) {
    EvaluateOptions o;
    o.metrics = keys;
    o.bootstrap = std::any_of(keys.begin(), keys.end(), heavy) ? 99 : 200;
    o.threads = 1;
    o.bins = 10;
    o.bandwidth = 0.05;
    o.consensus = false;
    o.seed = own;
    o.null = c.null;
    const auto form = c.votes > 1 ? test::VoteForm::counts : test::VoteForm::labels;
    const Result r = evaluate(test::to_items(simulate_case(c, own), form), o);
    std::map<std::string, char> out;
    for (const auto& [key, m] : r.metrics) out[key] = m.p_value && *m.p_value <= 0.05;
    out["omnibus"] = r.verdict.p_value && *r.verdict.p_value <= 0.05;
    return out;
  });
  Rejected out;
  for (const auto& run : runs)
    for (const auto& [key, hit] : run) out[key].push_back(hit);
  return out;
}

constexpr Wanted kLevel{0.025, 0.07};
constexpr Wanted kSafe{0, 0.07};

/// Every key with a p-value on models that are calibrated.
void levels(Book& book) {
  const auto level = [&](const std::string& setting, const Case& c, bool kernels = false) {
    std::vector<std::string> keys;
    for (const MetricRow& row : metrics()) {
      // Votes that are not Dirichlet have no forecast of disagreement that is right.
      if (row.needs == Needs::pairs && c.concentration <= 0) continue;
      if (row.task == Task::binary && c.classes != 2) continue;
      if (row.null && heavy(row.key) == kernels) keys.emplace_back(row.key);
    }
    const int sets = kernels ? book.sets(60, 2) : book.sets(400, 8);
    for (const auto& [key, hits] : reject(c, sets, book.seed(), keys)) {
      if (kernels && key == "omnibus") continue;
      // The largest gap takes few values where cells hold few items; with independent items in ten groups the
      // correlation that such groups cannot exclude costs power.
      const bool careful = key.starts_with("mce") || (c.group_size > 0 && c.rho == 0);
      book.rate(
          "a calibrated model is rejected at 5% by `" + key + "`" + (careful ? " (may be conservative)" : ""),
          setting, careful ? kSafe : kLevel, hits);
    }
  };
  level("binary, N = 200", {});
  level("K = 4, N = 200", {.classes = 4});
  level("binary, 5 votes, s = 4, N = 200", {.votes = 5, .concentration = 4});
  level("K = 4, 5 votes, s = 4, N = 200", {.classes = 4, .votes = 5, .concentration = 4});
  level("40 groups of 5, copula 0.3", {.group_size = 5, .rho = 0.3});
  level("10 groups of 20, copula 0.3", {.group_size = 20, .rho = 0.3});
  level("10 groups of 20, independent items", {.group_size = 20});
  level("2% events, N = 400", {.n = 400, .rare = true});
  level("2% events, 5 votes, s = 4, N = 200", {.votes = 5, .rare = true, .concentration = 4});
  level("2% events, 40 groups of 10, copula 0.3", {.n = 400, .rare = true, .group_size = 10, .rho = 0.3});
  level("wrong model: half of the items unanimous, half independent, 5 votes",
        {.votes = 5, .concentration = -1});
  level("40 groups of 5 that share a uniform number", {.group_size = 5, .rho = 1});
  level("10 groups of 20 that share a uniform number", {.group_size = 20, .rho = 1});
  level("binary, N = 200", {}, true);
  level("binary, 5 votes, s = 4, N = 200", {.votes = 5, .concentration = 4}, true);
}

void power(Book& book) {
  const auto found = [&](const std::string& setting, const Case& c,
                         const std::vector<std::pair<std::string, double>>& least) {
    std::vector<std::string> keys;
    for (const auto& [key, share] : least)
      if (key != "omnibus") keys.push_back(key);
    const Rejected r = reject(c, book.sets(400, 10), book.seed(), keys);
    for (const auto& [key, share] : least)
      book.rate("an over-confident model is rejected at 5% by `" + key + "`", setting, {share, INFINITY},
                r.at(key));
  };
  found("true slope 0.74, N = 400", {.n = 400, .slope = 0.74, .spread = 1.5 / 0.74},
        {{"omnibus", 0.70}, {"spiegelhalter_z", 0.78}, {"cox_score", 0.70}});
  found("true slope 0.74, 5 votes, s = 4, N = 200",
        {.votes = 5, .slope = 0.74, .spread = 1.5 / 0.74, .concentration = 4},
        {{"omnibus", 0.60}, {"ece", 0.60}});
}

/// Pixels of cases, each with two raters: the signs of whole cases.
void signs(Book& book) {
  const Case pixels{
      .n = 8000, .votes = 2, .concentration = 4, .group_size = 400, .rho = 0.3, .null = NullKind::signs};
  for (const auto& [key, hits] :
       reject(pixels, book.sets(150, 2), book.seed(), {"ece", "ece_mass", "ks", "mmce"}))
    book.rate("a calibrated model is rejected at 5% by `" + key + "`, random signs",
              "20 cases of 400 pixels, 2 raters", kLevel, hits);
}

/// Majority labels that follow the forecast; three in ten items are tied, whatever the forecast.
Items tied_items(std::uint64_t seed) {
  RandomStream rng(seed, Purpose::demo, 33);
  test::Simulated s;
  for (int i = 0; i < 300; ++i) {
    s.z.push_back(1 / (1 + std::exp(-1.5 * rng.normal())));
    const int major = rng.uniform() < s.z.back() ? 1 : 0;
    s.votes.push_back(rng.uniform() < 0.3 ? std::vector<int>{0, 0, 1, 1}
                                          : std::vector<int>{major, major, major, 1 - major});
  }
  return test::to_items(s, test::VoteForm::counts);
}

/// Tests of the majority label leave ties out.
void consensus(Book& book) {
  const std::vector<std::string> keys{"ece",       "ece_mass",       "ks", "kuiper", "mmce",
                                      "cox_score", "spiegelhalter_z"};
  const auto runs = simulate_sets(book.sets(400, 20), book.seed() + 2, [&](std::uint64_t seed) {
    const Result r = evaluate(tied_items(seed),
                              {.bins = 10, .metrics = keys, .bootstrap = 200, .seed = seed, .threads = 1});
    std::map<std::string, char> out;
    for (const auto& [key, m] : r.consensus) out[key] = *m.p_value <= 0.05;
    return out;
  });
  for (const std::string& key : keys) {
    std::vector<char> hits;
    for (const auto& run : runs) hits.push_back(run.at(key));
    book.rate("calibrated majority labels are rejected at 5% by `" + key + "`", "N = 300, 4 votes, 30% ties",
              kLevel, hits);
  }
}

using PValues = std::map<std::string, std::vector<double>>;

PValues p_values(const Case& c, int sets, std::uint64_t seed, const std::vector<std::string>& keys) {
  const auto form = c.votes > 1 ? test::VoteForm::counts : test::VoteForm::labels;
  const auto runs = simulate_sets(sets, seed, [&](std::uint64_t own) {
    EvaluateOptions o;
    o.metrics = keys;
    o.bootstrap = 200;
    o.threads = 1;
    o.bins = 10;
    o.consensus = false;
    o.seed = own;
    o.null = c.null;
    const Result r = evaluate(test::to_items(simulate_case(c, own), form), o);
    std::map<std::string, double> out{{"omnibus", *r.verdict.p_value}};
    for (const auto& [key, m] : r.metrics) out[key] = *m.p_value;
    return out;
  });
  PValues out;
  for (const auto& run : runs)
    for (const auto& [key, p] : run) out[key].push_back(p);
  return out;
}

/// P-values of one test of sets that are over-confident, and of sets that are calibrated.
struct Tested {
  std::vector<double> off, calibrated;
};

/// How many sets are rejected by a test whose critical p-value rejects 5% of the calibrated ones; of the
/// p-values at `picked_off` and `picked`. At the critical value itself a share of the ties is rejected.
double adjusted_power(const Tested& t, const std::vector<int>& picked_off, const std::vector<int>& picked) {
  std::vector<double> null;
  for (const int i : picked) null.push_back(t.calibrated[i]);
  std::sort(null.begin(), null.end());
  const double sets = double(std::ssize(null)), critical = null[std::size_t(sets / 20)];
  const auto below = std::lower_bound(null.begin(), null.end(), critical) - null.begin();
  const auto up_to = std::upper_bound(null.begin(), null.end(), critical) - null.begin();
  const double share = (0.05 * sets - double(below)) / double(up_to - below);
  double rejected = 0;
  for (const int i : picked_off) rejected += t.off[i] < critical ? 1 : t.off[i] == critical ? share : 0;
  return rejected / double(std::ssize(picked_off));
}

/// The difference of two such powers on the same sets, and its standard error with that of the critical
/// values: by resampling the sets.
std::pair<double, double> power_gained(const Tested& by_model, const Tested& by_signs, std::uint64_t seed) {
  const int sets = int(std::ssize(by_model.off));
  std::vector<int> all(sets);
  std::iota(all.begin(), all.end(), 0);
  const auto gain = [&](const std::vector<int>& off, const std::vector<int>& null) {
    return adjusted_power(by_model, off, null) - adjusted_power(by_signs, off, null);
  };
  RandomStream rng(seed, Purpose::demo, 77);
  const auto picked = [&] {
    std::vector<int> out(sets);
    for (int& i : out) i = int(rng.uniform() * sets);
    return out;
  };
  double sum = 0, squares = 0;
  constexpr int kReplicates = 400;
  for (int r = 0; r < kReplicates; ++r) {
    const double g = gain(picked(), picked());
    sum += g;
    squares += g * g;
  }
  const double mean = sum / kReplicates;
  return {gain(all, all), std::sqrt(squares / kReplicates - mean * mean)};
}

/// Power at equal size of draws from a model and of random signs of units, which they replaced.
void against_signs(Book& book) {
  const std::vector<std::string> keys{"ece", "ece_mass", "mmce", "ks"};
  const auto tests = [&](Case c, int sets) {
    std::map<std::string, Tested> out;
    for (auto& [key, p] : p_values(c, sets, book.seed(), keys)) out[key].off = std::move(p);
    c.slope = 1;
    for (auto& [key, p] : p_values(c, sets, book.seed() + 1, keys)) out[key].calibrated = std::move(p);
    return out;
  };
  const auto row = [&](const std::string& setting, Case c) {
    const int sets = book.sets(300, 20);
    const auto by_model = tests(c, sets);
    c.null = NullKind::signs;
    const auto by_signs = tests(c, sets);
    for (const auto& [key, test] : by_model) {
      const auto [gained, error] = power_gained(test, by_signs.at(key), book.seed());
      book.estimate("power gained over random signs at equal size, `" + key + "`", setting, {0, INFINITY},
                    gained, error, sets);
    }
  };
  const double wide = 1.5 / 0.74;
  row("true slope 0.74, 5 votes, s = 4, N = 200",
      {.votes = 5, .slope = 0.74, .spread = wide, .concentration = 4});
  row("true slope 0.74, 40 groups of 5, copula 0.3",
      {.slope = 0.74, .spread = wide, .group_size = 5, .rho = 0.3});
  if (!book.whole()) return;
  row("true slope 0.74, K = 4, 5 votes, s = 4, N = 200",
      {.classes = 4, .votes = 5, .slope = 0.74, .concentration = 4});
  row("true slope 0.74, 20 groups of 20, copula 0.3",
      {.n = 400, .slope = 0.74, .spread = wide, .group_size = 20, .rho = 0.3});
  row("2% events, true slope 0.85, 5 votes, s = 4, N = 200",
      {.votes = 5, .slope = 0.85, .rare = true, .concentration = 4});
  row("2% events, true slope 0.85, 40 groups of 10, copula 0.3",
      {.n = 400, .slope = 0.85, .rare = true, .group_size = 10, .rho = 0.3});
}

const Topic kNulls{"nulls", [](Book& book) {
                     levels(book);
                     power(book);
                     signs(book);
                     consensus(book);
                   }};
const Topic kAgainstSigns{"power against random signs", against_signs};

}  // namespace
}  // namespace plumb::laws
