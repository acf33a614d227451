// Results as files that others read: the suffix of the name decides between .npy, .csv, .tsv, .parquet,
// .arrow and .feather. Each file appears complete or not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// Rows of numbers that come by blocks.
class TableFile {
 public:
  using RowName = std::function<std::string(std::int64_t row)>;

  /// `shape` is that of the whole array, rows first; `columns` names the values of a row, as many as the
  /// other extents hold (a .npy has no names). Any other suffix means .npy. Throws InputError when the file
  /// cannot be written. With `id` a table has a first column of that name; a .npy has no place for it, which
  /// is refused.
  TableFile(const std::string& path, std::vector<std::int64_t> shape, std::vector<std::string> columns,
            RowName id = nullptr);
  TableFile(TableFile&&) noexcept;
  ~TableFile();

  void write(std::span<const double> rows);  ///< whole rows
  void settle();                             ///< as AtomicFile
  void commit();

  class Writer;

 private:
  std::unique_ptr<Writer> writer_;
};

/// The text of a CSV as a file: as it is, or with its columns as those of a Parquet or Arrow file. Columns of
/// whole numbers are int64, of numbers float64, with null for what is empty; any other is text. A name that
/// ends in .npy is refused.
class TableTextFile {
 public:
  explicit TableTextFile(const std::string& path);
  TableTextFile(TableTextFile&&) noexcept;
  ~TableTextFile();

  void write(const std::string& csv);  ///< once
  void settle();
  void commit();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Whether a name ends like a table that is written through the Arrow plugin.
[[nodiscard]] bool is_arrow_path(std::string_view path);

}  // namespace plumb
