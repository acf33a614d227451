#include <algorithm>
#include <array>
#include <limits>

#include "numeric/elementary_coefficients.hpp"
#include "plumb/numeric/elementary.hpp"

namespace plumb {
namespace {
double row_max(std::span<const double> x) {
  double m = -std::numeric_limits<double>::infinity();
  for (const double v : x) m = v > m ? v : m;
  return m;
}
double lane_sum(const std::array<double, 8>& l) {
  return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]));
}
}  // namespace

void exp_block(std::span<const double> x, std::span<double> out) {
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = exp_portable(x[i]);
}
void log_block(std::span<const double> x, std::span<double> out) {
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = log_portable(x[i]);
}
void logistic_block(std::span<const double> x, std::span<double> out) {
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = logistic(x[i]);
}
double log_sum_exp(std::span<const double> x) {
  const double m = row_max(x);
  if (m - m != 0.0) return m;
  std::array<double, 8> lanes{};
  for (std::size_t i = 0; i < x.size(); ++i) lanes[i % 8] += exp_portable(x[i] - m);
  return m + log_portable(lane_sum(lanes));
}
void softmax_row(std::span<double> x) {
  const double m = row_max(x);
  std::array<double, 8> lanes{};
  for (std::size_t i = 0; i < x.size(); ++i) lanes[i % 8] += x[i] = exp_portable(x[i] - m);
  const double total = lane_sum(lanes);
  for (double& v : x) v /= total;
}

}  // namespace plumb
