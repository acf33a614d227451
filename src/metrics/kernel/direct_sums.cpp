#include "metrics/kernel/direct_sums.hpp"

#include <algorithm>
#include <limits>

#include "plumb/numeric/elementary.hpp"

namespace plumb::detail {
namespace {

// A vote this far (in e-folds) below the top one no longer counts: 2^53 such votes would move
// the sum by 1e-16.
constexpr double kNegligibleTerm = 80.0;

struct DirectTarget {
  BetaPoint point;
  double log_low, log_high;  // n log p, n log(1 - p)
};

// log (m k(x; q)) up to a constant of x, good to some 1e-16 / h:
// enough to find the top and to pass over what is far below it.
struct DirectSource {
  double low, high, own;
};

DirectSource source_of(const BetaPoint& q, double n, double log_mass) {
  const double low = q.low > 0.0 ? q.low * q.log_low : 0.0;
  const double high = q.high > 0.0 ? q.high * q.log_high : 0.0;
  return {q.low, q.high, log_mass - q.rest - n * (low + high)};
}

double rough(const DirectSource& q, const DirectTarget& x) {
  return q.own + (q.low * x.log_low + q.high * x.log_high);
}

}  // namespace

std::vector<DirectSum> direct_sums(const ForecastPass& pass, std::span<const double> p, double bandwidth) {
  const double n = 1.0 / bandwidth;
  std::vector<DirectTarget> target;
  for (const double x : p) {
    EndDistance e = EndDistance::from(x);
    e.r = std::max(e.r, 0x1p-1022);
    const BetaPoint point = beta_point(e, n);
    target.push_back({point, n * point.log_low, n * point.log_high});
  }
  const auto each_source = [&](const ForecastsView& f, auto&& body) {
    for (std::size_t j = 0; j < f.size(); ++j) {
      const double w = f.weight_of(j);
      const double mass = w * f.trials_of(j);
      if (!(mass > 0.0)) continue;
      const BetaPoint q = beta_point(EndDistance::from(f.p[j]), n);
      const double log_mass = mass == 1.0 ? 0.0 : log_portable(mass);
      body(f.p[j], q, source_of(q, n, log_mass), log_mass, mass, w * f.hits[j]);
    }
  };

  const int workers = pass.workers;
  const std::vector<double> none(p.size(), -std::numeric_limits<double>::infinity());
  std::vector<std::vector<double>> top(workers, none);
  pass.run([&](int worker, const ForecastsView& f) {
    std::vector<double>& t = top[worker];
    each_source(f, [&](double at, const BetaPoint&, const DirectSource& q, double, double, double) {
      for (std::size_t i = 0; i < target.size(); ++i) {
        if (at != p[i]) t[i] = std::max(t[i], rough(q, target[i]));
      }
    });
  });
  for (int w = 1; w < workers; ++w) {
    for (std::size_t i = 0; i < p.size(); ++i) top[0][i] = std::max(top[0][i], top[w][i]);
  }

  // rough() and the accurate logarithm differ by a constant of x: k(x; x) and n p log p + n (1
  // - p) log(1 - p).
  std::vector<DirectSum> empty(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    const DirectTarget& x = target[i];
    const DirectSource own = source_of(x.point, n, 0.0);
    empty[i].p = p[i];
    empty[i].top = top[0][i] - rough(own, x);
  }
  std::vector<std::vector<DirectSum>> sum(workers, empty);
  pass.run([&](int worker, const ForecastsView& f) {
    std::vector<DirectSum>& s = sum[worker];
    each_source(f, [&](double at, const BetaPoint& q, const DirectSource& source, double log_mass,
                       double mass, double hits) {
      for (std::size_t i = 0; i < target.size(); ++i) {
        if (at == p[i]) {
          s[i].tie_w.add(mass);
          s[i].tie_wy.add(hits);
        } else if (rough(source, target[i]) > top[0][i] - kNegligibleTerm) {
          const double k = exp_portable(log_ratio(target[i].point, q, n) + log_mass - s[i].top);
          s[i].w.add(k);
          s[i].wy.add(k * (hits / mass));
        }
      }
    });
  });
  for (int w = 1; w < workers; ++w) {
    for (std::size_t i = 0; i < p.size(); ++i) {
      sum[0][i].w.merge(sum[w][i].w);
      sum[0][i].wy.merge(sum[w][i].wy);
      sum[0][i].tie_w.merge(sum[w][i].tie_w);
      sum[0][i].tie_wy.merge(sum[w][i].tie_wy);
    }
  }
  return std::move(sum[0]);
}

}  // namespace plumb::detail
