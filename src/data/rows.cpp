// The class Rows of array.hpp: shards stacked along axis 0.
#include <algorithm>
#include <cstring>

#include "data/shared/growing_bytes.hpp"
#include "data/widen.hpp"
#include "plumb/data/array.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb {
namespace {

bool stackable(const Array& a, const Array& b) {
  return a.shape.size() == b.shape.size() &&
         std::equal(a.shape.begin() + 1, a.shape.end(), b.shape.begin() + 1);
}

}  // namespace

Rows::Rows(std::vector<Array> shards) : shards_(std::move(shards)) {
  for (const Array& a : shards_) {
    const Array& first = shards_.front();
    if (a.shape.empty())
      throw InputError(a.name + " is a single value; an array with at least one row is needed");
    if (!stackable(first, a))
      throw InputError(first.name + " is " + show_shape(first.shape) + " but " + a.name + " is " +
                       show_shape(a.shape) + "; shards must agree in all but the number of rows");
    if ((a.dtype == DType::text) != (first.dtype == DType::text)) {
      const bool a_text = a.dtype == DType::text;
      throw InputError((a_text ? a : first).name + " holds text but " + (a_text ? first : a).name +
                       " holds numbers; shards must be of one kind");
    }
    start_.push_back(rows_);
    rows_ += a.shape[0];
  }
  if (shards_.empty()) return;
  const Array& first = shards_.front();
  rank_ = narrow<int>(first.shape.size());
  for (std::size_t d = 1; d < first.shape.size(); ++d) width_ *= first.shape[d];
}

bool Rows::is_text() const { return !shards_.empty() && shards_.front().dtype == DType::text; }

std::size_t Rows::shard_of(std::int64_t row) const {
  if (row < 0 || row >= rows_) return shards_.size();
  return std::upper_bound(start_.begin(), start_.end(), row) - start_.begin() - 1;
}

void Rows::read(std::int64_t begin, std::int64_t end, std::span<double> out) const {
  if (begin < 0 || begin > end || end > rows_ || std::ssize(out) != (end - begin) * width_)
    throw std::out_of_range("Rows::read: rows " + std::to_string(begin) + " to " + std::to_string(end) +
                            " of " + std::to_string(rows_) + " into " + std::to_string(out.size()) +
                            " values");
  if (is_text()) throw InputError(name() + " holds text where numbers are needed");
  double* to = out.data();
  for (std::int64_t row = begin; row < end;) {
    const std::size_t s = shard_of(row);
    const std::int64_t stop = std::min(end, start_[s] + shards_[s].shape[0]);
    detail::widen_rows(shards_[s], row - start_[s], stop - start_[s], width_, to);
    to += (stop - row) * width_;
    row = stop;
  }
}

std::string_view Rows::text(std::int64_t row, std::int64_t column) const {
  if (!is_text()) throw InputError(name() + " holds numbers where text is needed");
  const std::size_t s = shard_of(row);
  if (s >= shards_.size() || column < 0 || column >= width_)
    throw std::out_of_range("Rows::text: row " + std::to_string(row) + ", column " + std::to_string(column));
  return (*shards_[s].text)[(row - start_[s]) * width_ + column];
}

std::string Rows::where(std::int64_t row) const {
  const std::size_t s = shard_of(row);
  if (s >= shards_.size()) return name() + ", row " + std::to_string(row);
  const Array& a = shards_[s];
  const std::int64_t local = row - start_[s];
  std::string text = a.name + ", row " + std::to_string(local);
  if (a.first_row > 0) text += " (line " + std::to_string(local + a.first_row) + ")";
  return text;
}

std::string Rows::name() const {
  if (shards_.empty()) return "no data";
  if (shards_.size() == 1) return shards_.front().name;
  return shards_.front().name + " (and " + std::to_string(shards_.size() - 1) + " more)";
}

Rows Rows::gather(std::span<const std::int64_t> rows) const {
  if (shards_.empty()) return {};
  const Array& first = shards_.front();
  std::vector<std::int64_t> shape = first.shape;
  shape[0] = std::ssize(rows);
  const std::string selection = name() + " (selected rows)";
  if (is_text()) {
    Texts picked;
    for (const std::int64_t r : rows)
      for (std::int64_t j = 0; j < width_; ++j) picked.add(text(r, j));
    return Rows(array_of(std::move(picked), std::move(shape), selection));
  }
  // Numbers of one type keep it (float32 stays half the size); anything else is widened.
  const bool one_type = std::all_of(shards_.begin(), shards_.end(), [&](const Array& a) {
    return a.dtype == first.dtype && a.swapped == first.swapped && (rank_ <= 2 || a.is_contiguous());
  });
  if (!one_type) {
    detail::GrowingNumbers<double> picked;
    double* to = picked.grow(rows.size() * width_);
    for (const std::int64_t r : rows) {
      read(r, r + 1, std::span(to, width_));
      to += width_;
    }
    return Rows(std::move(picked).take(std::move(shape), selection));
  }
  const std::int64_t bytes = dtype_size(first.dtype), row_bytes = width_ * bytes;
  const auto kept = std::make_shared<detail::GrowingBytes>();
  std::byte* to = kept->grow(rows.size() * row_bytes);
  for (const std::int64_t r : rows) {
    const std::size_t s = shard_of(r);
    if (s >= shards_.size()) throw std::out_of_range("Rows::gather: row " + std::to_string(r));
    const Array& a = shards_[s];
    const std::byte* const from = a.data + (r - start_[s]) * a.strides[0];
    if (rank_ != 2 || a.strides[1] == bytes) {
      if (row_bytes > 0) std::memcpy(to, from, row_bytes);
    } else {
      for (std::int64_t j = 0; j < width_; ++j) std::memcpy(to + j * bytes, from + j * a.strides[1], bytes);
    }
    to += row_bytes;
  }
  Array a;
  a.dtype = first.dtype;
  a.swapped = first.swapped;
  a.shape = std::move(shape);
  detail::set_c_order(a);
  kept->close();
  a.data = kept->data();
  a.owner = kept;
  a.name = selection;
  return Rows(std::move(a));
}

}  // namespace plumb
