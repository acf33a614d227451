// Independent reference implementations for the rater tests: the papers' sums as printed, in long double,
// with the squared mean of a bin debiased by a double loop over distinct items.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "plumb/metrics/streaming/reliability_table.hpp"
#include "support/make_items.hpp"

namespace plumb::test {

/// Sums of a few thousand terms of size 1 in double and in units of 2^-50: errors stay below 1e-13.
inline constexpr double kSums = 1e-12;

using Real = long double;

/// One event of one item: forecast p, observed share mu out of n votes, weight w.
struct Observed {
  Real p, mu, n, w;
};

inline Real probability(const Simulated& s, std::size_t i, int k) {
  if (s.classes == 2) return k == 1 ? Real(s.z[i]) : Real(1 - s.z[i]);
  return s.z[i * static_cast<std::size_t>(s.classes) + static_cast<std::size_t>(k)];
}

inline int votes_for_class(const Simulated& s, std::size_t i, int k) {
  return static_cast<int>(std::count(s.votes[i].begin(), s.votes[i].end(), k));
}

inline std::vector<Observed> observed_class(const Simulated& s, int k, std::size_t least_votes) {
  std::vector<Observed> out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const auto n = static_cast<Real>(s.votes[i].size());
    const Real w = s.weight.empty() ? 1 : Real(s.weight[i]);
    if (s.votes[i].size() < std::max<std::size_t>(least_votes, 1) || !(w > 0)) continue;
    out.push_back({probability(s, i, k), votes_for_class(s, i, k) / n, n, w});
  }
  return out;
}

/// Observed shares of one bin of 15 (or another number of) bins of equal width.
inline std::vector<std::vector<Observed>> by_bin(const std::vector<Observed>& all, int bins) {
  std::vector<std::vector<Observed>> out(static_cast<std::size_t>(bins));
  for (const Observed& o : all)
    out[static_cast<std::size_t>(std::min(static_cast<int>(static_cast<double>(o.p) * bins), bins - 1))]
        .push_back(o);
  return out;
}

inline Real total_weight(const std::vector<Observed>& all) {
  Real w = 0;
  for (const Observed& o : all) w += o.w;
  return w;
}

/// Mimori 2021, eq. 12 and 13 (42 and 43) with weights.
struct NaiveCalibration {
  Real plugin = 0, debiased = 0;
};
inline NaiveCalibration naive_cl(const std::vector<Observed>& all, int bins) {
  NaiveCalibration out;
  const Real total = total_weight(all);
  for (const auto& bin : by_bin(all, bins)) {
    if (bin.empty()) continue;
    const Real w = total_weight(bin);
    Real c = 0, p = 0, cross = 0, weights = 0;
    for (const Observed& o : bin) {
      c += o.w * o.mu / w;
      p += o.w * o.p / w;
    }
    for (std::size_t i = 0; i < bin.size(); ++i)
      for (std::size_t j = 0; j < bin.size(); ++j)
        if (i != j) {
          cross += bin[i].w * bin[j].w * bin[i].mu * bin[j].mu;
          weights += bin[i].w * bin[j].w;
        }
    out.plugin += w / total * (c - p) * (c - p);
    if (bin.size() > 1) out.debiased += w / total * (cross / weights - 2 * c * p + p * p);
  }
  return out;
}

inline Real naive_mean(const std::vector<Observed>& all, Real (*value_of)(const Observed&)) {
  Real sum = 0;
  for (const Observed& o : all) sum += o.w * value_of(o);
  return sum / total_weight(all);
}

inline Real signed_sqrt(Real x) { return x < 0 ? -std::sqrt(-x) : std::sqrt(x); }

/// The label-histogram losses of one class by key. Keys that need two votes are absent when no item has them.
inline std::map<std::string, Real> naive_histogram_class(const Simulated& s, int k, int bins) {
  std::map<std::string, Real> out;
  const auto all = observed_class(s, k, 1);
  if (all.empty()) return out;
  const NaiveCalibration cl = naive_cl(all, bins);
  out["lsq"] =
      naive_mean(all, [](const Observed& o) { return (o.mu - o.p) * (o.mu - o.p) + o.mu * (1 - o.mu); });
  out["cl_plugin"] = cl.plugin;
  out["cl"] = cl.debiased;
  const auto several = observed_class(s, k, 2);
  if (several.empty()) return out;
  const NaiveCalibration cl2 = naive_cl(several, bins);
  out["el_plugin"] = naive_mean(several, [](const Observed& o) { return (o.mu - o.p) * (o.mu - o.p); });
  out["el"] =
      out["el_plugin"] - naive_mean(several, [](const Observed& o) { return o.mu * (1 - o.mu) / (o.n - 1); });
  out["il"] = naive_mean(several, [](const Observed& o) { return o.mu * (1 - o.mu) * o.n / (o.n - 1); });
  out["dl"] = out["el"] - cl2.debiased;
  // Eq. 34, as printed.
  Real spread = 0;
  for (const auto& bin : by_bin(several, bins)) {
    if (bin.empty()) continue;
    const Real c = naive_mean(bin, [](const Observed& o) { return o.mu; });
    const Real p = naive_mean(bin, [](const Observed& o) { return o.p; });
    for (const Observed& o : bin) spread += o.w * ((o.mu - c) - (o.p - p)) * ((o.mu - c) - (o.p - p));
  }
  out["dl_plugin"] = spread / total_weight(several);
  return out;
}

/// Sums over classes, and the keys made of sums.
inline std::map<std::string, Real> naive_histogram(const Simulated& s, int bins) {
  std::map<std::string, Real> out;
  for (int k = 0; k < s.classes; ++k)
    for (const auto& [key, value] : naive_histogram_class(s, k, bins)) out[key] += value;
  if (out.count("cl") > 0) {
    out["ce"] = signed_sqrt(out["cl"]);
    out["rl"] = out["lsq"] - out["cl"];
  }
  if (out.count("dl") > 0) out["de"] = signed_sqrt(out["dl"]);
  return out;
}

/// Weights of all sizes, a tenth of them 0.
inline void add_weights(Simulated& s, std::uint64_t seed) {
  RandomStream rng(seed, Purpose::demo, 90);
  s.weight.clear();
  for (std::size_t i = 0; i < s.size(); ++i)
    s.weight.push_back(rng.uniform() < 0.1 ? 0.0 : 3 * rng.uniform());
}

inline BinEdges equal_width(int bins) { return {bins, true, {}}; }

}  // namespace plumb::test
