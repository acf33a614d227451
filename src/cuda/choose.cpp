// Which metrics a device computes: those of the streaming sums.
#include <algorithm>

#include "plumb/cuda/sums.hpp"
#include "plumb/data/check.hpp"
#include "plumb/registry.hpp"

namespace plumb::cuda {
namespace {

/// Drawn from the bins, which are computed only with intervals.
constexpr std::string_view kOfDraws = "ece_corrected";

bool streams(const MetricRow& row) { return row.room == Room::streaming && row.key != kOfDraws; }

bool answers(const MetricRow& row, bool binary) {
  const bool task = row.task == Task::any || row.task == (binary ? Task::binary : Task::multiclass);
  return task && row.needs == Needs::votes && !row.on_request;
}

}  // namespace

void choose_metrics(const Items& items, EvaluateOptions& options) {
  if (options.metrics.empty()) {
    for (const MetricRow& row : metrics())
      if (streams(row) && answers(row, items.binary())) options.metrics.emplace_back(row.key);
    return;
  }
  for (const std::string& key : options.metrics) {
    const MetricRow* row = find_metric(key);  // an unknown one is reported by select_metrics()
    if (key == "all" || (row != nullptr && !streams(*row)))
      throw InputError(opt(options.keys_option) + ": " + key + " is not computed on a CUDA device" +
                       (key == "all" ? "; name the metrics, or leave the device out"
                                     : ", which has sums alone; leave it or the device out"));
  }
}

}  // namespace plumb::cuda
