#include <algorithm>

#include "calibrate/ballots.hpp"
#include "calibrate/onnx_flow.hpp"
#include "calibrate/rows.hpp"
#include "calibrate/tune.hpp"

namespace plumb::detail {
namespace {

/// Probabilities go through bit for bit.
class Untouched final : public CalibrationMap {
 public:
  [[nodiscard]] Scale input() const override { return Scale::probability; }
  void apply(std::span<const double> in, int /*width*/, std::span<double> z) const override {
    if (in.data() != z.data()) std::copy(in.begin(), in.end(), z.begin());
  }
};

Step fit_none(const Items& items, const FitOptions& options) {
  Step step{"none"};
  describe(tally(items, options.threads), items, 0, step.fit);
  step.fit.objective = log_loss(items, step, options.threads).mean();
  return step;
}

MapPtr map_none(const Step& /*step*/, int /*classes*/) { return std::make_unique<Untouched>(); }

void onnx_none(OnnxFlow& flow, const Step& /*step*/) { (void)flow.probabilities(); }

}  // namespace

constinit const CalibratorRow kNone{"none",   Tasks::any, Complexity::none, {},
                                    fit_none, map_none,   onnx_none,        "leaves the predictions alone"};

}  // namespace plumb::detail
