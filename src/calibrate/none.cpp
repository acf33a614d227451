#include <algorithm>

#include "calibrate/ballots.hpp"
#include "calibrate/onnx_flow.hpp"
#include "calibrate/rows.hpp"
#include "calibrate/tune.hpp"

namespace plumb::detail {
namespace {

Step fit_none(const Items& items, const FitOptions& options) {
  Step step{"none"};
  describe(tally(items, options.threads), items, 0, step.fit);
  step.fit.objective = log_loss(items, step, options.threads).mean();
  return step;
}

// Probabilities are passed through unchanged.
MapPtr map_none(const Step& /*step*/, int /*classes*/) {
  return make_rows_map(Scale::probability, [](std::span<const double> in, int, std::span<double> z) {
    if (in.data() != z.data()) std::copy(in.begin(), in.end(), z.begin());
  });
}

void onnx_none(OnnxFlow& flow, const Step& /*step*/) { (void)flow.probabilities(); }

}  // namespace

constinit const CalibratorRow kNone{
    "none",   Tasks::any, Complexity::none, {},
    fit_none, map_none,   onnx_none,        "leaves the predictions unchanged"};

}  // namespace plumb::detail
