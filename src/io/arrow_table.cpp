#include "io/arrow_table.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "io/text.hpp"
#include "plumb/data/check.hpp"

namespace plumb::detail {
namespace {

Array rows_of_numbers(DType dtype, const std::byte* data, std::int64_t rows, std::int64_t width,
                      std::shared_ptr<const void> owner) {
  Array a;
  a.dtype = dtype;
  const std::int64_t size = dtype_size(dtype);
  a.shape = width == 1 ? std::vector{rows} : std::vector{rows, width};
  a.strides = width == 1 ? std::vector{size} : std::vector{size * width, size};
  a.data = data;
  a.owner = std::move(owner);
  return a;
}

void widen_numbers(DType from, const std::byte* data, std::int64_t count, double* to) {
  if (count == 0) return;
  Rows(rows_of_numbers(from, data, count, 1, nullptr)).read(0, count, {to, static_cast<std::size_t>(count)});
}

/// Rows of `width` values each into rows of `stride` bytes.
void copy_rows(const std::byte* from, std::int64_t rows, std::int64_t bytes, std::byte* to,
               std::int64_t stride) {
  if (bytes == stride) {
    std::memcpy(to, from, rows * bytes);
    return;
  }
  for (std::int64_t r = 0; r < rows; ++r) std::memcpy(to + r * stride, from + r * bytes, bytes);
}

}  // namespace

ArrowTable::ArrowTable(std::string name, std::vector<ArrowColumn> picked, const ArrowReadOptions& options)
    : name_(std::move(name)),
      picked_(std::move(picked)),
      options_(options),
      widths_(picked_.size(), 0),
      numbers_(std::make_shared<GrowingBytes>(options.most_memory)) {
  bool text = options.want == Want::text, large = false;
  dtype_ = picked_[0].dtype;
  for (const ArrowColumn& c : picked_) {
    if (options.want == Want::numbers && c.is_text())
      throw InputError(name_ + c.spelled() + " holds text where numbers are needed");
    text = text || c.is_text() || (options.want == Want::names && c.cell == ArrowCell::boolean);
    large = large || c.dtype == DType::i64 || c.dtype == DType::u64;
    if (c.dtype != dtype_) dtype_ = DType::f64;
  }
  // Numbers of different types side by side are doubles, which round large ids.
  if (options.want == Want::names && large && dtype_ == DType::f64) text = true;
  if (text) dtype_ = DType::text;
}

bool ArrowTable::lend(const std::shared_ptr<const ArrowArray>& batch, Array& out) const {
  const ArrowColumn& c = picked_[0];
  const bool in_place =
      picked_.size() == 1 && dtype_ != DType::text && c.cell == ArrowCell::number && !c.dictionary;
  if (!in_place || batch->length == 0) return false;
  const bool ids = options_.want == Want::names && (dtype_ == DType::i64 || dtype_ == DType::u64);
  const ArrowPlace place{name_, c, 0};
  const ArrowValues v = values_of_column(*batch, place);
  if (ids || !missing_values(v, place).empty()) return false;
  std::vector<std::byte> none;
  const std::byte* const data = number_values(v, {}, place, none);
  struct Owners {
    std::shared_ptr<const void> batch, file;
  };
  out = rows_of_numbers(c.dtype, data, batch->length, v.width,
                        std::make_shared<const Owners>(Owners{batch, options_.owner}));
  return true;
}

ArrowValues ArrowTable::column_values(const ArrowArray& batch, std::size_t i) {
  const ArrowPlace place{name_, picked_[i], rows_};
  ArrowValues v = values_of_column(batch, place);
  if (widths_[i] == 0) widths_[i] = v.width;
  if (v.width != widths_[i])
    place.refuse(
        0, " has " + counted(v.width, "value") + " where the first list has " + std::to_string(widths_[i]));
  return v;
}

void ArrowTable::add(const ArrowArray& batch) {
  if (batch.length == 0) return;
  std::vector<ArrowValues> values;
  for (std::size_t i = 0; i < picked_.size(); ++i) values.push_back(column_values(batch, i));
  width_ = 0;
  for (const std::int64_t w : widths_) width_ += w;
  std::int64_t at = 0;
  if (dtype_ == DType::text) {
    add_text(values, batch.length);
  } else {
    std::vector<std::vector<std::uint8_t>> missing;
    for (std::size_t i = 0; i < picked_.size(); ++i) missing.push_back(checked_missing(values[i], i));
    numbers_->grow(batch.length * width_ * dtype_size(dtype_));
    for (std::size_t i = 0; i < picked_.size(); at += widths_[i++])
      copy_numbers(values[i], missing[i], i, at);
  }
  rows_ += batch.length;
}

std::vector<std::uint8_t> ArrowTable::checked_missing(const ArrowValues& v, std::size_t i) {
  const ArrowPlace place{name_, picked_[i], rows_};
  std::vector<std::uint8_t> missing = missing_values(v, place);
  if (missing.empty()) return missing;
  if (!options_.empty_is_nan)
    place.refuse((std::find(missing.begin(), missing.end(), 1) - missing.begin()) / v.width,
                 ": the value is null; fill it or drop the row");
  to_doubles();  // NaN needs a float
  return missing;
}

void ArrowTable::to_doubles() {
  if (dtype_ == DType::f64) return;
  const auto wide = std::make_shared<GrowingBytes>(options_.most_memory);
  const std::int64_t count = rows_ * width_;
  if (rows_ > 0) {
    std::byte* const to = wide->grow(count * sizeof(double));
    widen_numbers(dtype_, numbers_->data(), count, reinterpret_cast<double*>(to));
  }
  numbers_ = wide;
  dtype_ = DType::f64;
}

void ArrowTable::copy_numbers(const ArrowValues& v, const std::vector<std::uint8_t>& missing, std::size_t i,
                              std::int64_t at) {
  const ArrowPlace place{name_, picked_[i], rows_};
  std::vector<std::byte> scratch;
  const std::byte* from = number_values(v, missing, place, scratch);
  std::vector<double> wide;
  if (picked_[i].dtype != dtype_) {
    wide.resize(v.count);
    widen_numbers(picked_[i].dtype, from, v.count, wide.data());
    from = reinterpret_cast<const std::byte*>(wide.data());
  }
  const std::int64_t size = dtype_size(dtype_);
  std::byte* const to = numbers_->data() + (rows_ * width_ + at) * size;
  copy_rows(from, v.count / v.width, v.width * size, to, width_ * size);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::int64_t k = 0; k < std::ssize(missing); ++k)
    if (missing[k] != 0) std::memcpy(to + (k / v.width * width_ + k % v.width) * size, &nan, sizeof nan);
}

