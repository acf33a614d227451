// Small simulated data sets for tests: a model, raters who disagree, weights and groups, all from one seed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb::test {

enum class VoteForm { labels, counts, ratings };

struct Simulated {
  int classes = 2;
  std::vector<double> z;                ///< n x width (binary: n)
  std::vector<std::vector<int>> votes;  ///< classes voted, by item
  std::vector<double> weight;           ///< empty: one each
  std::vector<std::int64_t> group;      ///< empty: none
  std::vector<double> truth;            ///< empty, or the true probability of class 1
  std::vector<double> concentration;    ///< empty, or Dirichlet alpha_0 by item
  [[nodiscard]] std::size_t size() const { return votes.size(); }
};

struct SimulateOptions {
  std::int64_t n = 500;
  int classes = 2;
  int raters = 1;  ///< with `vary`, 1 to raters votes per item
  bool vary = false;
  double sharpen = 1;  ///< > 1: the model is over-confident; 1: calibrated
  int rounding = 0;    ///< > 0: p rounded to multiples of 1 / rounding, for ties
  double heterogeneity =
      0;               ///< > 0: votes of an item are dependent given z (Dirichlet with this concentration)
  int groups = 0;      ///< > 0: group number i mod groups
  bool truth = false;  ///< binary: keep the probabilities that the votes were drawn from
  std::uint64_t seed = 1;
};

inline Simulated simulate(const SimulateOptions& o) {
  RandomStream rng(o.seed, Purpose::demo, 77);
  Simulated s;
  s.classes = o.classes;
  const auto k = static_cast<std::size_t>(o.classes);
  for (std::int64_t i = 0; i < o.n; ++i) {
    std::vector<double> q(k), z(k);
    double sum = 0;
    for (double& x : q) sum += x = rng.gamma(0.7) + 1e-6;
    for (double& x : q) x /= sum;
    double zsum = 0;
    for (std::size_t c = 0; c < k; ++c) zsum += z[c] = std::pow(q[c], o.sharpen);
    for (double& x : z) x /= zsum;
    if (o.rounding > 0 && o.classes == 2) {
      z[1] = std::round(z[1] * o.rounding) / o.rounding;
      z[0] = 1 - z[1];
      if (o.sharpen == 1) q = z;
    }
    std::vector<double> own = q;
    if (o.heterogeneity > 0) {
      double total = 0;
      for (std::size_t c = 0; c < k; ++c) total += own[c] = rng.gamma(q[c] * o.heterogeneity + 1e-9);
      for (double& x : own) x /= total;
    }
    const int n = o.vary ? 1 + static_cast<int>(rng.below(static_cast<std::uint64_t>(o.raters))) : o.raters;
    std::vector<int> votes;
    for (int r = 0; r < n; ++r) {
      double u = rng.uniform();
      std::size_t c = 0;
      while (c + 1 < k && u >= own[c]) u -= own[c++];
      votes.push_back(static_cast<int>(c));
    }
    s.votes.push_back(votes);
    if (o.classes == 2) {
      s.z.push_back(z[1]);
    } else {
      s.z.insert(s.z.end(), z.begin(), z.end());
    }
    if (o.groups > 0) s.group.push_back(i % o.groups);
    if (o.truth && o.classes == 2) s.truth.push_back(q[1]);
  }
  return s;
}

/// The same items in another order or a part of them.
inline Simulated take(const Simulated& s, const std::vector<std::size_t>& rows) {
  Simulated out;
  out.classes = s.classes;
  const std::size_t width = s.classes == 2 ? 1 : static_cast<std::size_t>(s.classes);
  for (const std::size_t i : rows) {
    out.z.insert(out.z.end(), s.z.begin() + static_cast<std::ptrdiff_t>(i * width),
                 s.z.begin() + static_cast<std::ptrdiff_t>((i + 1) * width));
    out.votes.push_back(s.votes[i]);
    if (!s.weight.empty()) out.weight.push_back(s.weight[i]);
    if (!s.group.empty()) out.group.push_back(s.group[i]);
    if (!s.truth.empty()) out.truth.push_back(s.truth[i]);
    if (!s.concentration.empty()) out.concentration.push_back(s.concentration[i]);
  }
  return out;
}

/// One row per vote, the item as its group.
inline Simulated expand(const Simulated& s) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < s.size(); ++i) rows.insert(rows.end(), s.votes[i].size(), i);
  Simulated out = take(s, rows);
  out.group.clear();
  std::size_t at = 0;
  for (std::size_t i = 0; i < s.size(); ++i)
    for (const int v : s.votes[i]) {
      out.votes[at++] = {v};
      out.group.push_back(static_cast<std::int64_t>(i));
    }
  return out;
}

inline std::vector<std::size_t> shuffled(std::size_t n, std::uint64_t seed) {
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  RandomStream rng(seed, Purpose::demo, 78);
  for (std::size_t i = n; i > 1; --i) std::swap(rows[i - 1], rows[rng.below(i)]);
  return rows;
}

inline Items to_items(const Simulated& s, VoteForm form) {
  const auto n = static_cast<std::int64_t>(s.size());
  const std::int64_t k = s.classes;
  Items items;
  const std::vector<std::int64_t> zshape =
      k == 2 ? std::vector<std::int64_t>{n} : std::vector<std::int64_t>{n, k};
  items.predictions = Predictions({Rows(array_of(s.z, zshape, "probs.npy"))}, Scale::probability);
  if (form == VoteForm::labels) {
    std::vector<std::int64_t> y;
    for (const auto& v : s.votes) y.push_back(v.at(0));
    items.votes = Votes::from_labels(Rows(array_of(y, {n}, "labels.npy")), s.classes);
  } else if (form == VoteForm::counts) {
    std::vector<std::int64_t> c(static_cast<std::size_t>(n * k));
    for (std::size_t i = 0; i < s.size(); ++i)
      for (const int v : s.votes[i]) ++c[i * static_cast<std::size_t>(k) + static_cast<std::size_t>(v)];
    items.votes = Votes::from_counts(Rows(array_of(c, {n, k}, "counts.npy")), s.classes);
  } else {
    std::size_t raters = 1;
    for (const auto& v : s.votes) raters = std::max(raters, v.size());
    std::vector<std::int64_t> r(s.size() * raters, -1);
    for (std::size_t i = 0; i < s.size(); ++i)
      for (std::size_t j = 0; j < s.votes[i].size(); ++j) r[i * raters + j] = s.votes[i][j];
    items.votes = Votes::from_ratings(
        Rows(array_of(r, {n, static_cast<std::int64_t>(raters)}, "ratings.npy")), s.classes);
  }
  if (!s.weight.empty()) items.weights = Rows(array_of(s.weight, {n}, "weights.npy"));
  if (!s.group.empty()) items.groups = Names(Rows(array_of(s.group, {n}, "groups.npy")));
  if (!s.truth.empty()) items.truth = Rows(array_of(s.truth, {n}, "truth.npy"));
  if (!s.concentration.empty()) items.concentration = {Rows(array_of(s.concentration, {n}, "alpha.npy"))};
  return items;
}

}  // namespace plumb::test
