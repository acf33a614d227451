// Loops over blocks that decide how fast input is read: compiled once for each SIMD target. They only report
// whether all values are valid; slower code finds the bad value for the message.
#pragma once

#include <cstdint>

namespace plumb::detail {

/// Widens n values; false when one is NaN or outside [0, high]. For doubles `out` may be `from`.
[[nodiscard]] bool copy_checked(const float* from, std::int64_t n, double high, double* out);
[[nodiscard]] bool copy_checked(const double* from, std::int64_t n, double high, double* out);

/// A plain copy. memcpy can be 20 times slower here: `rep movsb` stumbles on Zen 3 and 4 when the target lies
/// 16 bytes behind the source modulo a page, which is how malloc places neighbouring blocks.
void copy_values(const double* from, std::int64_t n, double* out);

/// The sum of each row in eight interleaved lanes (value j goes to lane j mod 8), folded in one order: the
/// same bits on every target.
void row_sums(const double* z, std::int64_t rows, std::int64_t width, double* sum);

/// The largest value of each row and its lowest index. Values must be >= 0 and not NaN.
void row_tops(const double* z, std::int64_t rows, std::int64_t width, double* top, std::uint32_t* index);

/// Class indices; false when one is not a whole number from 0 to classes - 1, and then `out` is unspecified.
[[nodiscard]] bool copy_labels(const std::uint8_t* from, std::int64_t n, std::uint32_t classes,
                               std::uint32_t* out);
[[nodiscard]] bool copy_labels(const std::int32_t* from, std::int64_t n, std::uint32_t classes,
                               std::uint32_t* out);
[[nodiscard]] bool copy_labels(const std::int64_t* from, std::int64_t n, std::uint32_t classes,
                               std::uint32_t* out);
[[nodiscard]] bool copy_labels(const double* from, std::int64_t n, std::uint32_t classes, std::uint32_t* out);

/// Class indices, -1 for NaN and negative numbers; false when one is neither that nor a class.
[[nodiscard]] bool copy_ratings(const double* from, std::int64_t n, int classes, std::int32_t* out);

/// 1 where the class is the label (or k), otherwise 0.
void count_matches(const std::uint32_t* cls, const std::uint32_t* label, std::int64_t n, double* hits);
void count_class(const std::uint32_t* cls, std::uint32_t k, std::int64_t n, double* hits);

/// True when all are finite.
[[nodiscard]] bool all_finite(const double* x, std::int64_t n);

}  // namespace plumb::detail
