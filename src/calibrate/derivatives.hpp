// A value with its gradient and Hessian in a few unknowns, summed exactly: the order of the terms
// does not matter.
#pragma once

#include <array>

#include "plumb/numeric/exact_sum.hpp"

namespace plumb::detail {

/// Sum is double or ExactSum; `second` holds the lower half, row-major.
template <class Sum, std::int64_t N>
struct Derivatives {
  Sum value{};
  std::array<Sum, N> first{};
  std::array<Sum, N * N> second{};
};
template <std::int64_t N>
using ExactDerivatives = Derivatives<ExactSum, N>;

/// out += from, or its rounded values.
template <std::int64_t N>
void merge(ExactDerivatives<N>& into, const ExactDerivatives<N>& from) {
  into.value.merge(from.value);
  for (std::int64_t j = 0; j < N; ++j) into.first[j].merge(from.first[j]);
  for (std::int64_t j = 0; j < N * N; ++j) into.second[j].merge(from.second[j]);
}
template <std::int64_t N>
Derivatives<double, N> rounded(const ExactDerivatives<N>& exact) {
  Derivatives<double, N> out;
  out.value = exact.value.value();
  for (std::int64_t j = 0; j < N; ++j) out.first[j] = exact.first[j].value();
  for (std::int64_t j = 0; j < N * N; ++j) out.second[j] = exact.second[j].value();
  return out;
}

}  // namespace plumb::detail
