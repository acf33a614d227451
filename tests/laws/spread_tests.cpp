// p-values of the calibration errors of a regression.
#include <cmath>

#include "laws/laws.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/regression/evaluate.hpp"

namespace plumb::laws {
namespace {

RegressionItems gaussian_errors(int n, double factor, std::uint64_t seed) {
  RandomStream rng(seed, Purpose::demo, 10);
  std::vector<double> error, variance;
  for (int i = 0; i < n; ++i) {
    variance.push_back(std::exp(0.7 * rng.normal()));
    error.push_back(factor * std::sqrt(variance.back()) * rng.normal());
  }
  RegressionItems out;
  out.errors = Rows(array_of(error, {n}, "e.npy"));
  out.total = Rows(array_of(variance, {n}, "v.npy"));
  return out;
}

void spread_tests(Book& book) {
  const std::vector<std::string> keys{"uce", "ence", "pit_ks", "miscalibration_area"};
  for (const auto& [n, factor] : {std::pair{60, 1.0}, {500, 1.0}, {500, 1.3}}) {
    const auto sets = simulate_sets(book.sets(1000, 60), book.seed(), [&](std::uint64_t seed) {
      return evaluate_regression(gaussian_errors(n, factor, seed),
                                 {.metrics = keys, .bootstrap = 199, .seed = seed, .threads = 1});
    });
    for (const std::string& key : keys) {
      std::vector<char> rejected;
      for (const Result& r : sets) rejected.push_back(*r[key].p_value <= 0.05);
      if (factor == 1)
        book.rate("a calibrated model is rejected (" + key + ")", "N = " + std::to_string(n), {0.035, 0.065},
                  rejected);
      else
        book.rate("a model whose errors are 1.3 times too large is rejected (" + key + ")",
                  "N = " + std::to_string(n), {0.8, 1}, rejected);
    }
  }
}

const Topic kSpreadTests{"spread tests", spread_tests};

}  // namespace
}  // namespace plumb::laws
