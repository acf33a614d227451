#include "io/arrow_writer.hpp"

#include "io/arrow_library.hpp"
#include "io/text.hpp"
#include "plumb/data/check.hpp"

namespace plumb::detail {
namespace {

/// Released here unless it was taken over.
template <class T>
struct LeftOver {
  T it;
  ~LeftOver() {
    if (it.release != nullptr) it.release(&it);
  }
};

}  // namespace

int ArrowWriter::write_bytes(void* context, const void* bytes, std::int64_t size) {
  const Sink& sink = *static_cast<Sink*>(context);
  try {
    sink.file->write(std::span(static_cast<const std::byte*>(bytes), static_cast<std::size_t>(size)));
    return 0;
  } catch (...) {
    *sink.trouble = std::current_exception();
    return 1;
  }
}

ArrowWriter::ArrowWriter(const std::string& path, std::span<const ArrowOut> columns)
    : library_(arrow_library(path)), file_(path), sink_{&file_, &trouble_} {
  LeftOver<ArrowSchema> schema{export_schema(columns)};
  const char* const format = lower(path).ends_with(".parquet") ? "parquet" : "ipc";
  PlumbArrowError error{};
  check(library_.create(format, &schema.it, write_bytes, &sink_, &writer_, &error), error);
}

ArrowWriter::~ArrowWriter() {
  if (writer_ != nullptr) library_.drop(writer_);
}

void ArrowWriter::check(int failed, const PlumbArrowError& error) {
  if (trouble_) std::rethrow_exception(trouble_);
  if (failed != 0) throw InputError(file_.path() + " cannot be written: " + visible(error.text));
}

void ArrowWriter::append(std::vector<ArrowOut> columns) {
  LeftOver<ArrowArray> batch{export_batch(std::move(columns))};
  PlumbArrowError error{};
  check(library_.append(writer_, &batch.it, &error), error);
}

void ArrowWriter::settle() {
  PlumbArrowError error{};
  if (!finished_) check(library_.finish(writer_, &error), error);
  finished_ = true;
  file_.settle();
}

void ArrowWriter::commit() {
  settle();
  file_.commit();
}

}  // namespace plumb::detail
