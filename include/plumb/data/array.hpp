// A read-only n-dimensional array in a file or in memory, and several of them stacked along axis 0 (shards).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "plumb/data/texts.hpp"

namespace plumb {

enum class DType { i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64, text };
[[nodiscard]] const char* dtype_name(DType t);  ///< "int8" ... "float64", "text"
[[nodiscard]] int dtype_size(DType t);          ///< bytes; 0 for text

namespace detail {

/// The type of a number in memory, except long double.
template <class T>
constexpr DType dtype_of() {
  constexpr DType kSigned[] = {DType::i8, DType::i16, DType::i32, DType::i64};
  constexpr DType kUnsigned[] = {DType::u8, DType::u16, DType::u32, DType::u64};
  if (std::is_floating_point_v<T>) return sizeof(T) == sizeof(float) ? DType::f32 : DType::f64;
  return (std::is_signed_v<T> ? kSigned : kUnsigned)[std::bit_width(sizeof(T)) - 1];
}

}  // namespace detail

/// Numbers stay in place (a mapped file, a parsed column) and are converted only when they are read.
struct Array {
  DType dtype = DType::f64;
  bool swapped = false;  ///< the other endianness than this machine's
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  ///< in bytes; Fortran order is only other strides
  const std::byte* data = nullptr;    ///< null for text
  std::shared_ptr<const void> owner;  ///< keeps data alive: a mapping, a vector
  std::shared_ptr<const Texts> text;  ///< dtype text: one per element, C order
  std::string name;                   ///< what messages call it: "probs.npy", "votes.csv:a,b", "a.npz:probs"
  std::vector<std::string> columns;   ///< of a table that has a header, otherwise empty
  std::int64_t first_row = 0;         ///< offset of the row number in messages (CSV: 2, the header is line 1)

  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] bool is_contiguous() const;  ///< C order without gaps
};

/// Makes an Array over a vector that it then owns: of double, float, int32, int64, uint8 or std::string.
template <class T>
[[nodiscard]] Array array_of(std::vector<T> values, std::vector<std::int64_t> shape, std::string name);
[[nodiscard]] Array array_of(Texts texts, std::vector<std::int64_t> shape, std::string name);
/// Makes an Array over memory that the caller keeps alive: of double, float, int32, int64 or uint8.
template <class T>
[[nodiscard]] Array view_of(std::span<const T> values, std::vector<std::int64_t> shape, std::string name);

/// Shards stacked along axis 0, seen as rows of `width` numbers (the product of the other extents).
class Rows {
 public:
  Rows() = default;
  /// Throws std::invalid_argument when shapes or kinds (text, number) differ.
  explicit Rows(std::vector<Array> shards);
  explicit Rows(Array one) : Rows(std::vector<Array>{std::move(one)}) {}

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t width() const { return width_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] bool empty() const { return shards_.empty(); }
  [[nodiscard]] bool is_text() const;
  [[nodiscard]] const std::vector<Array>& shards() const { return shards_; }

  /// Rows [begin, end) widened to double, row-major: out.size() == (end - begin) * width.
  /// Integers beyond 2^53 round; int64 labels that large fail their range check anyway.
  void read(std::int64_t begin, std::int64_t end, std::span<double> out) const;
  [[nodiscard]] std::string_view text(std::int64_t row, std::int64_t column = 0) const;

  /// A pointer to row `begin` when [begin, end) lies in one contiguous native shard of this type,
  /// otherwise null.
  template <class T>
  [[nodiscard]] const T* contiguous(std::int64_t begin, std::int64_t end) const;

  /// "probs.npy, row 17" for messages; rows count from 0 in arrays, CSV rows also tell the line of the file.
  [[nodiscard]] std::string where(std::int64_t row) const;
  /// The name of the shard (or "a.npy and 6 more").
  [[nodiscard]] std::string name() const;

  /// The same rows in another order or a part of them, copied (slices, splits).
  [[nodiscard]] Rows gather(std::span<const std::int64_t> rows) const;

 private:
  [[nodiscard]] std::size_t shard_of(std::int64_t row) const;  // shards_.size() when out of range

  std::vector<Array> shards_;
  std::vector<std::int64_t> start_;  // first row of each shard
  std::int64_t rows_ = 0, width_ = 1;
  int rank_ = 1;
};

}  // namespace plumb
