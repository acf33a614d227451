// The numbers behind exp and log, shared by the scalar and the SIMD code:
// both do the same operations in the same order.
#pragma once

#include <cstdint>

namespace plumb::detail {

// ln 2 in two parts: k * kLn2High is exact for |k| < 2^32.
inline constexpr double kLn2High = 0x1.62e42p-1;
inline constexpr double kLn2Low = 0x1.fdf473de6af28p-22;
inline constexpr double kLog2E = 1.4426950408889634;

// Adding 1.5 * 2^52 rounds to an integer, which is then in the low bits.
inline constexpr double kRoundingShift = 6755399441055744.0;

// Beyond these exp is certainly 0 or infinity; between them every power of two is a product of
// two normal numbers.
inline constexpr double kExpLow = -746.0;
inline constexpr double kExpHigh = 710.0;

// (exp(r) - 1 - r) / r^2 on |r| <= ln(2)/2, Chebyshev interpolation; relative error in exp 3.5e-19.
inline constexpr double kExpC[11] = {0.5,
                                     0x1.5555555555557p-3,
                                     0x1.5555555555556p-5,
                                     0x1.11111111100dcp-7,
                                     0x1.6c16c16c162d4p-10,
                                     0x1.a01a01abe7fe1p-13,
                                     0x1.a01a01a6d889cp-16,
                                     0x1.71de0231960ebp-19,
                                     0x1.27e4db646b17ep-22,
                                     0x1.af4de97ca4194p-26,
                                     0x1.1f730349868cep-29};

// (log((1 + s) / (1 - s)) - 2 s) / s^3 in powers of s^2 on |s| <= (sqrt(2) - 1) / (sqrt(2) + 1), Chebyshev
// interpolation; relative error in log(1 + f) 4.7e-18.
inline constexpr double kLogC[7] = {0x1.5555555555558p-1, 0x1.99999999952d7p-2, 0x1.2492492df281ap-2,
                                    0x1.c71c62e3f11e6p-3, 0x1.7462b51cb66b1p-3, 0x1.39fe51a7c18f9p-3,
                                    0x1.2b5900de53b32p-3};

inline constexpr std::uint64_t kMantissaBits = 0x000fffffffffffff;
inline constexpr std::uint64_t kBitsOfRootHalf = 0x3fe6a09e00000000;  // about sqrt(1/2)
inline constexpr std::uint64_t kBitsOfOne = 0x3ff0000000000000;
// 2^52: an integer below 2^52 or-ed in becomes 2^52 + itself
inline constexpr std::uint64_t kBitsOfTwo52 = 0x4330000000000000;
inline constexpr double kTwo52PlusBias = 4503599627370496.0 + 1023.0;
inline constexpr double kSmallestNormal = 0x1p-1022;
inline constexpr double kTwo54 = 0x1p54;

// Sums over a row run in this many interleaved lanes on every target;
// kRowLanes is a multiple of every vector width in use.
inline constexpr int kRowLanes = 8;

}  // namespace plumb::detail
