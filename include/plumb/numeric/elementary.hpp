// exp and log with the same bits on every machine and SIMD target: no fused multiply-add, no libm.
#pragma once

#include <span>

namespace plumb {

/// Error bounds are in docs/numerics.md; log(0) = -inf, exp(-inf) = 0, NaN in NaN out.
[[nodiscard]] double exp_portable(double x);
[[nodiscard]] double log_portable(double x);

// The same bits, for a block (SIMD). In and out may be the same span.
void exp_block(std::span<const double> x, std::span<double> out);
void log_block(std::span<const double> x, std::span<double> out);

/// log(sum_k exp(x_k)); -inf for an empty span. The largest term is factored out.
[[nodiscard]] double log_sum_exp(std::span<const double> x);
/// Softmax of one row in place (the largest factored out; the sum in eight interleaved lanes, fixed
/// on every target).
void softmax_row(std::span<double> x);
/// 1 / (1 + exp(-x)) without overflow; accurate in both tails.
[[nodiscard]] double logistic(double x);
void logistic_block(std::span<const double> x, std::span<double> out);

}  // namespace plumb
