// Inside of the Arrow reader: what the columns of a schema hold, and which of them have a meaning here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/data/array.hpp"
#include "plumb/io/arrow_c.hpp"

namespace plumb::detail {

/// How single values lie in memory.
enum class ArrowCell { number, boolean, utf8, large_utf8, utf8_view, null };
enum class ArrowList { none, list, large_list, fixed };

struct ArrowColumn {
  std::string name;       ///< "a.b" for the field b of a struct a
  std::vector<int> path;  ///< children from the batch down to the column; empty: the batch is the column
  ArrowList list = ArrowList::none;
  std::int64_t width = 1;  ///< of fixed lists
  ArrowCell cell = ArrowCell::number;
  DType dtype = DType::f64;  ///< of numbers; u8 for bool
  bool dictionary = false;
  DType index = DType::i32;  ///< of a dictionary
  std::string refused;       ///< what it holds that no flag takes, and the remedy; "": nothing of the kind

  /// What messages add to the name of the table: , column "p". Nothing for a column by itself.
  [[nodiscard]] std::string spelled() const;
  [[nodiscard]] bool is_text() const {
    return cell == ArrowCell::utf8 || cell == ArrowCell::large_utf8 || cell == ArrowCell::utf8_view;
  }
};

/// The columns of a schema, structs resolved into their fields; an array that is no table is one column.
[[nodiscard]] std::vector<ArrowColumn> columns_of_schema(const ArrowSchema& schema, const std::string& name);
/// Those that a selection names, by the rules of a CSV's header.
[[nodiscard]] std::vector<ArrowColumn> select_arrow(const std::vector<ArrowColumn>& columns,
                                                    const std::string& name, const std::string& selection);

}  // namespace plumb::detail
