// Verdicts and intervals of regressions: errors of known spread against predicted variances.
#include <cmath>
#include <map>

#include "laws/laws.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/regression/evaluate.hpp"
#include "unit/regression/make_regression.hpp"

namespace plumb::laws {
namespace {

/// Errors of mean square 1.
double gaussian(RandomStream& rng) { return rng.normal(); }
double laplace(RandomStream& rng) {
  const double u = rng.uniform();
  return (rng.uniform() < 0.5 ? -1 : 1) * std::log(1 - u) / std::sqrt(2.0);
}
double uniform(RandomStream& rng) { return std::sqrt(12.0) * (rng.uniform() - 0.5); }

struct Case {
  std::string name;
  int n;
  double factor = 1;  // of the errors' standard deviation
  int groups = 0;     // above 0: errors of a group share a scale and, in part, their value
  double (*draw)(RandomStream&) = gaussian;
  bool weighted = false;
};

RegressionItems items_of(const Case& c, std::uint64_t seed) {
  RandomStream rng(seed, Purpose::demo, 7);
  test::SimulatedRegression data;
  data.n = c.n;
  std::vector<double> shared(std::max(1, c.groups)), groups;
  for (double& x : shared) x = rng.normal();
  for (int i = 0; i < c.n; ++i) {
    const double v = std::exp(0.7 * rng.normal());
    double e = c.draw(rng);
    if (c.groups > 0) e = std::sqrt(0.5) * e + std::sqrt(0.5) * shared[i % c.groups];
    data.mean.push_back(0);
    data.variance.push_back(v);
    data.target.push_back(c.factor * e * std::sqrt(v));
    if (c.weighted) data.weight.push_back(0.2 + 2 * rng.uniform());
    groups.push_back(i % std::max(1, c.groups));
  }
  RegressionItems out = data.items();
  if (c.groups > 0) out.groups = Names(Rows(array_of(groups, {c.n}, "g.npy")));
  return out;
}

RegressionOptions asked(std::vector<std::string> keys, int bootstrap = 200) {
  RegressionOptions o;
  o.metrics = std::move(keys);
  o.bootstrap = bootstrap;
  o.range = RegressionRange{0, 12};
  o.threads = 1;
  return o;
}

Result judged(const Case& c, std::uint64_t seed) {
  return evaluate_regression(items_of(c, seed), asked({"zms"}));
}

void verdicts(Book& book) {
  const int sets = book.sets(500, 100);
  const auto rate = [&](const char* claim, const Case& c, Wanted wanted, const std::string& verdict) {
    book.rate(claim, c.name, wanted, simulate_sets(sets, book.seed(), [&](std::uint64_t seed) {
                return judged(c, seed).verdict.verdict == verdict;
              }));
  };
  for (const Case& c :
       {Case{"Gaussian errors, n = 5", 5}, Case{"Gaussian errors, n = 50", 50},
        Case{"Gaussian errors, n = 200", 200}, Case{"Gaussian errors, 10 groups of 20", 200, 1, 10},
        Case{"Laplace errors, n = 200", 200, 1, 0, laplace}})
    rate("right standard deviations are called off", c, {0, 0.05}, "off");
  rate("standard deviations off by 1.12 are called trustworthy", {"n = 400", 400, 1.12}, {0, 0.05},
       "trustworthy");
  rate("right standard deviations are called trustworthy", {"n = 1,000", 1000}, {0.9, 1}, "trustworthy");
  rate("standard deviations off by 1.4 are called off", {"n = 200", 200, 1.4}, {0.9, 1}, "off");
}
const Topic kVerdicts{"regression verdicts", verdicts};

void coverage(Book& book) {
  const int sets = book.sets(500, 100);
  for (const Case& c :
       {Case{"Gaussian errors, n = 5", 5, 1.3}, Case{"Gaussian errors, n = 50", 50, 1.3},
        Case{"Gaussian errors, n = 200", 200, 1.3}, Case{"uniform errors, n = 200", 200, 1, 0, uniform},
        Case{"Laplace errors, n = 200", 200, 1, 0, laplace}, Case{"10 groups of 20", 200, 1, 10},
        Case{"weights, n = 200", 200, 1, 0, gaussian, true}}) {
    const double truth = c.factor * c.factor;
    book.rate("the 95% interval of `zms` covers", c.name, {0.93, 0.99},
              simulate_sets(sets, book.seed(), [&](std::uint64_t seed) {
                const MetricResult m = judged(c, seed)["zms"];
                return *m.low <= truth && truth <= *m.high;
              }));
  }
}
const Topic kCoverage{"regression zms", coverage};

/// The keys that have an interval, at a factor of 1 and of 1.3.
void intervals(Book& book) {
  const std::vector<std::string> keys{"mse",
                                      "mae",
                                      "nll",
                                      "crps",
                                      "uce",
                                      "ence",
                                      "coverage_50",
                                      "coverage_90",
                                      "coverage_95",
                                      "coverage_99",
                                      "sharpness",
                                      "pit_ks",
                                      "miscalibration_area"};
  for (const Case& c : {Case{"right, n = 200", 200}, Case{"errors 1.3 times as large, n = 200", 200, 1.3},
                        Case{"right, 40 groups of 5", 200, 1, 40}}) {
    Case large = c;
    large.n = book.whole() ? 400'000 : 100'000;
    large.groups = c.groups * large.n / c.n;
    const Result truth = evaluate_regression(items_of(large, 99), asked(keys, 0));
    const auto results = simulate_sets(book.sets(300, 40), book.seed(), [&](std::uint64_t seed) {
      std::map<std::string, int> covered;
      const Result r = evaluate_regression(items_of(c, seed), asked(keys));
      for (const std::string& key : keys)
        if (const MetricResult& m = r[key]; m.low)
          covered[key] = *m.low <= *truth[key].value && *truth[key].value <= *m.high;
      return covered;
    });
    for (const std::string& key : keys) {
      if (!results.front().contains(key)) continue;
      std::vector<char> hits;
      for (const auto& one : results) hits.push_back(one.at(key));
      book.rate("the 95% interval of `" + key + "` covers", c.name, {0.93, 0.99}, hits);
    }
  }
}
const Topic kIntervals{"regression intervals", intervals};

}  // namespace
}  // namespace plumb::laws
