// The bandwidth of the kernel error: how far `ece_kde` is from the truth.
#include <cmath>
#include <numeric>

#include "laws/laws.hpp"
#include "plumb/metrics/kernel/ece_kde.hpp"
#include "plumb/metrics/kernel/vote_bandwidth.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb::laws {
namespace {

/// Log-odds x = mean + spread * normal are forecast; the truth has slope * x + shift, and a wave on top.
struct Model {
  const char* name;
  double mean, spread, slope, shift, wave;
};
constexpr Model kModels[] = {{"calibrated", 0, 1.5, 1, 0, 0},
                             {"over-confident", 0, 1.5, 0.5, 0, 0},
                             {"very over-confident", 3, 4, 0.35, 0, 0},
                             {"under-confident", 0, 1.5, 1.4, 0, 0},
                             {"too low", 0, 1.5, 1, 0.5, 0},
                             {"rare events, too low", -4, 1, 1, 0.7, 0},
                             {"wave around the diagonal", 0, 1.5, 1, 0, 0.1}};

double chance(const Model& m, double x) {
  const double p = logistic(m.slope * x + m.shift);
  return p + m.wave * std::sin(4 * 3.14159265358979 * p) * 4 * p * (1 - p);
}

double true_error(const Model& m) {
  double sum = 0, weight = 0;
  for (int i = -800; i <= 800; ++i) {
    const double u = i / 100.0, x = m.mean + m.spread * u, w = std::exp(-u * u / 2);
    sum += w * std::abs(chance(m, x) - logistic(x));
    weight += w;
  }
  return sum / weight;
}

struct Misses {
  double votes, likelihood;  // squared distances from the true error
};

void bandwidth(Book& book) {
  std::vector<double> ratios;
  for (const Model& m : kModels) {
    for (const int n : {200, 1000, 4000}) {
      if (n == 4000 && !book.whole()) continue;
      const double truth = true_error(m);
      const auto sets = simulate_sets(book.sets(60, 10), book.seed(), [&](std::uint64_t seed) {
        RandomStream rng(seed, Purpose::demo);
        std::vector<double> p(n), y(n);
        for (int i = 0; i < n; ++i) {
          const double x = m.mean + m.spread * rng.normal();
          p[i] = logistic(x);
          y[i] = rng.uniform() < chance(m, x);
        }
        const ForecastsView f{p, y, {}, {}, {}, true};
        const auto miss = [&](double h) {
          return std::pow(*ece_kde(f, h, LeaveOut::vote, 1).ece_kde.value - truth, 2);
        };
        return Misses{miss(vote_bandwidths(f, 1).error.value), miss(kde_bandwidth(f, 1).value)};
      });
      double votes = 0, likelihood = 0;
      for (const Misses& s : sets) votes += s.votes, likelihood += s.likelihood;
      ratios.push_back(std::sqrt(votes / likelihood));
    }
  }
  book.mean("root mean square error of `ece_kde` under `auto`, as a share of that under `likelihood`",
            "7 models, N = 200 to 4,000; mean over these", {0, 1}, ratios);
}
const Topic kBandwidth{"bandwidth", bandwidth};

}  // namespace
}  // namespace plumb::laws
