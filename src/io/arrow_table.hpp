// Inside of the Arrow reader: batch after batch becomes rows of all selected columns side by side, numbers of
// one type or text.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "data/shared/growing_bytes.hpp"
#include "io/arrow_values.hpp"
#include "plumb/io/arrow_stream.hpp"

namespace plumb::detail {

class ArrowTable {
 public:
  /// `picked` are the columns of select_arrow(); text where numbers are needed is refused.
  ArrowTable(std::string name, std::vector<ArrowColumn> picked, const ArrowReadOptions& options);

  /// The values of the only batch where they lie, if that can be.
  [[nodiscard]] bool lend(const std::shared_ptr<const ArrowArray>& batch, Array& out) const;
  void add(const ArrowArray& batch);
  [[nodiscard]] Array finish();

 private:
  [[nodiscard]] ArrowValues column_values(const ArrowArray& batch, std::size_t i);
  [[nodiscard]] std::vector<std::uint8_t> checked_missing(const ArrowValues& values, std::size_t i);
  void copy_numbers(const ArrowValues& values, const std::vector<std::uint8_t>& missing, std::size_t i,
                    std::int64_t at);
  void add_text(const std::vector<ArrowValues>& values, std::int64_t rows);
  void to_text();
  void to_doubles();
  [[nodiscard]] bool rounds_as_double() const;

  std::string name_;
  std::vector<ArrowColumn> picked_;
  ArrowReadOptions options_;
  std::vector<std::int64_t> widths_;  // of the columns; 0: not known yet
  DType dtype_ = DType::f64;
  std::int64_t rows_ = 0, width_ = 0;
  std::shared_ptr<GrowingBytes> numbers_;
  Texts text_;
};

}  // namespace plumb::detail
