// alpha-calibration (Mimori 2021, section 5): how certain a prediction is. The probabilities z stay the same;
// votes are modelled as draws from a Dirichlet of mean z and concentration alpha_0 = exp(w.u + b).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/calibrate/step.hpp"
#include "plumb/data/array.hpp"

namespace plumb {

/// G(x, n) = sum_{j=1}^{n-1} log(1 + j/x) = log Gamma(x + n) - log Gamma(x) - n log x, and -dG/dlog x =
/// sum_{j=1}^{n-1} j/(x + j), and the derivative of that, - sum j x/(x + j)^2. Accurate for any x > 0: large
/// numbers are never subtracted from each other.
struct RisingFactorial {
  double log = 0, slope = 0, curvature = 0;
};
[[nodiscard]] RisingFactorial rising_factorial(double x, std::uint32_t n);

/// Number of features that an alpha step needs; 0: none.
[[nodiscard]] std::int64_t alpha_features(const Step& alpha);
/// alpha_0 of rows [begin, end). InputError when the features are missing, of another width or not finite.
void alpha_concentration(const Step& alpha, const Rows& features, std::int64_t begin, std::int64_t end,
                         std::span<double> out);

}  // namespace plumb
