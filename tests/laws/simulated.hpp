// Data of known truth for the laws of intervals and verdicts: forecasts, and votes whose chances are a
// function of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plumb/numeric/special.hpp"
#include "support/make_items.hpp"

namespace plumb::laws {

struct Setting {
  std::string name;
  int n = 400;
  int classes = 2;
  int votes = 1;     ///< of each item; above 1 they share a Beta or Dirichlet draw of concentration 4
  int groups = 0;    ///< above 0: so many groups, outcomes correlated by a Gaussian copula of 0.3
  double slope = 1;  ///< true log-odds = slope * forecast log-odds + shift
  double shift = 0;
  double mean = 0;      ///< of the forecast log-odds
  double wave = 0;      ///< amplitude of a true error that changes sign from cell to cell
  double spread = 1.5;  ///< standard deviation of the forecast log-odds
};

struct Drawn {
  test::Simulated votes;
  std::vector<double> chance;  ///< of each class (binary: of class 1), by item
};

inline double sigmoid(double u) { return 1 / (1 + std::exp(-u)); }

inline double true_chance(const Setting& s, double u) {
  const double p = sigmoid(u);
  const double q = sigmoid(s.slope * u + s.shift);
  return s.wave == 0 ? q : std::clamp(q + (static_cast<int>(p * 15) % 2 == 0 ? s.wave : -s.wave), 0.0, 1.0);
}

inline Drawn draw(const Setting& s, std::uint64_t seed) {
  RandomStream rng(seed, Purpose::demo, 5);
  Drawn out;
  out.votes.classes = s.classes;
  std::vector<double> shared(s.groups);
  for (double& x : shared) x = rng.normal();
  for (int i = 0; i < s.n; ++i) {
    std::vector<double> q;
    if (s.classes == 2) {
      const double u = s.mean + s.spread * rng.normal();
      out.votes.z.push_back(sigmoid(u));
      const double one = true_chance(s, u);
      q = {1 - one, one};
      out.chance.push_back(one);
    } else {
      std::vector<double> z(s.classes);
      double sum = 0, total = 0;
      for (double& x : z) sum += x = std::exp(s.spread * rng.normal());
      for (const double x : z) {
        out.votes.z.push_back(x / sum);
        q.push_back(std::pow(x / sum, s.slope));
        total += q.back();
      }
      for (double& x : q) out.chance.push_back(x /= total);
    }
    if (s.votes > 1) {
      double total = 0;
      for (double& x : q) total += x = rng.gamma(4 * x + 1e-9);
      for (double& x : q) x /= total;
    }
    std::vector<int> votes;
    for (int v = 0; v < s.votes; ++v) {
      double u = rng.uniform();
      if (s.groups > 0) u = normal_cdf(std::sqrt(0.3) * shared[i % s.groups] + std::sqrt(0.7) * rng.normal());
      int c = 0;
      while (c + 1 < s.classes && u >= q[c]) u -= q[c++];
      votes.push_back(c);
    }
    out.votes.votes.push_back(votes);
    if (s.groups > 0) out.votes.group.push_back(i % s.groups);
  }
  return out;
}

inline Items items_of(const Drawn& d) {
  return test::to_items(d.votes,
                        d.votes.votes.front().size() > 1 ? test::VoteForm::counts : test::VoteForm::labels);
}

/// The same forecasts with a million votes each in the proportions of the truth: a plug-in of these is the
/// same functional of the true chances, on the same forecasts and cells.
inline Items truth_of(const Drawn& d) {
  Items out = items_of(d);
  const auto n = static_cast<std::int64_t>(d.votes.size()), k = std::int64_t{d.votes.classes};
  std::vector<std::int64_t> counts;
  for (const double q : d.chance) {
    const auto hits = static_cast<std::int64_t>(std::llround(1e6 * q));
    if (k == 2) counts.push_back(1'000'000 - hits);
    counts.push_back(hits);
  }
  out.votes = Votes::from_counts(Rows(array_of(counts, {n, k}, "truth.npy")), d.votes.classes);
  out.groups = {};
  return out;
}

}  // namespace plumb::laws
