// Numbers, texts and nulls of one column in one batch.
#include "io/arrow_values.hpp"

#include <charconv>
#include <cstring>

#include "io/text.hpp"
#include "plumb/data/check.hpp"

namespace plumb::detail {
namespace {

/// A whole number of this type, the usual one without a detour.
std::int64_t stored_index(const char* numbers, std::int64_t i, DType dtype) {
  if (dtype == DType::i32) {
    std::int32_t index = 0;
    std::memcpy(&index, numbers + i * sizeof index, sizeof index);
    return index;
  }
  const int size = dtype_size(dtype);
  std::uint64_t bits = 0;
  std::memcpy(&bits, numbers + i * size, size);
  const bool is_signed = dtype <= DType::i64;
  if (is_signed && size < 8)
    bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << (64 - 8 * size)) >> (64 - 8 * size));
  return static_cast<std::int64_t>(bits);
}

/// Entry i of a dictionary's index; the caller knows that it is not missing.
std::int64_t dictionary_index(const ArrowValues& v, std::int64_t i, const ArrowPlace& place) {
  const std::int64_t index =
      stored_index(static_cast<const char*>(v.array->buffers[1]), v.first + i, place.column.index);
  if (index < 0 || index >= v.array->dictionary->length)
    place.refuse(i / v.width, ": entry " + std::to_string(index) + " of a dictionary of " +
                                  std::to_string(v.array->dictionary->length));
  return index;
}

/// The entries of a dictionary as a column of their own.
struct Dictionary {
  ArrowColumn column;
  ArrowPlace place;
  ArrowValues entries;

  Dictionary(const ArrowValues& v, const ArrowPlace& outer)
      : column(outer.column), place{outer.table, column, 0, true} {
    if (v.array->dictionary == nullptr) outer.malformed("the dictionary is absent");
    if (v.count > 0 && v.array->buffers[1] == nullptr)
      outer.malformed("the index of the dictionary is absent");
    column.dictionary = false;
    column.list = ArrowList::none;
    column.path = {0};
    // As the only column of a batch, so that the same checks apply.
    ArrowArray* child = v.array->dictionary;
    ArrowArray batch{};
    batch.length = child->length;
    batch.n_children = 1;
    batch.children = &child;
    entries = values_of_column(batch, place);
  }
};

void expand_bits(const ArrowValues& v, std::byte* out) {
  const ArrowValidity bits{static_cast<const std::uint8_t*>(v.array->buffers[1]), v.first};
  for (std::int64_t i = 0; i < v.count; ++i) out[i] = std::byte{bits.valid(i)};
}

template <class Offset>
std::string_view text_at(const ArrowValues& v, std::int64_t i, const ArrowPlace& place) {
  Offset ends[2];
  std::memcpy(ends, static_cast<const char*>(v.array->buffers[1]) + (v.first + i) * sizeof(Offset),
              sizeof ends);
  const auto* const data = static_cast<const char*>(v.array->buffers[2]);
  if (ends[0] < 0 || ends[1] < ends[0]) place.malformed("the offsets of the texts decrease");
  if (ends[0] == ends[1]) return {};
  if (data == nullptr) place.malformed("the texts are absent");
  return {data + ends[0], static_cast<std::size_t>(ends[1] - ends[0])};
}

/// A view: up to 12 bytes in place, otherwise a part of one of the buffers behind it, whose sizes come last.
std::string_view view_at(const ArrowValues& v, std::int64_t i, const ArrowPlace& place) {
  const char* const at = static_cast<const char*>(v.array->buffers[1]) + (v.first + i) * 16;
  std::int32_t part[4];
  std::memcpy(part, at, sizeof part);
  const auto [size, prefix, buffer, begin] = part;
  if (size < 0) place.malformed("a text of negative length");
  if (size <= 12) return {at + 4, static_cast<std::size_t>(size)};
  const std::int64_t buffers = v.array->n_buffers - 3;
  const void* const sizes = v.array->buffers[v.array->n_buffers - 1];
  if (buffer < 0 || buffer >= buffers || begin < 0 || sizes == nullptr)
    place.malformed("a text outside of its buffers");
  std::int64_t length = 0;
  std::memcpy(&length, static_cast<const char*>(sizes) + buffer * sizeof length, sizeof length);
  const auto* const data = static_cast<const char*>(v.array->buffers[2 + buffer]);
  if (data == nullptr || std::int64_t{begin} + size > length)
    place.malformed("a text outside of its buffers");
  return {data + begin, static_cast<std::size_t>(size)};
}

std::string_view cell_text(const ArrowValues& v, std::int64_t i, const ArrowPlace& place) {
  switch (place.column.cell) {
    case ArrowCell::utf8:
      return text_at<std::int32_t>(v, i, place);
    case ArrowCell::large_utf8:
      return text_at<std::int64_t>(v, i, place);
    default:
      return view_at(v, i, place);
  }
}

