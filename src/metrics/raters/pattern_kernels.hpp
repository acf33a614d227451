// The inner loop of vote patterns, compiled once for each SIMD target.
#pragma once

#include <cstddef>
#include <cstdint>

#include "metrics/shared/vote_patterns.hpp"

namespace plumb::detail {

/// Adds n probabilities of class 1 to the tables of both classes, of which a share mu0 and mu1 of votes was.
/// Cells by copy, class and bin of equal width.
void add_pattern(const double* p, std::size_t n, int bins, double mu0, double mu1, PatternCell* table);

}  // namespace plumb::detail
