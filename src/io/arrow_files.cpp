#include "io/arrow_files.hpp"

#include "io/arrow_library.hpp"
#include "io/arrow_reason.hpp"
#include "io/describe_facts.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/arrow_stream.hpp"

namespace plumb::detail {
namespace {

[[noreturn]] void fail_file(const std::string& path, const PlumbArrowError& error) {
  throw InputError(path + " cannot be read (" + arrow_reason(error.text) + "); " + kDamagedFile);
}

struct FileSchema {
  ArrowSchema it{};

  FileSchema(const PlumbArrowPlugin& plugin, const File& file, const std::string& path) {
    PlumbArrowError error{};
    if (path.ends_with(".feather") && file->bytes().size() >= 4 &&
        std::string_view(reinterpret_cast<const char*>(file->bytes().data()), 4) == "FEA1")
      throw InputError(path + " is in version 1 of the Feather format; write it again with version 2");
    if (plugin.schema(file->bytes().data(), std::ssize(file->bytes()), &it, &error) != 0)
      fail_file(path, error);
  }
  FileSchema(const FileSchema&) = delete;
  FileSchema& operator=(const FileSchema&) = delete;
  ~FileSchema() {
    if (it.release != nullptr) it.release(&it);
  }
};

}  // namespace

Array read_arrow_file(const File& file, const Source& source, const LoadOptions& options) {
  const PlumbArrowPlugin& plugin = arrow_library(source.path);
  const FileSchema schema(plugin, file, source.path);
  const std::vector<int> fields = arrow_fields(schema.it, source.path, source.selection);
  const std::vector<std::int32_t> wanted(fields.begin(), fields.end());
  ArrowArrayStream stream{};
  PlumbArrowError error{};
  if (plugin.open(file->bytes().data(), std::ssize(file->bytes()), wanted.data(),
                  static_cast<std::int32_t>(wanted.size()), options.threads, &stream, &error) != 0)
    fail_file(source.path, error);
  return read_arrow_stream(&stream, source.path, source.selection,
                           {options.want, options.empty_is_nan, file, 0, kDamagedFile});
}

std::vector<ArrayInfo> describe_arrow_file(const File& file, const std::string& path, int threads) {
  const FileSchema schema(arrow_library(path), file, path);
  return describe_columns(arrow_column_names(schema.it, path), path, threads,
                          [&](const std::string& selection) {
                            return read_arrow_file(file, {path, selection}, {Want::either, true, threads});
                          });
}

}  // namespace plumb::detail
