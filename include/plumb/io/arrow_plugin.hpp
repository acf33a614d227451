// What the plugin libplumb_arrow.so offers: Parquet and Arrow IPC files as Arrow C streams, and back. C on
// both sides, so that neither has to know how the other was compiled.
#pragma once

#include <cstdint>

#include "plumb/io/arrow_c.hpp"

extern "C" {

/// What plumb_plugin_abi() of the plugin returns; raised when the table below changes.
enum { PLUMB_ARROW_INTERFACE = 1 };

struct PlumbArrowError {
  char text[480];  ///< one line, ends with 0
};

/// Takes `size` bytes; 0 when they were written.
typedef int (*PlumbArrowSink)(void* context, const void* bytes, int64_t size);

struct PlumbArrowPlugin {
  const char* built_for;         ///< the version of Arrow whose headers it was compiled with
  const char* (*running)(void);  ///< the version of the library that was loaded
  /// The functions give 0, or fill in the error. `bytes` is a whole file, which must stay as long as what was
  /// made from it. `fields` are numbers of fields of the schema, ascending. threads 0: all cores.
  int (*schema)(const void* bytes, int64_t size, struct ArrowSchema* out, struct PlumbArrowError* error);
  int (*open)(const void* bytes, int64_t size, const int32_t* fields, int32_t n_fields, int32_t threads,
              struct ArrowArrayStream* out, struct PlumbArrowError* error);
  /// A file that is written by batches; `format` is "parquet" or "ipc". The schema and the batches are taken
  /// over. `finish` ends the file; `drop` frees the writer, finished or not.
  int (*create)(const char* format, struct ArrowSchema* schema, PlumbArrowSink sink, void* context,
                void** writer, struct PlumbArrowError* error);
  int (*append)(void* writer, struct ArrowArray* batch, struct PlumbArrowError* error);
  int (*finish)(void* writer, struct PlumbArrowError* error);
  void (*drop)(void* writer);
};

/// What the plugin exports beside plumb_plugin_abi().
const struct PlumbArrowPlugin* plumb_arrow_plugin(void);
}
