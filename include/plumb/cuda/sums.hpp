// The streaming sums of forecasts in the memory of a CUDA device: the bits of the CPU's, with which
// they merge.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "plumb/cuda/device.hpp"
#include "plumb/data/items.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/evaluate/state.hpp"

namespace plumb::cuda {

/// Probabilities (float32 or float64: N or N x K) and one label each (uint8, int8, bool, int32 or int64).
struct DeviceItems {
  DeviceArray probs, labels;
  void* stream = nullptr;  ///< cudaStream_t in which the arrays are ready; null: the default stream
};

/// What is computed beside the reliability table of the event, accuracy and the Brier score. Less is faster.
struct Products {
  bool log_loss = true;  ///< nll and the parts of the event's log-loss
  bool by_class = true;  ///< tables by class, label histograms: all that a state needs
};

/// Sums that stay on the device until they are read. Several, on as many devices, are merged once read.
class DeviceSums {
 public:
  DeviceSums(int classes, int bins, Products products = {}, int device = 0);

  /// Returns without waiting for the device. Values are checked on the device; read() reports them.
  void add(const DeviceItems& items);
  /// Probabilities and labels in the memory of the host or in mapped files, copied through two buffers.
  /// InputError for anything else that items can have, and for invalid values.
  void add(const Items& items);

  /// Waits. Parts that were not asked for are empty. InputError for the first invalid value, with its row
  /// among all rows that were added.
  [[nodiscard]] StreamSums read() const;
  [[nodiscard]] std::int64_t rows() const { return rows_; }

 private:
  friend EvaluateState evaluate_state(const DeviceItems& items, const EvaluateOptions& options, int device);
  friend EvaluateState evaluate_state(const Items& items, const EvaluateOptions& options, int device);
  struct Words;
  [[nodiscard]] Words words() const;
  void add_host(const void* probs, DType probs_type, const void* labels, DType labels_type, std::int64_t rows,
                std::int64_t columns);

  int classes_, bins_;
  Products products_;
  std::int64_t rows_ = 0;
  std::string probs_name_ = "probs", labels_name_ = "labels";
  std::shared_ptr<void> sums_;
};

/// The state of these items without the ladder, which needs order: from it come all streaming metrics
/// (plumb::finish). InputError for options that need more, and for invalid values the sentence of the CPU.
[[nodiscard]] EvaluateState evaluate_state(const DeviceItems& items, const EvaluateOptions& options,
                                           int device = 0);
[[nodiscard]] EvaluateState evaluate_state(const Items& items, const EvaluateOptions& options,
                                           int device = 0);
/// InputError for a metric that is not computed on a device. With none named, all those that are.
void choose_metrics(const Items& items, EvaluateOptions& options);

}  // namespace plumb::cuda
