// Seeds and small draws that the simulated data sets share. An item's numbers come from (seed, item) alone.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "plumb/numeric/random.hpp"

namespace plumb {

/// A seed of its own for each named use of `seed` ("train", "faces"), so that no two uses share numbers.
[[nodiscard]] std::uint64_t derive_seed(std::uint64_t seed, std::string_view use);

/// The numbers of one item. Items are below 2^32.
[[nodiscard]] RandomStream item_stream(std::uint64_t seed, std::string_view use, std::int64_t item);

/// Beta(a, b) with a, b > 0, through logarithms of gamma variables: tiny shapes, whose draws lie next to 0
/// and 1, do not end in 0/0.
[[nodiscard]] double draw_beta(double a, double b, RandomStream& random);

/// Sensor noise: each value is the sum of four random bytes less 510;
/// mean 0, kNoiseSd standard deviation, near normal.
void fill_noise(std::uint64_t seed, std::string_view use, std::int64_t item, std::span<std::int16_t> out);
inline constexpr double kNoiseSd = 147.80054127099805;  // sqrt(4 (256^2 - 1) / 12)

}  // namespace plumb
