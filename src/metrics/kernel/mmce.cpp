#include "plumb/metrics/kernel/mmce.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"

namespace plumb {
namespace {

// The distinct p with the votes at each, rounded once from order-free sums.
struct DistinctConfidences {
  std::vector<double> p, mass, hits;
  double total_mass = 0, total_hits = 0;
};

DistinctConfidences distinct_confidences(const ForecastsView& ascending) {
  DistinctConfidences out;
  ExactSum total_mass, total_hits;
  for (std::size_t i = 0; i < ascending.size();) {
    const double p = ascending.p[i];
    ExactSum mass, hits;
    for (; i < ascending.size() && ascending.p[i] == p; ++i) {
      const double w = ascending.weight_of(i);
      mass.add(w * ascending.trials_of(i));
      hits.add(w * ascending.hits[i]);
    }
    if (mass.is_zero()) continue;
    out.p.push_back(p);
    out.mass.push_back(mass.value());
    out.hits.push_back(hits.value());
    total_mass.merge(mass);
    total_hits.merge(hits);
  }
  out.total_mass = total_mass.value();
  out.total_hits = total_hits.value();
  return out;
}

// sum_ij a_i a_j exp(-|p_i - p_j| / width): the sum over j < i carries over from one p to the next with a
// decaying factor.
double quadratic_form(const std::vector<double>& p, const std::vector<double>& a, double width) {
  std::vector<double> decay(p.size());
  for (std::size_t i = 1; i < p.size(); ++i) decay[i] = -(p[i] - p[i - 1]) / width;
  exp_block(decay, decay);
  ExactSum sum;
  double before = 0;  // sum_{j < i} a_j exp(-(p_i - p_j) / width)
  for (std::size_t i = 0; i < p.size(); ++i) {
    before *= decay[i];
    sum.add(a[i] * (2.0 * before + a[i]));
    before += a[i];
  }
  return std::max(0.0, sum.value());  // the kernel is positive definite
}

}  // namespace

Estimate mmce(const ForecastsView& ascending, double width) {
  const DistinctConfidences d = distinct_confidences(ascending);
  if (d.p.empty()) return Estimate::undefined(kNoVotes);
  std::vector<double> residual(d.p.size());
  for (std::size_t i = 0; i < d.p.size(); ++i) residual[i] = d.hits[i] - d.mass[i] * d.p[i];
  return std::sqrt(quadratic_form(d.p, residual, width)) / d.total_mass;
}

Estimate mmce_weighted(const ForecastsView& ascending, double width) {
  const DistinctConfidences d = distinct_confidences(ascending);
  if (d.p.empty()) return Estimate::undefined(kNoVotes);
  const double total_misses = d.total_mass - d.total_hits;
  const double per_hit = d.total_hits > 0.0 ? 1.0 / d.total_hits : 0.0;
  const double per_miss = total_misses > 0.0 ? 1.0 / total_misses : 0.0;
  std::vector<double> residual(d.p.size());
  for (std::size_t i = 0; i < d.p.size(); ++i)
    residual[i] = d.hits[i] * (1.0 - d.p[i]) * per_hit - (d.mass[i] - d.hits[i]) * d.p[i] * per_miss;
  return std::sqrt(quadratic_form(d.p, residual, width));
}

}  // namespace plumb
