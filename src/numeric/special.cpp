// Not from a library, because libraries call the C library's exp and log, whose last bits differ between
// machines. The tests compare with Boost.Math. coefficients.py computes the fitted coefficients.
#include "plumb/numeric/special.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "plumb/numeric/elementary.hpp"

namespace plumb {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double horner(std::span<const double> c, double x) {
  double sum = c.back();
  for (std::size_t i = c.size() - 1; i-- > 0;) sum = sum * x + c[i];
  return sum;
}

// Asymptotic series in 1/x^2, from the Bernoulli numbers B_2k; at x >= 10 the first omitted term is < 2e-17.
constexpr double kAsymptotic = 10.0;
constexpr double kStirling[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,  // B_2k / (2k (2k - 1))
                                1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400};

// log Gamma(2 + z) / z on |z| <= 1/2; relative error 2.4e-17.
constexpr double kLogGamma[] = {
    0x1.b0ee6072093cep-2,   0x1.4a34cc4a60fa6p-2,  -0x1.13e001a55760ap-4,  0x1.51322ac7d848ap-6,
    -0x1.e404fc218db98p-8,  0x1.7add6eadb5302p-9,  -0x1.38ac5c2d491b3p-10, 0x1.0b36af877ab9ap-11,
    -0x1.d3fd4b66ed372p-13, 0x1.a127afedacc07p-14, -0x1.78de9ad95f7eep-15, 0x1.580e0b1ae0848p-16,
    -0x1.3cb3ba5715e12p-17, 0x1.258f2ca3bcc29p-18, -0x1.12772d45ac738p-19, 0x1.012051494aa26p-20,
    -0x1.ce12af00e4f79p-22, 0x1.b4066c098fb6cp-23, -0x1.20127e82f4768p-23, 0x1.1202b863e338dp-24};
double log_gamma_near_two(double z) { return z * horner(kLogGamma, z); }

// (1 + x) exp(x^2 / 2) P(X > x), X standard normal, as a Chebyshev series in t = (x - 5) / (x + 5).
// Relative error 5e-17.
constexpr double kNormalTail[] = {
    0x1.d90fc491c8188p-2,   -0x1.0aeaaad1f9538p-4,  -0x1.65bf2805fcf9ap-8,  0x1.92ebfe6205c7ap-7,
    -0x1.a8133b8cad4f7p-8,  0x1.25b29b935608bp-9,   -0x1.27a053c3e840ap-11, 0x1.a2c2b7ab5cce3p-14,
    -0x1.4a7eb0322f295p-17, -0x1.b0fc5b82205ecp-22, 0x1.411314af96457p-22,  -0x1.0473f0ddb61c8p-25,
    -0x1.3d52d596acac5p-28, 0x1.6d8a61f7ba581p-30,  0x1.088516006bf49p-35,  -0x1.85a9b092a995dp-35,
    0x1.8a0f9a2f9401bp-40,  0x1.9e4d435595dfap-40,  -0x1.a400eb3de5387p-44, -0x1.dce708f16a62cp-45,
    0x1.1d37aa1274896p-48,  0x1.2f55e97cae194p-49,  -0x1.3641e08d58e87p-53, -0x1.a2b1652275f1dp-54,
    0x1.b08a023a932a1p-59};

// P(X > x) for x >= 0.
double normal_tail(double x) {
  if (x > 39.0) return 0.0;  // below the smallest double
  const double t = (x - 5.0) / (x + 5.0);
  double b1 = 0.0, b2 = 0.0;  // Clenshaw's recurrence
  for (std::size_t j = std::size(kNormalTail) - 1; j > 0; --j) {
    const double b0 = kNormalTail[j] + 2.0 * t * b1 - b2;
    b2 = b1;
    b1 = b0;
  }
  const double series = kNormalTail[0] + t * b1 - b2;
  // x^2 / 2 in two parts, the first one exact: an error in a large exponent would be multiplied.
  const double head = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0xfffffffff8000000);
  const double rest = 0.5 * (x - head) * (x + head);
  return series / (1.0 + x) * exp_portable(-rest) * exp_portable(-0.5 * head * head);
}

