// Numbers of any stored type, widened to double where they lie: unaligned, strided, of either endianness.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "plumb/data/array.hpp"

namespace plumb::detail {

/// IEEE binary16, kept as its bits.
struct Half {
  std::uint16_t bits;
};

/// Exact, and without branches on the value: the exponent is moved by a multiplication, which
/// also serves subnormals.
[[nodiscard]] inline double widen(Half h) {
  const std::uint32_t magnitude = (h.bits & 0x7fffu) << 13;
  const std::uint32_t sign = (h.bits & 0x8000u) << 16;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
  if (magnitude >= 0x0f800000u) bits = magnitude | 0x7f800000u;  // infinity and NaN
  return std::bit_cast<float>(bits | sign);
}
template <class T>
[[nodiscard]] inline double widen(T x) {
  return x;
}

template <class T, bool Swapped>
[[nodiscard]] inline double load(const std::byte* at) {
  T value;
  if constexpr (Swapped && sizeof(T) > 1) {
    std::byte reversed[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i) reversed[i] = at[sizeof(T) - 1 - i];
    std::memcpy(&value, reversed, sizeof(T));
  } else {
    std::memcpy(&value, at, sizeof(T));
  }
  return widen(value);
}

/// What each DType but text is stored as, in their order.
using StoredTypes = std::tuple<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                               std::uint16_t, std::uint32_t, std::uint64_t, Half, float, double>;

/// Calls f(std::type_identity<T>{}) with the stored type of `t`; nothing for text.
template <class F, std::size_t I = 0>
void with_stored_type(DType t, F&& f) {
  if constexpr (I < std::tuple_size_v<StoredTypes>) {
    if (static_cast<std::size_t>(t) != I) return with_stored_type<F, I + 1>(t, std::forward<F>(f));
    f(std::type_identity<std::tuple_element_t<I, StoredTypes>>{});
  }
}

/// The strides of C order, from dtype and shape.
void set_c_order(Array& a);

/// Rows [begin, end) of `a`, row-major, `width` numbers each.
void widen_rows(const Array& a, std::int64_t begin, std::int64_t end, std::int64_t width, double* out);

}  // namespace plumb::detail
