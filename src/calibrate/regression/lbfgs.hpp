// Minimisation of a smooth function by L-BFGS (Nocedal 1980), with a stop that the caller decides.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace plumb::detail {

struct LbfgsResult {
  double value = 0, gradient_norm = 0;  ///< infinity norm
  std::int64_t iterations = 0;
};

/// `f` fills the gradient and returns the value. `stop`, when given, is called after each iteration.
LbfgsResult lbfgs(const std::function<double(std::span<const double>, std::span<double>)>& f,
                  std::vector<double>& x, double gradient_aim, std::int64_t most_iterations,
                  const std::function<bool(std::span<const double>)>& stop = {});

}  // namespace plumb::detail
