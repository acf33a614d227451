// Inside of the plugin: errors of Arrow as text, whatever way they come.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdio>
#include <exception>
#include <string>

#include "plumb/io/arrow_plugin.hpp"

namespace plumb::arrow_plugin {

int schema(const void* bytes, int64_t size, ArrowSchema* out, PlumbArrowError* error);
int open(const void* bytes, int64_t size, const int32_t* fields, int32_t n_fields, int32_t threads,
         ArrowArrayStream* out, PlumbArrowError* error);
int create(const char* format, ArrowSchema* schema, PlumbArrowSink sink, void* context, void** writer,
           PlumbArrowError* error);
int append(void* writer, ArrowArray* batch, PlumbArrowError* error);
int finish(void* writer, PlumbArrowError* error);
void drop(void* writer);

/// Runs f, which gives a Status; no exception leaves the plugin.
template <class F>
arrow::Status guarded(F&& f) noexcept {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    return arrow::Status::OutOfMemory("there is not enough memory");
  } catch (const std::exception& e) {
    return arrow::Status::Invalid(e.what());
  } catch (...) {
    return arrow::Status::Invalid("Arrow gave no reason");
  }
}

template <class F>
int answered(PlumbArrowError* error, F&& f) noexcept {
  const arrow::Status status = guarded(f);
  if (status.ok()) return 0;
  std::string said = status.message();
  said = said.substr(0, said.find('\n'));
  std::snprintf(error->text, sizeof error->text, "%s", said.c_str());
  return 1;
}

}  // namespace plumb::arrow_plugin
