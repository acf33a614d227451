// `plumb evaluate` as a function: items in, result out.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/metrics/kernel/leave_out.hpp"
#include "plumb/metrics/ordered/calibration_curve.hpp"
#include "plumb/resample/null_model.hpp"
#include "plumb/result.hpp"

namespace plumb {

enum class Binning { width, mass };
/// How the bandwidth of a column is chosen: by how well votes are predicted, or by the likelihood of p.
enum class BandwidthRule { votes, likelihood };

/// The only place for defaults; the command line and other front ends fill the same struct.
struct EvaluateOptions {
  int bins = 15;
  Binning binning = Binning::width;  ///< applies to the keys that do not name their binning
  std::vector<std::string> metrics =
      {};  ///< keys, or "all"; empty: those of linear or N log N cost, except a few
  std::string keys_option = "metrics";  ///< where the keys came from, for messages
  int bootstrap = 0;                    ///< replicates; 0: no intervals, no null
  double level = 0.95;
  NullKind null = NullKind::model;  ///< signs: for large groups, such as the pixels of a case
  double tolerance = 0.05;          ///< the calibration error that the verdict accepts
  std::uint64_t seed = 0;
  int threads = 0;       ///< 0: all cores; does not affect the results
  double clip = 0;       ///< clip probabilities to [e, 1-e] in log-loss
  double bandwidth = 0;  ///< of the kernel keys, in [1e-5, 1]; 0: by bandwidth_rule, for each column
  BandwidthRule bandwidth_rule = BandwidthRule::votes;
  LeaveOut leave_out = LeaveOut::vote;
  CurveKind curve = CurveKind::loess;   ///< the smooth curve of ici, e50, e90, emax
  std::vector<double> thresholds = {};  ///< of decisions, in (0, 1); binary tasks
  std::int64_t memory = 0;              ///< bytes that may be used for columns; 0: no limit
  Ties ties = Ties::half;               ///< of the majority label
  bool consensus = true;                ///< also score the majority label when some item has several votes
  int sample_items = 0;                 ///< rows of the table "sample", for scatter plots; 0: no such table
  std::function<void(double)> progress = {};  ///< called with the share done, from one thread at a time
  std::stop_token cancel = {};                ///< ends the work with Cancelled
};

struct EvaluateState;

/// Throws InputError for unknown keys (with the nearest known one), no votes at all, weights that are all
/// zero. `state`, when given, receives the mergeable part (state.hpp) from the same pass. With `ids`, one per
/// item, draws of all items depend on these and not on the order of rows, and are those of merged states.
[[nodiscard]] Result evaluate(const Items& items, const EvaluateOptions& options = {},
                              EvaluateState* state = nullptr, const Names& ids = {});

}  // namespace plumb
