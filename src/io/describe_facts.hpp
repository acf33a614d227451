// Facts about numbers, order-free, and the uses they suggest.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "plumb/io/describe.hpp"

namespace plumb::detail {

struct NumberFacts {
  double min = std::numeric_limits<double>::infinity(), max = -min;
  std::int64_t finite = 0;
  bool all_integers = true, nan = false, infinite = false, sums_to_one = true;

  void add(double x) {
    if (!std::isfinite(x)) {
      (std::isnan(x) ? nan : infinite) = true;
      return;
    }
    ++finite;
    min = x < min ? x : min;
    max = x > max ? x : max;
    all_integers = all_integers && x == std::floor(x);
  }
  void add_sum(double sum) { sums_to_one = sums_to_one && std::fabs(sum - 1) <= 1e-3; }
  void merge(const NumberFacts& o) {
    min = o.min < min ? o.min : min;
    max = o.max > max ? o.max : max;
    finite += o.finite;
    all_integers = all_integers && o.all_integers;
    nan = nan || o.nan;
    infinite = infinite || o.infinite;
    sums_to_one = sums_to_one && o.sums_to_one;
  }
};

/// Fills the numeric facts of `info`, whose shape is known, and its uses.
void conclude(const NumberFacts& facts, ArrayInfo& info);
/// Uses of a text column.
void conclude_text(ArrayInfo& info);

/// Columns that share the beginning of their names.
struct ColumnGroup {
  std::string prefix;
  std::vector<std::size_t> columns;
};
[[nodiscard]] std::vector<ColumnGroup> column_groups(const std::vector<std::string>& columns);
/// A column's name, and a group, as a selection takes it; "" where the group is all there is.
[[nodiscard]] std::string as_selection(const std::string& name);
[[nodiscard]] std::string group_selection(const ColumnGroup& group, const std::vector<std::string>& columns);

/// One array from the columns of a selection: numbers or text, NaN where a value is missing.
using ReadSelection = std::function<Array(const std::string& selection)>;
/// Columns of any other table, each read by itself, and groups of columns.
[[nodiscard]] std::vector<ArrayInfo> describe_columns(const std::vector<std::string>& columns,
                                                      const std::string& path, int threads,
                                                      const ReadSelection& read);
/// Columns of a CSV, and groups of columns.
[[nodiscard]] std::vector<ArrayInfo> describe_csv(std::span<const std::byte> bytes, const std::string& path,
                                                  char delimiter, int threads);

}  // namespace plumb::detail
