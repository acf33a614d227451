// Parquet and Arrow IPC files as streams of batches. The format is known by the first bytes.
#include <arrow/buffer.h>
#include <arrow/c/bridge.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/thread_pool.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/types.h>

#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "plugin.hpp"

namespace plumb::arrow_plugin {
namespace {

using arrow::Result;
using arrow::Status;

constexpr std::int64_t kBatchRows = 1 << 17;

/// Batches of another reader. Errors come as a Status, and what a file claims about itself is checked where
/// Arrow takes it as it is.
class Batches : public arrow::RecordBatchReader {
 public:
  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }
  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    return guarded([&] {
      ARROW_RETURN_NOT_OK(next(batch));
      return *batch != nullptr && claims_ ? (*batch)->ValidateFull() : Status::OK();
    });
  }

 protected:
  Batches(std::shared_ptr<arrow::Schema> schema, bool claims) : schema_(std::move(schema)), claims_(claims) {}
  virtual Status next(std::shared_ptr<arrow::RecordBatch>* batch) = 0;

 private:
  std::shared_ptr<arrow::Schema> schema_;
  bool claims_;
};

class ParquetBatches : public Batches {
 public:
  ParquetBatches(std::unique_ptr<parquet::arrow::FileReader> file,
                 std::unique_ptr<arrow::RecordBatchReader> batches)
      : Batches(batches->schema(), false), file_(std::move(file)), batches_(std::move(batches)) {}

 private:
  Status next(std::shared_ptr<arrow::RecordBatch>* batch) override { return batches_->ReadNext(batch); }
  std::unique_ptr<parquet::arrow::FileReader> file_;  // outlives the batches
  std::unique_ptr<arrow::RecordBatchReader> batches_;
};

class IpcFileBatches : public Batches {
 public:
  explicit IpcFileBatches(std::shared_ptr<arrow::ipc::RecordBatchFileReader> file)
      : Batches(file->schema(), true), file_(std::move(file)) {}

 private:
  Status next(std::shared_ptr<arrow::RecordBatch>* batch) override {
    if (at_ == file_->num_record_batches()) {
      *batch = nullptr;
      return Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(*batch, file_->ReadRecordBatch(at_++));
    return Status::OK();
  }
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> file_;
  int at_ = 0;
};

class IpcStreamBatches : public Batches {
 public:
  explicit IpcStreamBatches(std::shared_ptr<arrow::RecordBatchReader> stream)
      : Batches(stream->schema(), true), stream_(std::move(stream)) {}