void need_values(const ArrowValues& v, const ArrowPlace& place) {
  if (v.count > 0 && place.column.cell != ArrowCell::null && v.array->buffers[1] == nullptr)
    place.malformed("the values are absent");
}

template <class T>
std::string whole_text(const std::byte* at) {
  T value{};
  std::memcpy(&value, at, sizeof value);
  return std::to_string(value);
}

}  // namespace

std::string number_text(DType dtype, const std::byte* at) {
  using Text = std::string (*)(const std::byte*);
  constexpr Text kWhole[] = {whole_text<std::int8_t>,   whole_text<std::int16_t>, whole_text<std::int32_t>,
                             whole_text<std::int64_t>,  whole_text<std::uint8_t>, whole_text<std::uint16_t>,
                             whole_text<std::uint32_t>, whole_text<std::uint64_t>};
  if (dtype <= DType::u64) return kWhole[static_cast<std::size_t>(dtype)](at);
  Array one;
  one.dtype = dtype;
  one.shape = {1};
  one.strides = {dtype_size(dtype)};
  one.data = at;
  double value = 0;
  Rows(std::move(one)).read(0, 1, {&value, 1});
  return show(value);
}

std::vector<std::uint8_t> missing_values(const ArrowValues& v, const ArrowPlace& place) {
  std::vector<std::uint8_t> missing;
  if (v.count == 0) return missing;
  if (place.column.cell == ArrowCell::null && !place.column.dictionary) {
    missing.assign(v.count, 1);
    return missing;
  }
  const auto mark = [&](std::int64_t i) {
    if (missing.empty()) missing.assign(v.count, 0);
    missing[i] = 1;
  };
  for (const ArrowValidity& bits : v.validity)
    for (std::int64_t i = 0; i < v.count; ++i)
      if (!bits.valid(i)) mark(i);
  if (!place.column.dictionary) return missing;
  const Dictionary dictionary(v, place);
  const std::vector<std::uint8_t> absent = missing_values(dictionary.entries, dictionary.place);
  for (std::int64_t i = 0; !absent.empty() && i < v.count; ++i)
    if ((missing.empty() || missing[i] == 0) && absent[dictionary_index(v, i, place)] != 0) mark(i);
  return missing;
}

const std::byte* number_values(const ArrowValues& v, const std::vector<std::uint8_t>& missing,
                               const ArrowPlace& place, std::vector<std::byte>& scratch) {
  const int size = dtype_size(place.column.dtype);
  if (place.column.dictionary) {
    const Dictionary dictionary(v, place);
    std::vector<std::byte> own;
    const std::byte* const entries = number_values(dictionary.entries, {}, dictionary.place, own);
    scratch.assign(v.count * size, std::byte{0});
    for (std::int64_t i = 0; i < v.count; ++i)
      if (missing.empty() || missing[i] == 0)
        std::memcpy(&scratch[i * size], entries + dictionary_index(v, i, place) * size, size);
    return scratch.data();
  }
  need_values(v, place);
  if (v.count == 0 || place.column.cell == ArrowCell::null || place.column.cell == ArrowCell::boolean) {
    scratch.assign(v.count * size, std::byte{0});
    if (v.count > 0 && place.column.cell == ArrowCell::boolean) expand_bits(v, scratch.data());
    return scratch.data();
  }
  return static_cast<const std::byte*>(v.array->buffers[1]) + v.first * size;
}

void for_each_text(const ArrowValues& v, const std::vector<std::uint8_t>& missing, const ArrowPlace& place,
                   const std::function<void(std::int64_t, std::string_view)>& f) {
  const auto there = [&](std::int64_t i) { return missing.empty() || missing[i] == 0; };
  if (place.column.dictionary) {
    const Dictionary dictionary(v, place);
    std::vector<std::string> entries(dictionary.entries.count);
    const auto absent = missing_values(dictionary.entries, dictionary.place);
    for_each_text(dictionary.entries, absent, dictionary.place,
                  [&](std::int64_t i, std::string_view s) { entries[i] = s; });
    for (std::int64_t i = 0; i < v.count; ++i)
      if (there(i)) f(i, entries[dictionary_index(v, i, place)]);
    return;
  }
  need_values(v, place);
  if (!place.column.is_text()) {
    std::vector<std::byte> scratch;
    const std::byte* const numbers = number_values(v, missing, place, scratch);
    const int size = dtype_size(place.column.dtype);
    const bool boolean = place.column.cell == ArrowCell::boolean;
    for (std::int64_t i = 0; i < v.count; ++i)
      if (there(i))
        f(i, boolean ? (numbers[i] == std::byte{0} ? "false" : "true")
                     : number_text(place.column.dtype, numbers + i * size));
    return;
  }
  for (std::int64_t i = 0; i < v.count; ++i) {
    if (!there(i)) continue;
    const std::string_view s = cell_text(v, i, place);
    if (!valid_utf8(s)) place.refuse(i / v.width, ": the text is not UTF-8");
    f(i, s);
  }
}

}  // namespace plumb::detail