void ArrowTable::add_text(const std::vector<ArrowValues>& values, std::int64_t rows) {
  if (picked_.size() == 1) {
    const ArrowPlace place{name_, picked_[0], rows_};
    std::int64_t added = 0;
    const auto fill = [&](std::int64_t until) {
      for (; added < until; ++added) text_.add({});  // null is empty
    };
    for_each_text(values[0], missing_values(values[0], place), place,
                  [&](std::int64_t k, std::string_view s) {
                    fill(k);
                    text_.add(s);
                    ++added;
                  });
    return fill(values[0].count);
  }
  std::vector<std::string> cells(rows * width_);
  std::int64_t at = 0;
  for (std::size_t i = 0; i < picked_.size(); at += widths_[i++]) {
    const ArrowPlace place{name_, picked_[i], rows_};
    const ArrowValues& v = values[i];
    for_each_text(v, missing_values(v, place), place, [&](std::int64_t k, std::string_view s) {
      cells[at + k / v.width * width_ + k % v.width] = s;
    });
  }
  for (const std::string& cell : cells) text_.add(cell);
}

bool ArrowTable::rounds_as_double() const {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  const std::byte* const data = numbers_->data();
  const std::int64_t count = rows_ * width_;
  for (std::int64_t k = 0; k < count; ++k) {
    std::int64_t x = 0;
    std::memcpy(&x, data + k * sizeof x, sizeof x);
    if (x > kExact || x < (dtype_ == DType::u64 ? 0 : -kExact)) return true;
  }
  return false;
}

void ArrowTable::to_text() {
  const std::int64_t count = rows_ * width_, size = dtype_size(dtype_);
  for (std::int64_t k = 0; k < count; ++k) text_.add(number_text(dtype_, numbers_->data() + k * size));
  dtype_ = DType::text;
}

Array ArrowTable::finish() {
  if (options_.want == Want::names && (dtype_ == DType::i64 || dtype_ == DType::u64) && rounds_as_double())
    to_text();
  const std::int64_t width = std::max<std::int64_t>(1, width_);
  if (dtype_ == DType::text)
    return array_of(std::move(text_), width == 1 ? std::vector{rows_} : std::vector{rows_, width}, "");
  numbers_->close();
  const std::byte* const data = numbers_->data();
  return rows_of_numbers(dtype_, data, rows_, width, std::move(numbers_));
}

}  // namespace plumb::detail
