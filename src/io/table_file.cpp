#include "plumb/io/table_file.hpp"

#include <filesystem>
#include <stdexcept>

#include "data/shared/csv_field.hpp"
#include "io/arrow_writer.hpp"
#include "io/text.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/npy.hpp"

namespace plumb {
namespace {

using namespace detail;

bool has_suffix(std::string_view path, std::string_view suffix) { return lower(path).ends_with(suffix); }

}  // namespace

class TableFile::Writer {
 public:
  virtual ~Writer() = default;
  virtual void write(std::span<const double> rows) = 0;
  virtual void settle() = 0;
  virtual void commit() = 0;
};

namespace {

class NpyTable : public TableFile::Writer {
 public:
  NpyTable(const std::string& path, const std::vector<std::int64_t>& shape) : file_(path) {
    file_.write(npy_header(DType::f64, shape));
  }
  void write(std::span<const double> rows) override { file_.write(std::as_bytes(rows)); }
  void settle() override { file_.settle(); }
  void commit() override { file_.commit(); }

 private:
  AtomicFile file_;
};

class DelimitedTable : public TableFile::Writer {
 public:
  DelimitedTable(const std::string& path, const std::vector<std::string>& columns, char delimiter,
                 TableFile::RowName id)
      : file_(path), width_(std::ssize(columns)), delimiter_(delimiter), id_(std::move(id)) {
    std::string header = id_ ? "id" : "";
    for (const std::string& c : columns)
      header += (header.empty() ? "" : std::string(1, delimiter)) + csv_field(c);
    file_.write(header + "\n");
  }
  void write(std::span<const double> rows) override {
    std::string text;
    for (std::int64_t k = 0; k < std::ssize(rows); ++k) {
      if (id_ && k % width_ == 0) text += csv_field(id_(row_++)) + delimiter_;
      text += show(rows[k]) + ((k + 1) % width_ == 0 ? '\n' : delimiter_);
    }
    file_.write(text);
  }
  void settle() override { file_.settle(); }
  void commit() override { file_.commit(); }

 private:
  AtomicFile file_;
  std::int64_t width_;
  char delimiter_;
  TableFile::RowName id_;
  std::int64_t row_ = 0;
};

class ArrowRows : public TableFile::Writer {
 public:
  ArrowRows(const std::string& path, std::vector<std::string> columns, TableFile::RowName id)
      : columns_(std::move(columns)), id_(std::move(id)), file_(path, of_rows({})) {}
  void write(std::span<const double> rows) override { file_.append(of_rows(rows)); }
  void settle() override { file_.settle(); }
  void commit() override { file_.commit(); }

 private:
  [[nodiscard]] std::vector<ArrowOut> of_rows(std::span<const double> rows) {
    const std::size_t width = columns_.size(), n = rows.size() / width;
    std::vector<ArrowOut> out;
    std::vector<std::string> ids(id_ ? n : 0);
    for (std::string& name : ids) name = id_(row_++);
    if (id_) out.push_back(out_texts("id", ids));
    std::vector<double> column(n);
    for (std::size_t c = 0; c < width; ++c) {
      for (std::size_t i = 0; i < n; ++i) column[i] = rows[i * width + c];
      out.push_back(out_numbers(columns_[c], column));
    }
    return out;
  }

  std::vector<std::string> columns_;
  TableFile::RowName id_;
  std::int64_t row_ = 0;
  ArrowWriter file_;
};

std::unique_ptr<TableFile::Writer> writer_for(const std::string& path, const std::vector<std::int64_t>& shape,
                                              std::vector<std::string> columns, TableFile::RowName id) {
  if (is_arrow_path(path)) return std::make_unique<ArrowRows>(path, std::move(columns), std::move(id));
  if (has_suffix(path, ".csv")) return std::make_unique<DelimitedTable>(path, columns, ',', std::move(id));
  if (has_suffix(path, ".tsv")) return std::make_unique<DelimitedTable>(path, columns, '\t', std::move(id));
  const std::string suffix = std::filesystem::path(path).extension().string();
  if (!suffix.empty() && lower(suffix) != ".npy")
    throw InputError(path +
                     ": a table is written as .npy, .csv, .tsv, .parquet, .arrow or .feather, not as " +
                     suffix + "; choose one of these suffixes");
  if (id) throw InputError(path + " would be an array, which has no place for ids; name it .csv or .parquet");
  return std::make_unique<NpyTable>(path, shape);
}

}  // namespace

bool is_arrow_path(std::string_view path) {
  return has_suffix(path, ".parquet") || has_suffix(path, ".arrow") || has_suffix(path, ".feather") ||
         has_suffix(path, ".ipc");
}

TableFile::TableFile(const std::string& path, std::vector<std::int64_t> shape,
                     std::vector<std::string> columns, RowName id) {
  std::int64_t width = 1;
  for (std::size_t d = 1; d < shape.size(); ++d) width *= shape[d];
  if (width != std::ssize(columns))
    throw std::invalid_argument("TableFile: " + counted(std::ssize(columns), "name") + " for rows of " +
                                std::to_string(width));
  writer_ = writer_for(path, shape, std::move(columns), std::move(id));
}
TableFile::TableFile(TableFile&&) noexcept = default;
TableFile::~TableFile() = default;
void TableFile::write(std::span<const double> rows) {
  if (!rows.empty()) writer_->write(rows);
}
void TableFile::settle() { writer_->settle(); }
void TableFile::commit() { writer_->commit(); }

}  // namespace plumb
