#include "plumb/api/data.hpp"

#include <limits>

#include "plumb/data/check.hpp"

namespace plumb {

/// Determines the shape of `count` values, or records what is wrong with it.
bool Data::fits(std::int64_t count, std::vector<std::int64_t>& shape) {
  given_ = true;
  if (shape.empty()) shape = {count};
  if (shape.size() == 2 && shape[0] == kAll && count != kUnknown) {
    if (shape[1] < 1 || count % shape[1] != 0) {
      complaint_ = " has " + counted(count, "value") + ", which do not fill rows of " +
                   counted(shape[1], "column") + "; give the number of columns as {values, columns}";
      return false;
    }
    shape[0] = count / shape[1];
  }
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 16;
    if (extent < 0 || (extent > 0 && elements > kMost / extent)) {
      complaint_ = " has the shape " + show_shape(shape) + "; extents must be 0 or more and fit in memory";
      return false;
    }
    elements *= extent;
  }
  if (count == kUnknown || count == elements) return true;
  complaint_ = " has " + counted(count, "value") + " but the shape " + show_shape(shape) + " takes " +
               std::to_string(elements);
  return false;
}

void Data::view(DType dtype, const void* first, std::int64_t count, std::vector<std::int64_t> shape,
                std::vector<std::int64_t> strides) {
  if (!fits(count, shape)) return;
  if (!strides.empty() && strides.size() != shape.size()) {
    complaint_ =
        " has " + counted(std::ssize(shape), "extent") + " but " + counted(std::ssize(strides), "stride");
    return;
  }
  array_.dtype = dtype;
  array_.data = static_cast<const std::byte*>(first);
  array_.shape = std::move(shape);
  if (first == nullptr && array_.size() > 0) complaint_ = " is a null pointer";
  if (strides.empty()) {
    strides.assign(array_.shape.size(), 1);
    for (std::size_t d = array_.shape.size() - 1; d > 0; --d) strides[d - 1] = strides[d] * array_.shape[d];
  }
  for (std::int64_t& stride : strides) stride *= dtype_size(dtype);
  array_.strides = std::move(strides);
}

void Data::take(std::vector<std::string> text, std::vector<std::int64_t> shape) {
  if (fits(std::ssize(text), shape)) array_ = array_of(std::move(text), std::move(shape), "");
}

void Data::refuse_ragged(std::int64_t row, std::int64_t columns) {
  complaint_ =
      ", row " + std::to_string(row) + " does not have the " + counted(columns, "column") + " of row 0";
}

Rows Data::rows(const std::string& name) const {
  if (!given_) return {};
  if (!complaint_.empty()) throw InputError(name + complaint_);
  Array named = array_;
  named.name = name;
  return Rows(std::move(named));
}

}  // namespace plumb
