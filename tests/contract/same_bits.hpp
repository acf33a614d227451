// Results compared down to the last bit, and found by key.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "plumb/result.hpp"

namespace plumb::test {

inline std::uint64_t bits(const std::optional<double>& x) {
  return x ? std::bit_cast<std::uint64_t>(*x) : ~std::uint64_t{0};
}

inline void expect_same_bits(const std::optional<double>& a, const std::optional<double>& b,
                             const std::string& what) {
  EXPECT_EQ(bits(a), bits(b)) << what << ": " << a.value_or(NAN) << " " << b.value_or(NAN);
}

inline void expect_same_bits(const MetricResult& a, const MetricResult& b, const std::string& what) {
  expect_same_bits(a.value, b.value, what);
  expect_same_bits(a.low, b.low, what + ", low");
  expect_same_bits(a.high, b.high, what + ", high");
  expect_same_bits(a.p_value, b.p_value, what + ", p_value");
  expect_same_bits(a.null_mean, b.null_mean, what + ", null_mean");
  EXPECT_EQ(a.why, b.why) << what;
  EXPECT_EQ(a.interval, b.interval) << what;
  EXPECT_EQ(a.items, b.items) << what;
}

inline void expect_same_bits(const MetricResults& a, const MetricResults& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].first, b[i].first);
    expect_same_bits(a[i].second, b[i].second, what + ": " + a[i].first);
  }
}

/// Null where there is no such name.
template <class Named>
const typename Named::value_type::second_type* find_named(const Named& all, std::string_view name) {
  for (const auto& [k, x] : all)
    if (k == name) return &x;
  return nullptr;
}

}  // namespace plumb::test
