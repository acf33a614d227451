#include <algorithm>

#include "plumb/calibrate/alpha.hpp"
#include "plumb/numeric/elementary.hpp"

namespace plumb {
namespace {

constexpr std::uint32_t kDirect = 64;  // votes on one class above which sums become series
constexpr double kSeriesFrom = 12;     // of the series below: the next terms are under 1e-16

// r(x) of Stirling's log Gamma(x) = (x - 1/2) log x - x + log(2 pi)/2 + r(x).
double stirling(double x) {
  const double t = 1 / (x * x);
  return (1.0 / 12 -
          t * (1.0 / 360 - t * (1.0 / 1260 - t * (1.0 / 1680 - t * (1.0 / 1188 - t * 691.0 / 360360))))) /
         x;
}

// digamma(x) - log x and x trigamma(x) - 1, both small for large x.
double digamma_rest(double x) {
  const double t = 1 / (x * x);
  return -0.5 / x -
         t * (1.0 / 12 -
              t * (1.0 / 120 - t * (1.0 / 252 - t * (1.0 / 240 - t * (1.0 / 132 - t * 691.0 / 32760)))));
}
double trigamma_of(double x) {
  const double t = 1 / (x * x);
  return 1 / x + t / 2 +
         t / x *
             (1.0 / 6 - t * (1.0 / 30 - t * (1.0 / 42 - t * (1.0 / 30 - t * (5.0 / 66 - t * 691.0 / 2730)))));
}

double log_1p(double t) {
  const double u = 1 + t;  // Kahan's correction of what the sum rounded away
  return u == 1 ? t : log_portable(u) * (t / (u - 1));
}

}  // namespace

RisingFactorial rising_factorial(double x, std::uint32_t n) {
  RisingFactorial out;
  const std::uint32_t direct = n <= kDirect       ? n
                               : x >= kSeriesFrom ? 1
                                                  : static_cast<std::uint32_t>(kSeriesFrom) + 1;
  double product = 1;
  for (std::uint32_t j = 1; j < direct; ++j) {
    const double s = 1 / (x + j);
    product *= 1 + j / x;  // at most 1 + 64 / 1e-25: eight of them stay below 1e225
    out.slope += j * s;
    out.curvature -= j * x * s * s;
    if (j % 8 == 0) {
      out.log += log_portable(product);
      product = 1;
    }
  }
  out.log += log_portable(product);
  if (direct >= n) return out;
  // sum_{j=m}^{n-1}, with a = x + m >= 12 and b = x + n, each from Stirling's series.
  const double m = direct, a = x + m, b = x + n, count = b - a;
  const double ratio = log_1p(count / a);  // log(b / a)
  out.log += (b - 0.5) * ratio - count + stirling(b) - stirling(a) + count * log_1p(m / x);
  const double inverse = ratio + digamma_rest(b) - digamma_rest(a);          // sum 1/(x + j)
  out.slope += count - x * inverse;                                          // sum 1 - x/(x + j)
  out.curvature -= x * inverse - x * x * (trigamma_of(a) - trigamma_of(b));  // sum x/(x+j) - x^2/(x+j)^2
  return out;
}

}  // namespace plumb
