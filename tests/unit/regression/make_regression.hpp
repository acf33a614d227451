// Simulated regressions of known truth.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "plumb/numeric/random.hpp"
#include "plumb/regression/column.hpp"

namespace plumb::test {

struct RegressionSpec {
  std::int64_t n = 500;
  int outputs = 1;
  double factor = 1;  ///< true over predicted standard deviation
  double bias = 0;    ///< in true standard deviations
  bool laplace = false;
  bool parts = false;
  bool weights = false;
  std::uint64_t seed = 1;
};

struct SimulatedRegression {
  std::int64_t n = 0;
  int outputs = 1;
  std::vector<double> mean, target, variance, aleatoric, epistemic, weight;  ///< row-major

  [[nodiscard]] RegressionItems items() const {
    RegressionItems out;
    const std::vector<std::int64_t> shape =
        outputs == 1 ? std::vector<std::int64_t>{n} : std::vector<std::int64_t>{n, outputs};
    out.mean.emplace_back(array_of(mean, shape, "mean.npy"));
    out.targets = Rows(array_of(target, shape, "y.npy"));
    if (aleatoric.empty()) {
      out.total = Rows(array_of(variance, shape, "v.npy"));
    } else {
      out.aleatoric.emplace_back(array_of(aleatoric, shape, "a.npy"));
      out.epistemic = Rows(array_of(epistemic, shape, "e.npy"));
    }
    if (!weight.empty()) out.weights = Rows(array_of(weight, {n}, "w.npy"));
    return out;
  }

  /// Rows in another order, or some of them several times.
  [[nodiscard]] SimulatedRegression take(const std::vector<std::size_t>& rows) const {
    SimulatedRegression out;
    out.n = static_cast<std::int64_t>(rows.size());
    out.outputs = outputs;
    const auto d = static_cast<std::size_t>(outputs);
    for (const std::size_t i : rows) {
      for (std::size_t j = 0; j < d; ++j) {
        for (const auto m :
             {&SimulatedRegression::mean, &SimulatedRegression::target, &SimulatedRegression::variance,
              &SimulatedRegression::aleatoric, &SimulatedRegression::epistemic})
          if (!(this->*m).empty()) (out.*m).push_back((this->*m)[i * d + j]);
      }
      if (!weight.empty()) out.weight.push_back(weight[i]);
    }
    return out;
  }
};

inline SimulatedRegression simulate(const RegressionSpec& s) {
  SimulatedRegression out;
  out.n = s.n;
  out.outputs = s.outputs;
  RandomStream rng(s.seed, Purpose::demo, 77);
  for (std::int64_t i = 0; i < s.n; ++i) {
    for (int j = 0; j < s.outputs; ++j) {
      const double told = std::exp(0.6 * rng.normal() - 1.0);  // predicted standard deviation
      const double sd = s.factor * told;
      double noise = rng.normal();
      if (s.laplace) {  // variance 1: scale 1 / sqrt(2)
        const double u = rng.uniform() - 0.5;
        noise = (u < 0 ? 1 : -1) * std::sqrt(0.5) * std::log(std::max(1e-300, 1 - 2 * std::abs(u)));
      }
      const double mean = 3 * rng.normal();
      out.mean.push_back(mean);
      out.target.push_back(mean + sd * (noise + s.bias));
      const double share = 0.2 + 0.6 * rng.uniform();
      if (s.parts) {
        out.aleatoric.push_back(share * told * told);
        out.epistemic.push_back((1 - share) * told * told);
        out.variance.push_back(out.aleatoric.back() + out.epistemic.back());
      } else {
        out.variance.push_back(told * told);
      }
    }
    if (s.weights) out.weight.push_back(i % 11 == 0 ? 0.0 : 0.1 + rng.uniform());
  }
  return out;
}

inline std::vector<std::size_t> shuffled(std::size_t n, std::uint64_t seed) {
  std::vector<std::size_t> rows(n);
  for (std::size_t i = 0; i < n; ++i) rows[i] = i;
  RandomStream rng(seed, Purpose::demo, 78);
  for (std::size_t i = n; i > 1; --i) std::swap(rows[i - 1], rows[rng.below(i)]);
  return rows;
}

}  // namespace plumb::test
