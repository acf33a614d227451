// Inside of the Arrow reader: the values of one column in one batch, checked as far as the interface allows.
// The length of a buffer is not part of the interface; everything that is (lengths, offsets, counts, indices)
// is compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "io/arrow_schema.hpp"

namespace plumb::detail {

/// Bits that say which values are there.
struct ArrowValidity {
  const std::uint8_t* bits = nullptr;
  std::int64_t first = 0;  ///< the bit of the first value

  [[nodiscard]] bool valid(std::int64_t i) const {
    return (bits[(first + i) / 8] >> ((first + i) % 8) & 1) != 0;
  }
};

/// `count` values from `first` on, lists laid out one after the other.
struct ArrowValues {
  const ArrowArray* array = nullptr;
  std::int64_t first = 0, count = 0, width = 1;
  std::vector<ArrowValidity> validity;
};

/// What messages need to say where something is.
struct ArrowPlace {
  const std::string& table;
  const ArrowColumn& column;
  std::int64_t first_row = 0;
  bool entries = false;  ///< of a dictionary, instead of rows

  [[noreturn]] void refuse(std::int64_t row, const std::string& what) const;  ///< row of the batch
  [[noreturn]] void malformed(const std::string& why) const;
};

/// The values of a column; all lists have one length, which is `width`.
[[nodiscard]] ArrowValues values_of_column(const ArrowArray& batch, const ArrowPlace& place);

/// 1 for each value that is null; empty when none is.
[[nodiscard]] std::vector<std::uint8_t> missing_values(const ArrowValues& values, const ArrowPlace& place);

/// The numbers in their own type, one after the other: where they lie, or in `scratch`.
[[nodiscard]] const std::byte* number_values(const ArrowValues& values,
                                             const std::vector<std::uint8_t>& missing,
                                             const ArrowPlace& place, std::vector<std::byte>& scratch);

/// Calls f(i, text) for the values that are not missing; numbers become text that reads back exactly.
void for_each_text(const ArrowValues& values, const std::vector<std::uint8_t>& missing,
                   const ArrowPlace& place, const std::function<void(std::int64_t, std::string_view)>& f);

/// The number at `at` as text: whole numbers exactly, others in the shortest form.
[[nodiscard]] std::string number_text(DType dtype, const std::byte* at);

}  // namespace plumb::detail