// Wichura: Algorithm AS 241 (1988), PPND16; relative error about 1e-16.
constexpr double kCentreTop[] = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                                 1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                                 3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr double kCentreBottom[] = {
    1.00000000000000000000e0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
    2.1213794301586595867e4,  3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3};
constexpr double kMiddleTop[] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                 5.76949722146069140550e0,  3.64784832476320460504e0,
                                 1.27045825245236838258e0,  2.41780725177450611770e-1,
                                 2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr double kMiddleBottom[] = {1.00000000000000000000e0,  2.05319162663775882187e0,
                                    1.67638483018380384940e0,  6.89767334985100004550e-1,
                                    1.48103976427480074590e-1, 1.51986665636164571966e-2,
                                    5.47593808499534494600e-4, 1.05075007164441684324e-9};
constexpr double kFarTop[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                              2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                              2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr double kFarBottom[] = {1.00000000000000000000e0,  5.99832206555887937690e-1,
                                 1.36929880922735805310e-1, 1.48753612908506148525e-2,
                                 7.86869131145613259100e-4, 1.84631831751005468180e-5,
                                 1.42151175831644588870e-7, 2.04426310338993978564e-15};

}  // namespace

double log_gamma(double x) {
  if (!(x > 0.0)) return x == 0.0 ? kInfinity : kNaN;
  if (x == kInfinity) return x;
  if (x >= kAsymptotic) {
    constexpr double kHalfLogTwoPi = 0.91893853320467274178;
    const double correction = horner(kStirling, 1.0 / (x * x)) / x;
    return (x - 0.5) * (log_portable(x) - 1.0) + (kHalfLogTwoPi - 0.5 + correction);
  }
  // Gamma(x + 1) = x Gamma(x) leads to 2 + z with |z| <= 1/2; z itself is exact.
  if (x < 0.5) return log_gamma_near_two(x) - log_portable(x * (x + 1.0));
  if (x < 1.5) return log_gamma_near_two(x - 1.0) - log_portable(x);
  double product = 1.0;
  while (x > 2.5) product *= (x -= 1.0);
  const double rest = log_gamma_near_two(x - 2.0);
  return product == 1.0 ? rest : rest + log_portable(product);
}

double normal_cdf(double x) {
  if (x != x) return x;
  return x <= 0.0 ? normal_tail(-x) : 1.0 - normal_tail(x);
}

double normal_quantile(double p) {
  if (!(p > 0.0 && p < 1.0)) return p == 0.0 ? -kInfinity : p == 1.0 ? kInfinity : kNaN;
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * horner(kCentreTop, r) / horner(kCentreBottom, r);
  }
  const double r = std::sqrt(-log_portable(q < 0.0 ? p : 1.0 - p));
  const double z = r <= 5.0 ? horner(kMiddleTop, r - 1.6) / horner(kMiddleBottom, r - 1.6)
                            : horner(kFarTop, r - 5.0) / horner(kFarBottom, r - 5.0);
  return q < 0.0 ? -z : z;
}

double chi_square_tail(double x, int degrees) {
  if (std::isnan(x) || degrees < 1) return kNaN;
  if (x <= 0) return 1;
  if (x == kInfinity) return 0;
  // Two degrees more add (x/2)^(k/2) exp(-x/2) / Gamma(k/2 + 1) to those of k.
  const double half = x / 2;
  double tail = degrees % 2 == 1 ? 2 * normal_tail(std::sqrt(x)) : exp_portable(-half);
  for (int k = degrees % 2 == 1 ? 1 : 2; k < degrees; k += 2)
    tail += exp_portable(0.5 * k * log_portable(half) - half - log_gamma(0.5 * k + 1));
  return std::min(tail, 1.0);
}

}  // namespace plumb
