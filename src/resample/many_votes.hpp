// Votes of an item that has too many to draw them one by one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/numeric/random.hpp"

namespace plumb::detail {

/// Up to so many votes of an item are drawn, or summed over, one by one.
inline constexpr std::uint32_t kOneByOne = 4096;

/// The sum of 1/(x + j) over j = 1, ..., m, for x >= 0: the first terms, then Euler and Maclaurin's formula.
[[nodiscard]] double reciprocal_sum(double x, std::uint32_t m);

/// Binomial: each step draws an order statistic of the uniform numbers behind the trials and keeps one side
/// of it, which halves them (Relles 1972).
[[nodiscard]] std::uint32_t draw_binomial(std::uint32_t n, double p, RandomStream& random);

/// How many of n votes each class gets: multinomial with shares that follow a Dirichlet distribution with
/// means proportional to `chance`, any two votes of the whole item correlated by d (0: the shares are the
/// means). Without a positive chance n is 0.
void draw_votes_by_class(std::span<const double> chance, double d, std::uint32_t n, RandomStream& random,
                         std::vector<std::uint32_t>& count);

}  // namespace plumb::detail