 private:
  Status next(std::shared_ptr<arrow::RecordBatch>* batch) override { return stream_->ReadNext(batch); }
  std::shared_ptr<arrow::RecordBatchReader> stream_;
};

std::shared_ptr<arrow::io::BufferReader> file_of(const void* bytes, std::int64_t size) {
  return std::make_shared<arrow::io::BufferReader>(
      std::make_shared<arrow::Buffer>(static_cast<const std::uint8_t*>(bytes), size));
}

bool begins(const void* bytes, std::int64_t size, std::string_view mark) {
  return size >= static_cast<std::int64_t>(mark.size()) && std::memcmp(bytes, mark.data(), mark.size()) == 0;
}

bool refers_to_dictionary(const parquet::ColumnChunkMetaData& chunk) {
  bool any = false;
  for (const parquet::PageEncodingStats& s : chunk.encoding_stats()) {
    if (s.page_type != parquet::PageType::DATA_PAGE && s.page_type != parquet::PageType::DATA_PAGE_V2)
      continue;
    any = true;
    if (s.encoding != parquet::Encoding::PLAIN_DICTIONARY && s.encoding != parquet::Encoding::RLE_DICTIONARY)
      return false;
  }
  return any;
}

/// Text that refers to dictionaries throughout is handed on in that form: each entry is decoded once, not
/// each row. Arrow cannot do so inside of structs and lists, and for text of many distinct values it would
/// have to find the entries first.
void keep_dictionaries(const parquet::FileMetaData& file, parquet::ArrowReaderProperties& properties) {
  for (int c = 0; c < file.num_columns(); ++c) {
    const parquet::ColumnDescriptor& column = *file.schema()->Column(c);
    bool coded = column.physical_type() == parquet::Type::BYTE_ARRAY && column.logical_type() != nullptr &&
                 column.logical_type()->is_string() && column.path()->ToDotVector().size() == 1 &&
                 file.num_row_groups() > 0;
    for (int g = 0; coded && g < file.num_row_groups(); ++g)
      coded = refers_to_dictionary(*file.RowGroup(g)->ColumnChunk(c));
    if (coded) properties.set_read_dictionary(c, true);
  }
}

Result<std::unique_ptr<parquet::arrow::FileReader>> open_parquet(const void* bytes, std::int64_t size) {
  parquet::ReaderProperties properties;
  properties.set_page_checksum_verification(true);
  parquet::ArrowReaderProperties arrow_properties;
  arrow_properties.set_batch_size(kBatchRows);
  arrow_properties.set_use_threads(true);
  arrow_properties.set_pre_buffer(false);  // the file is in memory
  parquet::arrow::FileReaderBuilder builder;
  ARROW_RETURN_NOT_OK(builder.Open(file_of(bytes, size), properties));
  keep_dictionaries(*builder.raw_reader()->metadata(), arrow_properties);
  builder.properties(arrow_properties);
  return builder.Build();
}

void add_leaves(const parquet::arrow::SchemaField& field, std::vector<int>& leaves) {
  if (field.is_leaf()) leaves.push_back(field.column_index);
  for (const auto& child : field.children) add_leaves(child, leaves);
}

Result<std::shared_ptr<Batches>> parquet_batches(const void* bytes, std::int64_t size,
                                                 const std::vector<int>& fields) {
  ARROW_ASSIGN_OR_RAISE(auto file, open_parquet(bytes, size));
  std::vector<int> leaves, groups;
  for (const int f : fields) add_leaves(file->manifest().schema_fields.at(f), leaves);
  for (int i = 0; i < file->num_row_groups(); ++i) groups.push_back(i);
  ARROW_ASSIGN_OR_RAISE(auto batches, file->GetRecordBatchReader(groups, leaves));
  return std::make_shared<ParquetBatches>(std::move(file), std::move(batches));
}

/// All fields when `fields` is empty.
Result<std::shared_ptr<Batches>> ipc_batches(const void* bytes, std::int64_t size,
                                             const std::vector<int>& fields) {
  arrow::ipc::IpcReadOptions options;
  options.included_fields = fields;
  if (begins(bytes, size, "ARROW1")) {
    ARROW_ASSIGN_OR_RAISE(auto file, arrow::ipc::RecordBatchFileReader::Open(file_of(bytes, size), options));
    return std::make_shared<IpcFileBatches>(std::move(file));
  }
  const std::shared_ptr<arrow::io::InputStream> input = file_of(bytes, size);
  ARROW_ASSIGN_OR_RAISE(auto stream, arrow::ipc::RecordBatchStreamReader::Open(input, options));
  return std::make_shared<IpcStreamBatches>(std::move(stream));
}

}  // namespace

int schema(const void* bytes, int64_t size, ArrowSchema* out, PlumbArrowError* error) {
  return answered(error, [&]() -> Status {
    std::shared_ptr<arrow::Schema> found;
    if (begins(bytes, size, "PAR1")) {
      ARROW_ASSIGN_OR_RAISE(const auto file, open_parquet(bytes, size));
      ARROW_RETURN_NOT_OK(file->GetSchema(&found));
    } else {
      ARROW_ASSIGN_OR_RAISE(const auto batches, ipc_batches(bytes, size, {}));
      found = batches->schema();
    }
    return arrow::ExportSchema(*found, out);
  });
}

int open(const void* bytes, int64_t size, const int32_t* fields, int32_t n_fields, int32_t threads,
         ArrowArrayStream* out, PlumbArrowError* error) {
  return answered(error, [&]() -> Status {
    if (threads > 0) ARROW_RETURN_NOT_OK(arrow::SetCpuThreadPoolCapacity(threads));
    const std::vector<int> wanted(fields, fields + n_fields);
    const bool is_parquet = begins(bytes, size, "PAR1");
    ARROW_ASSIGN_OR_RAISE(
        auto batches, is_parquet ? parquet_batches(bytes, size, wanted) : ipc_batches(bytes, size, wanted));
    return arrow::ExportRecordBatchReader(std::move(batches), out);
  });
}

}  // namespace plumb::arrow_plugin
