// Columns of terms into order-free sums: signs and zeros included, plain or times a weight, whole or by bin.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "plumb/numeric/exact_sum.hpp"

namespace plumb {
namespace detail {

inline constexpr std::uint64_t kLeadingOne = std::uint64_t{1} << 52;
inline constexpr std::uint64_t kLowestExponent = 967;  ///< biased exponent of 2^-56
inline constexpr std::uint64_t kExponents = 72;        ///< up to 2^16; terms beyond go straight to the sum
inline constexpr std::size_t kParts = 4;               ///< sums independent sums, to hide latency
/// a part gets at most 1023: signed mantissas of 53 bits fit a word
inline constexpr std::size_t kChunk = kParts * 1020;

}  // namespace detail

/// Adds every term_of(i), i < n, to the same bits as ExactSum::add. Mantissas of one exponent are summed as
/// integers, which enter the sum once per chunk.
template <class Term>
inline void add_terms(ExactSum& into, std::size_t n, Term term_of) {
  for (std::size_t begin = 0; begin < n; begin += detail::kChunk) {
    const std::size_t end = std::min(begin + detail::kChunk, n);
    if (end - begin < 2 * detail::kExponents) {  // too few to pay for the buckets
      for (std::size_t i = begin; i < end; ++i)
        if (const double x = term_of(i); x != 0) into.add(x);
      continue;
    }
    std::array<std::array<std::int64_t, detail::kExponents>, detail::kParts> mantissas{};
    const auto add = [&](double x, std::size_t part) {
      const auto bits = std::bit_cast<std::uint64_t>(x);
      const std::uint64_t exponent = ((bits >> 52) & 0x7ff) - detail::kLowestExponent;
      if (exponent < detail::kExponents) [[likely]] {
        const auto sign = -static_cast<std::int64_t>(bits >> 63);
        const auto m = static_cast<std::int64_t>((bits & (detail::kLeadingOne - 1)) | detail::kLeadingOne);
        mantissas[part][exponent] += (m ^ sign) - sign;
      } else if (x != 0) {
        into.add(x);
      }
    };
    std::size_t i = begin;
    for (; i + detail::kParts <= end; i += detail::kParts)
      for (std::size_t part = 0; part < detail::kParts; ++part) add(term_of(i + part), part);
    for (; i < end; ++i) add(term_of(i), 0);
    for (std::size_t k = 0; k < detail::kExponents; ++k) {
      int128 sum = 0;
      for (const auto& part : mantissas) sum += part[k];
      if (sum != 0) into.add_scaled(sum, static_cast<int>(k + detail::kLowestExponent) - 1075);
    }
  }
}

inline void add_column(ExactSum& into, std::span<const double> x) {
  add_terms(into, x.size(), [x](std::size_t i) { return x[i]; });
}

/// Each term times its weight, rounded once.
inline void add_column(ExactSum& into, std::span<const double> x, std::span<const double> weight) {
  if (weight.empty()) return add_column(into, x);
  add_terms(into, x.size(), [x, weight](std::size_t i) { return x[i] * weight[i]; });
}

/// Terms that are not negative, each into the sum of its bin; bin[i] < sums.size().
inline void add_by_bin(std::span<ExactSum> sums, std::span<const std::uint32_t> bin,
                       std::span<const double> x) {
  constexpr std::size_t kFewBins = 32;          // more, and emptying the buckets costs more than it saves
  constexpr std::size_t kPositiveChunk = 2048;  // 2^11 mantissas without sign
  if (sums.size() > kFewBins || x.size() < sums.size() * detail::kExponents / 4) {
    for (std::size_t i = 0; i < x.size(); ++i)
      if (x[i] != 0) sums[bin[i]].add(x[i]);
    return;
  }
  std::array<std::array<std::uint64_t, detail::kExponents>, kFewBins> mantissas;  // cleared below
  for (std::size_t begin = 0; begin < x.size(); begin += kPositiveChunk) {
    const std::size_t end = std::min(begin + kPositiveChunk, x.size());
    for (std::size_t c = 0; c < sums.size(); ++c) mantissas[c].fill(0);
    for (std::size_t i = begin; i < end; ++i) {
      const auto bits = std::bit_cast<std::uint64_t>(x[i]);
      const std::uint64_t exponent = (bits >> 52) - detail::kLowestExponent;
      if (exponent < detail::kExponents) [[likely]] {
        mantissas[bin[i]][exponent] += (bits & (detail::kLeadingOne - 1)) | detail::kLeadingOne;
      } else if (x[i] != 0) {
        sums[bin[i]].add(x[i]);
      }
    }
    for (std::size_t c = 0; c < sums.size(); ++c)
      for (std::size_t k = 0; k < detail::kExponents; ++k)
        if (mantissas[c][k] != 0)
          sums[c].add_scaled(static_cast<int128>(mantissas[c][k]),
                             static_cast<int>(k + detail::kLowestExponent) - 1075);
  }
}

}  // namespace plumb
