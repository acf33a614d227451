#include "resample/normal_table.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/special.hpp"

namespace plumb::detail {
namespace {

/// c[0] + c[1] t + c[2] t^2 + c[3] t^3 for t in [0, 1].
struct Cubic {
  double c[4];
  [[nodiscard]] double at(double t) const { return c[0] + t * (c[1] + t * (c[2] + t * c[3])); }
};

/// Hermite's: values and slopes at both ends, slopes per unit of t.
Cubic hermite(double y0, double y1, double s0, double s1) {
  return {{y0, s0, 3 * (y1 - y0) - 2 * s0 - s1, 2 * (y0 - y1) + s0 + s1}};
}

double density(double x) { return 0.3989422804014326779 * exp_portable(-0.5 * x * x); }

// Every octave of u below 1/2 has as many cubics, so that tails are as good as the middle.
constexpr int kParts = 32, kOctaves = 53;
constexpr std::uint64_t kFirst = std::uint64_t{1023 - 54} << 52;  // 2^-54
constexpr int kShift = 52 - 5;                                    // an octave's upper five bits

std::vector<Cubic> quantile_table() {
  std::vector<Cubic> out;
  for (std::uint64_t k = 0; k < kParts * kOctaves; ++k) {
    const auto u0 = std::bit_cast<double>(kFirst + (k << kShift));
    const auto u1 = std::bit_cast<double>(kFirst + ((k + 1) << kShift));
    const double x0 = normal_quantile(u0), x1 = normal_quantile(u1);
    out.push_back(hermite(x0, x1, (u1 - u0) / density(x0), (u1 - u0) / density(x1)));
  }
  return out;
}

constexpr double kReach = 8.5;
constexpr int kPerUnit = 64;

std::vector<Cubic> cdf_table() {
  std::vector<Cubic> out;
  for (int k = 0; k < 2 * kReach * kPerUnit; ++k) {
    const double x0 = -kReach + 1.0 * k / kPerUnit, x1 = -kReach + 1.0 * (k + 1) / kPerUnit;
    out.push_back(hermite(normal_cdf(x0), normal_cdf(x1), density(x0) / kPerUnit, density(x1) / kPerUnit));
  }
  return out;
}

const std::vector<Cubic>& quantiles() {
  static const std::vector<Cubic> table = quantile_table();
  return table;
}
const std::vector<Cubic>& chances() {
  static const std::vector<Cubic> table = cdf_table();
  return table;
}

double quantile_in(const Cubic* table, double u) {
  const double v = std::max(std::min(u, 1 - u), 0x1p-54);
  if (v == 0.5) return 0;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(v);
  const std::uint64_t rest = bits & ((std::uint64_t{1} << kShift) - 1);
  const double x =
      table[(bits - kFirst) >> kShift].at(static_cast<double>(static_cast<std::int64_t>(rest)) * 0x1p-47);
  return u < 0.5 ? x : -x;
}

double chance_in(const Cubic* table, double x) {
  constexpr double kBelowOne = 1 - 0x1p-53, kEnd = 2 * kReach * kPerUnit;
  const double at = (x + kReach) * kPerUnit;
  if (!(at > 0)) return 0;
  if (at >= kEnd) return kBelowOne;
  const auto k = static_cast<std::int32_t>(at);
  return std::clamp(table[k].at(at - k), 0.0, kBelowOne);
}

}  // namespace

double table_normal_quantile(double u) { return quantile_in(quantiles().data(), u); }

double table_normal_cdf(double x) { return chance_in(chances().data(), x); }

void shift_normals(std::span<const double> shift, double scale, std::span<double> u) {
  const Cubic *quantile = quantiles().data(), *chance = chances().data();
  for (std::size_t i = 0; i < u.size(); ++i)
    u[i] = chance_in(chance, shift[i] + scale * quantile_in(quantile, u[i]));
}

}  // namespace plumb::detail
