// Empirical probabilities of CaPE (Liu 2022, Algorithm 1): for each forecast, how often the outcome happened
// among forecasts like it. Training pulls the model's outputs towards them.
#pragma once

#include <span>
#include <vector>

namespace plumb {

/// As in the experiments of the paper.
struct EmpiricalOptions {
  int bins = 5;
  int neighbours = 200;
  double sigma = 0.0707;
};

/// BIN: forecasts in ascending order (equal ones as they come) are cut into `bins` runs of equal count, as
/// nearly as they can be; each forecast gets the mean outcome of its run. More bins than forecasts: one each.
[[nodiscard]] std::vector<double> empirical_by_bins(std::span<const double> p, std::span<const double> y,
                                                    int bins, int threads = 0);

/// KERNEL: the mean outcome of the `neighbours` nearest forecasts, itself counted (at equal distance those
/// of lower rank, so that equal forecasts get equal values), weighted by exp(-(p_i - p_j)^2 / sigma^2). A
/// sort and N x neighbours.
[[nodiscard]] std::vector<double> empirical_by_kernel(std::span<const double> p, std::span<const double> y,
                                                      int neighbours, double sigma, int threads = 0);

}  // namespace plumb
