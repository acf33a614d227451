// What the plugin libplumb_cuda.so offers: the sums of forecasts in the memory of a CUDA device. C on both
// sides, so that neither has to know how the other was compiled.
#pragma once

#include <cstdint>

extern "C" {

/// What plumb_plugin_abi() of the plugin returns; raised when the tables below change.
enum { PLUMB_CUDA_INTERFACE = 1 };

enum PlumbCudaType {
  PLUMB_CUDA_FLOAT = 0,
  PLUMB_CUDA_DOUBLE = 1,
  PLUMB_CUDA_BYTE = 2,
  PLUMB_CUDA_INT = 3,
  PLUMB_CUDA_LONG = 4
};

struct PlumbCudaError {
  char text[480];  ///< one line, ends with 0
};

struct PlumbCudaDevice {
  char name[256];
  int32_t major, minor;     ///< compute capability
  int32_t driver, runtime;  ///< versions of CUDA: 1000 times the first number, plus 10 times the second
  int64_t memory;           ///< bytes
};

/// Sums to be kept on a device.
struct PlumbCudaPlan {
  int32_t device, classes, bins;
  int32_t log_loss;  ///< 1: with the log-loss
  int32_t by_class;  ///< 1: with the tables of all classes
};

/// Rows to be added.
struct PlumbCudaRows {
  const void* probs;   ///< rows x columns, C order
  const void* labels;  ///< rows
  int32_t probs_type, labels_type;
  int64_t rows, columns;  ///< 1 column: P(class 1)
  int32_t on_host;        ///< 1: both lie in the memory of the host and are copied
  void* stream;           ///< cudaStream_t in which the data are ready; null: the default stream
};

/// The first invalid rows of all that was added, counted from the first row; -1: none.
struct PlumbCudaBad {
  int64_t row, label_row;
  int64_t columns;  ///< numbers in a row
  double label;
};

struct PlumbCudaPlugin {
  const char* architectures;  ///< what it has machine code for, as "70 75 80 90"
  /// The functions give 0, or fill in the error.
  int (*describe)(int32_t device, struct PlumbCudaDevice* out, struct PlumbCudaError* error);
  int (*create)(const struct PlumbCudaPlan* plan, void** sums, struct PlumbCudaError* error);
  /// Returns without waiting for the device unless the rows are on the host.
  int (*add)(void* sums, const struct PlumbCudaRows* rows, struct PlumbCudaError* error);
  /// Waits. `words` is an array of as many 64-bit words as the sums have; `bad_values` of as many doubles as
  /// a row has columns, which gets the first invalid row.
  int (*read)(void* sums, uint64_t* words, int64_t count, struct PlumbCudaBad* bad, double* bad_values,
              int64_t columns, struct PlumbCudaError* error);
  void (*drop)(void* sums);
  /// Memory of the device, and copies of it in either direction.
  int (*allocate)(int32_t device, int64_t bytes, void** memory, struct PlumbCudaError* error);
  int (*copy)(int32_t device, void* to, const void* from, int64_t bytes, struct PlumbCudaError* error);
  void (*release)(int32_t device, void* memory);
};

/// What the plugin exports beside plumb_plugin_abi().
const struct PlumbCudaPlugin* plumb_cuda_plugin(void);
}
