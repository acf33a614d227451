// From a batch to the values of one column: structs, lists and offsets.
#include <algorithm>
#include <cstring>

#include "io/arrow_values.hpp"
#include "io/text.hpp"
#include "plumb/data/check.hpp"

namespace plumb::detail {
namespace {

constexpr std::int64_t kMostValues = std::int64_t{1} << 44;

void check_array(const ArrowArray* a, std::int64_t buffers, bool more, const ArrowPlace& place) {
  if (a == nullptr) place.malformed("an array is absent");
  if (a->length < 0 || a->offset < 0 || a->length > kMostValues || a->offset > kMostValues)
    place.malformed("length " + std::to_string(a->length) + " at offset " + std::to_string(a->offset));
  if (a->n_buffers < buffers || (!more && a->n_buffers > buffers))
    place.malformed(counted(a->n_buffers, "buffer") + " where " + std::to_string(buffers) + " are needed");
  if (a->n_buffers > 0 && a->buffers == nullptr) place.malformed("the list of buffers is absent");
  if (a->n_children < 0 || (a->n_children > 0 && a->children == nullptr))
    place.malformed("the list of children is absent");
}

/// Adds the bitmap of `a`; value 0 of ours is its value `first`, offset included.
void add_validity(const ArrowArray& a, std::int64_t first, ArrowValues& v, const ArrowPlace& place) {
  const auto* const bits = a.n_buffers > 0 ? static_cast<const std::uint8_t*>(a.buffers[0]) : nullptr;
  if (bits == nullptr && a.null_count > 0 && a.n_buffers > 0)
    place.malformed("nulls are counted, but not marked");
  if (bits != nullptr && a.null_count != 0) v.validity.push_back({bits, first});
}

/// Where child `i` begins: a struct's offset applies to its children as well.
const ArrowArray& child_of(const ArrowArray& parent, int i, std::int64_t first, std::int64_t count,
                           const ArrowPlace& place) {
  if (i >= parent.n_children || parent.children[i] == nullptr) place.malformed("a child is absent");
  const ArrowArray& child = *parent.children[i];
  if (child.length < 0 || first > child.length || count > child.length - first)
    place.malformed("a child has " + counted(child.length, "value") + " where " +
                    std::to_string(first + count) + " are needed");
  return child;
}

std::int64_t buffers_of(const ArrowColumn& c) {
  if (c.dictionary) return 2;
  if (c.cell == ArrowCell::null) return 0;
  return c.is_text() ? 3 : 2;
}

template <class Offset>
std::int64_t offset_at(const ArrowArray& a, std::int64_t i) {
  Offset o{};
  std::memcpy(&o, static_cast<const char*>(a.buffers[1]) + i * sizeof(Offset), sizeof(Offset));
  return o;
}

/// The child's first value, of lists that all have one length. Null lists have none.
template <class Offset>
std::int64_t begin_of_lists(const ArrowArray& a, std::int64_t first, ArrowValues& v,
                            const ArrowPlace& place) {
  if (a.buffers[1] == nullptr) place.malformed("the offsets of the lists are absent");
  const std::int64_t rows = v.count, begin = offset_at<Offset>(a, first);
  std::int64_t last = begin;
  v.width = offset_at<Offset>(a, first + 1) - begin;
  if (begin < 0 || v.width < 0 || v.width > kMostValues) place.malformed("the offsets of the lists decrease");
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t next = offset_at<Offset>(a, first + i + 1);
    if (next < last) place.malformed("the offsets of the lists decrease");
    if (next - last != v.width)
      place.refuse(i, " has " + counted(next - last, "value") + " where the first list has " +
                          std::to_string(v.width));
    last = next;
  }
  return begin;
}

/// From lists to their values: moves `first` and counts them. A null list has no values to put in its place.
const ArrowArray& values_of_lists(const ArrowArray& a, std::int64_t& first, ArrowValues& v,
                                  const ArrowPlace& place) {
  const ArrowColumn& c = place.column;
  check_array(&a, c.list == ArrowList::fixed ? 1 : 2, false, place);
  add_validity(a, first, v, place);
  v.width = c.width;
  if (v.count == 0) return a;
  for (std::int64_t i = 0; i < v.count; ++i)
    for (const ArrowValidity& bits : v.validity)
      if (!bits.valid(i)) place.refuse(i, ": the list is null; fill it or drop the row");
  v.validity.clear();
  std::int64_t begin = 0;
  if (c.list == ArrowList::list) begin = begin_of_lists<std::int32_t>(a, first, v, place);
  if (c.list == ArrowList::large_list) begin = begin_of_lists<std::int64_t>(a, first, v, place);
  if (v.width == 0) place.refuse(0, ": the list is empty");
  if (v.width > kMostValues / std::max(v.count, first + 1))
    place.malformed("lists of " + std::to_string(v.width) + " values");
  if (c.list == ArrowList::fixed) begin = first * v.width;
  v.count *= v.width;
  const ArrowArray& values = child_of(a, 0, begin, v.count, place);
  check_array(&values, 0, true, place);
  first = begin + values.offset;
  return values;
}

}  // namespace

void ArrowPlace::refuse(std::int64_t row, const std::string& what) const {
  throw InputError(table + (entries ? ", dictionary entry " : ", row ") + std::to_string(first_row + row) +
                   column.spelled() + what);
}

void ArrowPlace::malformed(const std::string& why) const {
  throw InputError(table + column.spelled() + " is not a well-formed Arrow array: " + why);
}

ArrowValues values_of_column(const ArrowArray& batch, const ArrowPlace& place) {
  const ArrowColumn& c = place.column;
  check_array(&batch, 0, true, place);
  ArrowValues v;
  v.count = batch.length;
  const ArrowArray* a = &batch;
  std::int64_t first = batch.offset;
  for (const int i : c.path) {
    add_validity(*a, first, v, place);  // a null struct has no fields
    a = &child_of(*a, i, first, v.count, place);
    check_array(a, 0, true, place);
    first += a->offset;
  }
  if (c.list != ArrowList::none) {
    a = &values_of_lists(*a, first, v, place);
    if (v.count == 0) return v;
  }
  check_array(a, buffers_of(c), c.cell == ArrowCell::utf8_view || c.cell == ArrowCell::null, place);
  add_validity(*a, first, v, place);
  v.array = a;
  v.first = first;
  return v;
}

}  // namespace plumb::detail
