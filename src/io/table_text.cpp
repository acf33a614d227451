// The text of a CSV into a Parquet or Arrow file, column by column.
#include <cmath>
#include <filesystem>
#include <optional>

#include "io/arrow_writer.hpp"
#include "io/csv_table.hpp"
#include "io/text.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/table_file.hpp"

namespace plumb {
namespace {

using namespace detail;

/// Numbers that are written back as they stand here; anything else ("007", "cat") makes the column text.
std::optional<ArrowOut> number_column(const std::string& name, const std::vector<std::string>& cells) {
  std::vector<double> values(cells.size());
  std::vector<bool> missing(cells.size());
  bool whole = true, any = false;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    missing[i] = cells[i].empty();
    if (missing[i]) continue;
    if (parse_number(cells[i], values[i]) != NumberText::good) return std::nullopt;
    const bool digits = cells[i].find_first_not_of("-0123456789") == std::string::npos;
    if (digits && cells[i] != show(values[i])) return std::nullopt;
    whole = whole && digits;
    any = true;
  }
  if (!any) return std::nullopt;
  return whole ? out_wholes(name, values, missing) : out_numbers(name, values, missing);
}

std::vector<ArrowOut> columns_of_text(const std::string& csv, const std::string& path) {
  const CsvTable t = open_csv(std::as_bytes(std::span(csv)), path, ',', std::size_t{1} << 20, 1);
  std::vector<std::vector<std::string>> cells(t.columns.size());
  for (const CsvChunk& chunk : t.chunks)
    for_each_record(t, chunk, [&](std::int64_t, const char*, std::span<const CsvField> fields) {
      for (std::size_t c = 0; c < fields.size(); ++c) cells[c].emplace_back(fields[c].text);
    });
  std::vector<ArrowOut> out;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    std::optional<ArrowOut> numbers = number_column(t.columns[c], cells[c]);
    out.push_back(numbers ? std::move(*numbers) : out_texts(t.columns[c], cells[c]));
  }
  return out;
}

}  // namespace

struct TableTextFile::Parts {
  std::string path;
  std::optional<AtomicFile> text;
  std::optional<ArrowWriter> arrow;
};

TableTextFile::TableTextFile(const std::string& path) : parts_(std::make_unique<Parts>()) {
  parts_->path = path;
  for (const char* array : {".npy", ".npz"})
    if (lower(path).ends_with(array))
      throw InputError(path + " would be an array, and this table holds text too; name it .csv or .parquet");
  if (!is_arrow_path(path)) {
    const std::string suffix = lower(std::filesystem::path(path).extension().string());
    if (!suffix.empty() && suffix != ".csv")
      throw InputError(path + ": this table is written as .csv, .parquet, .arrow or .feather, not as " +
                       suffix + "; choose one of these suffixes");
    parts_->text.emplace(path);
    return;
  }
  ArrowWriter(path,
              std::vector{out_texts("probe", {})});  // what cannot be written is reported before the work
}
TableTextFile::TableTextFile(TableTextFile&&) noexcept = default;
TableTextFile::~TableTextFile() = default;

void TableTextFile::write(const std::string& csv) {
  if (parts_->text) return parts_->text->write(csv);
  std::vector<ArrowOut> columns = columns_of_text(csv, parts_->path);
  parts_->arrow.emplace(parts_->path, columns);
  parts_->arrow->append(std::move(columns));
}

void TableTextFile::settle() {
  if (parts_->text) parts_->text->settle();
  if (parts_->arrow) parts_->arrow->settle();
}

void TableTextFile::commit() {
  if (parts_->text) parts_->text->commit();
  if (parts_->arrow) parts_->arrow->commit();
}

}  // namespace plumb
