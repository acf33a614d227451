// Batches into a Parquet or Arrow IPC file, byte by byte through a function of the caller.
#include <arrow/c/bridge.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include <memory>
#include <string_view>

#include "plugin.hpp"

namespace plumb::arrow_plugin {
namespace {

using arrow::Status;

class Sink : public arrow::io::OutputStream {
 public:
  Sink(PlumbArrowSink sink, void* context) : sink_(sink), context_(context) {}
  Status Close() override {
    closed_ = true;
    return Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<std::int64_t> Tell() const override { return written_; }
  using arrow::io::OutputStream::Write;
  Status Write(const void* data, std::int64_t size) override {
    if (sink_(context_, data, size) != 0) return Status::IOError("the file cannot be written");
    written_ += size;
    return Status::OK();
  }

 private:
  PlumbArrowSink sink_;
  void* context_;
  std::int64_t written_ = 0;
  bool closed_ = false;
};

struct Writer {
  std::shared_ptr<arrow::Schema> schema;
  std::shared_ptr<Sink> sink;
  std::unique_ptr<parquet::arrow::FileWriter> parquet;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> ipc;
};

}  // namespace

int create(const char* format, ArrowSchema* schema, PlumbArrowSink sink, void* context, void** writer,
           PlumbArrowError* error) {
  return answered(error, [&]() -> Status {
    auto w = std::make_unique<Writer>();
    ARROW_ASSIGN_OR_RAISE(w->schema, arrow::ImportSchema(schema));
    w->sink = std::make_shared<Sink>(sink, context);
    if (std::string_view(format) == "parquet") {
      const auto properties = parquet::WriterProperties::Builder()
                                  .compression(parquet::Compression::SNAPPY)
                                  ->enable_page_checksum()
                                  ->build();
      ARROW_ASSIGN_OR_RAISE(w->parquet, parquet::arrow::FileWriter::Open(
                                            *w->schema, arrow::default_memory_pool(), w->sink, properties));
    } else {
      ARROW_ASSIGN_OR_RAISE(w->ipc, arrow::ipc::MakeFileWriter(w->sink, w->schema));
    }
    *writer = w.release();
    return Status::OK();
  });
}

int append(void* writer, ArrowArray* batch, PlumbArrowError* error) {
  return answered(error, [&]() -> Status {
    auto& w = *static_cast<Writer*>(writer);
    ARROW_ASSIGN_OR_RAISE(const auto rows, arrow::ImportRecordBatch(batch, w.schema));
    return w.parquet ? w.parquet->WriteRecordBatch(*rows) : w.ipc->WriteRecordBatch(*rows);
  });
}

int finish(void* writer, PlumbArrowError* error) {
  return answered(error, [&]() -> Status {
    auto& w = *static_cast<Writer*>(writer);
    return w.parquet ? w.parquet->Close() : w.ipc->Close();
  });
}

void drop(void* writer) {
  (void)guarded([&] {
    delete static_cast<Writer*>(writer);
    return Status::OK();
  });
}

}  // namespace plumb::arrow_plugin
