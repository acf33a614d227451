// Numbers or names as programs hold them: a vector, a span, an array, a pointer with strides.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "plumb/data/array.hpp"

namespace plumb {

namespace detail {

template <class T>
concept Character = std::same_as<T, char> || std::same_as<T, wchar_t> || std::same_as<T, char8_t> ||
    std::same_as<T, char16_t> || std::same_as<T, char32_t>;
template <class T>
concept Number = std::is_arithmetic_v<T> && !Character<T>;
template <class T>
concept Stored = Number<T> && !std::same_as<T, long double>;  // of a width that the core can read
template <class T>
concept Text = std::convertible_to<T, std::string_view>;

template <class T>
inline constexpr std::int64_t kArrayExtent = 0;  // of a std::array of numbers
template <Stored T, std::size_t N>
inline constexpr std::int64_t kArrayExtent<std::array<T, N>> = N;

/// Types that are read in place.
template <class R>
concept InPlace = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    (Stored<std::ranges::range_value_t<R>> || (kArrayExtent<std::ranges::range_value_t<R>> > 0));
template <class T>
inline constexpr bool kBraces = false;  // an initializer_list does not outlive its expression
template <class T>
inline constexpr bool kBraces<std::initializer_list<T>> = true;
template <class R>
concept Readable =
    std::ranges::input_range<R> && !Text<R> && !kBraces<std::remove_cvref_t<R>> &&
    (InPlace<R> || Number<std::ranges::range_value_t<R>> || Text<std::ranges::range_reference_t<R>> ||
     (std::ranges::input_range<std::ranges::range_reference_t<R>> &&
      Number<std::ranges::range_value_t<std::ranges::range_reference_t<R>>>));

}  // namespace detail

/// Extents or strides: {rows, columns}, of any integer type.
class Extents {
 public:
  template <std::integral... I>
  Extents(I... extents) : values_{static_cast<std::int64_t>(extents)...} {}  // NOLINT: made to be converted
  [[nodiscard]] const std::vector<std::int64_t>& values() const { return values_; }

 private:
  std::vector<std::int64_t> values_;
};

/// Contiguous numbers of a named variable, and whatever a span or a pointer refers to, are not copied and
/// must outlive the items made from them. Temporaries and moved vectors are kept; text, vector<bool>, long
/// double, vectors of vectors and ranges that are not contiguous are copied.
class Data {
 public:
  Data() = default;  ///< not given
  /// One number or name per item. A range of std::array or of ranges has the columns of its elements.
  template <detail::Readable R>
  requires(!std::same_as<std::remove_cvref_t<R>, Data>) Data(R&& values) {  // NOLINT: made to be converted
    read(std::forward<R>(values), {});
  }
  /// Row-major rows with this many columns.
  template <detail::Readable R>
  Data(R&& values, std::integral auto columns) {
    read(std::forward<R>(values), {kAll, static_cast<std::int64_t>(columns)});
  }
  /// Row-major, of any rank: {samples, rows, columns}.
  template <detail::Readable R>
  Data(R&& values, const Extents& shape) {
    read(std::forward<R>(values), shape.values());
  }
  template <detail::Stored T>
  Data(const T* first, const Extents& shape) {
    view(detail::dtype_of<T>(), first, kUnknown, shape.values(), {});
  }
  /// Element (i, j) is first[i * strides[0] + j * strides[1]]; a stride may be negative.
  template <detail::Stored T>
  Data(const T* first, const Extents& shape, const Extents& strides) {
    view(detail::dtype_of<T>(), first, kUnknown, shape.values(), strides.values());
  }
  /// An array of the core, which also has float16 and the other endianness.
  Data(Array array) : given_(true), array_(std::move(array)) {}  // NOLINT: made to be converted

  [[nodiscard]] bool given() const { return given_; }
  /// The values as rows; messages call them `name`. Empty when not given. InputError for a null pointer and
  /// for a shape that the values do not fill.
  [[nodiscard]] Rows rows(const std::string& name) const;

 private:
  static constexpr std::int64_t kAll = -1;      // as many rows as there are
  static constexpr std::int64_t kUnknown = -1;  // a pointer does not tell how many values it has

  template <class R>
  void read(R&& values, std::vector<std::int64_t> shape) {
    using Element = std::ranges::range_value_t<R>;
    if constexpr (detail::InPlace<R>) {
      if constexpr (std::is_lvalue_reference_v<R> || std::ranges::borrowed_range<R>) {
        look(values, std::move(shape));
      } else {
        const auto kept = std::make_shared<const std::remove_cvref_t<R>>(std::forward<R>(values));
        look(*kept, std::move(shape));
        array_.owner = kept;
      }
    } else if constexpr (detail::Number<Element>) {
      using Kept =
          std::conditional_t<std::same_as<Element, bool>, std::uint8_t,
                             std::conditional_t<std::same_as<Element, long double>, double, Element>>;
      std::vector<Kept> copy;
      for (auto&& x : values) copy.push_back(static_cast<Kept>(x));
      read(std::move(copy), std::move(shape));
    } else if constexpr (detail::Text<std::ranges::range_reference_t<R>>) {
      std::vector<std::string> copy;
      for (auto&& x : values) copy.emplace_back(std::string_view(x));
      take(std::move(copy), std::move(shape));
    } else {
      read_nested(values, std::move(shape));
    }
  }
  template <class R>
  void look(const R& values, std::vector<std::int64_t> shape) {
    using Element = std::ranges::range_value_t<R>;
    const auto n = static_cast<std::int64_t>(std::ranges::size(values));
    if constexpr (constexpr std::int64_t kColumns = detail::kArrayExtent<Element>; kColumns > 0) {
      if (shape.empty()) shape = {n, kColumns};
      view(detail::dtype_of<typename Element::value_type>(), std::ranges::data(values), n * kColumns,
           std::move(shape), {});
    } else {
      view(detail::dtype_of<Element>(), std::ranges::data(values), n, std::move(shape), {});
    }
  }
  template <class R>
  void read_nested(R&& rows, std::vector<std::int64_t> shape) {
    std::vector<std::ranges::range_value_t<std::ranges::range_reference_t<R>>> copy;
    std::int64_t n = 0, columns = 0, ragged = 0;
    for (auto&& row : rows) {
      const auto before = std::ssize(copy);
      for (auto&& x : row) copy.push_back(x);
      if (n++ == 0) columns = std::ssize(copy);
      if (std::ssize(copy) - before != columns && ragged == 0) ragged = n;
    }
    if (shape.empty() && ragged == 0) shape = {n, columns};
    read(std::move(copy), std::move(shape));
    if (ragged > 0) refuse_ragged(ragged - 1, columns);
  }

  void view(DType dtype, const void* first, std::int64_t count, std::vector<std::int64_t> shape,
            std::vector<std::int64_t> strides);
  void take(std::vector<std::string> text, std::vector<std::int64_t> shape);
  void refuse_ragged(std::int64_t row, std::int64_t columns);
  [[nodiscard]] bool fits(std::int64_t count, std::vector<std::int64_t>& shape);

  bool given_ = false;
  Array array_;
  std::string complaint_;  // what rows() throws, once the name is known
};

}  // namespace plumb
