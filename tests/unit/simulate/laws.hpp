// Shared by the tests of simulated data: checksums, and the distance of outcomes from their probabilities.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>

#include "plumb/numeric/random.hpp"

namespace plumb {

inline constexpr double kSigmas = 4;  // a fair draw goes beyond once in 16,000 tests, and seeds are fixed

/// A fingerprint of drawn bytes. Changing a drawing changes it: then everyone's data change, and the
/// changelog says so.
inline std::uint64_t fingerprint(std::span<const std::uint8_t> bytes) {
  return hash_name({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// How many standard errors the number of ones lies from what the probabilities lead to expect.
class Outcomes {
 public:
  void add(double p, double ones, double trials = 1) {
    gap_ += ones - trials * p;
    variance_ += trials * p * (1 - p);
    ++items_;
  }
  [[nodiscard]] double z() const { return variance_ > 0 ? gap_ / std::sqrt(variance_) : gap_; }
  [[nodiscard]] int items() const { return items_; }

 private:
  double gap_ = 0, variance_ = 0;
  int items_ = 0;
};

/// Mean and spread of independent values.
class Sample {
 public:
  void add(double x) {
    ++n_;
    sum_ += x;
    squares_ += x * x;
  }
  [[nodiscard]] double mean() const { return sum_ / n_; }
  [[nodiscard]] double variance() const { return squares_ / n_ - mean() * mean(); }
  [[nodiscard]] double standard_error() const { return std::sqrt(variance() / n_); }
  [[nodiscard]] int items() const { return static_cast<int>(n_); }

 private:
  double n_ = 0, sum_ = 0, squares_ = 0;
};

}  // namespace plumb
