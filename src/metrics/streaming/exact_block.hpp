// Many terms into one order-free sum, some three times faster than one by one.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb::detail {

/// Adds every term, to the same bits as ExactSum::add. Mantissas of one exponent are summed as integers; they
/// enter the sum once a chunk. What lies outside the usual exponents, zero and below zero goes straight to
/// the sum.
inline void add_all(ExactSum& into, std::span<const double> terms) {
  constexpr std::uint64_t kLeadingOne = std::uint64_t{1} << 52;
  constexpr std::size_t kChunk = 2048;      // 2^11 mantissas below 2^53 fit a word
  constexpr std::uint64_t kLowest = 975;    // biased exponent of 2^-48
  constexpr std::uint64_t kExponents = 64;  // up to 2^16
  constexpr std::size_t kParts = 4;         // side by side: one sum would wait for itself
  for (std::size_t begin = 0; begin < terms.size(); begin += kChunk) {
    std::array<std::array<std::uint64_t, kExponents>, kParts> mantissas{};
    const double* x = terms.data() + begin;
    const std::size_t n = std::min(kChunk, terms.size() - begin);
    const auto add = [&](double term, std::size_t part) {
      const auto bits = std::bit_cast<std::uint64_t>(term);
      const std::uint64_t exponent = (bits >> 52) - kLowest;
      if (exponent < kExponents) [[likely]] {
        mantissas[part][exponent] += (bits & (kLeadingOne - 1)) | kLeadingOne;
      } else {
        into.add(term);
      }
    };
    std::size_t j = 0;
    for (; j + kParts <= n; j += kParts) {
      for (std::size_t part = 0; part < kParts; ++part) add(x[j + part], part);
    }
    for (; j < n; ++j) add(x[j], 0);
    for (std::size_t k = 0; k < kExponents; ++k) {
      int128 sum = 0;
      for (const auto& part : mantissas) sum += part[k];
      if (sum != 0) into.add_scaled(sum, narrow<int>(k + kLowest) - 1075);
    }
  }
}

}  // namespace plumb::detail
