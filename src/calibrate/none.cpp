#include <algorithm>

#include "calibrate/ballots.hpp"
#include "calibrate/maps.hpp"
#include "calibrate/tune.hpp"
#include "plumb/calibrate/fit.hpp"

namespace plumb {
namespace {

/// Probabilities go through bit for bit.
class Untouched final : public CalibrationMap {
 public:
  [[nodiscard]] Scale input() const override { return Scale::probability; }
  void apply(std::span<const double> in, int /*width*/, std::span<double> z) const override {
    if (in.data() != z.data()) std::copy(in.begin(), in.end(), z.begin());
  }
};

}  // namespace

Step fit_none(const Items& items, const FitOptions& options) {
  Step step;
  step.method = "none";
  detail::describe(detail::tally(items, options.threads), items, 0, step.fit);
  step.fit.objective = detail::log_loss(items, step, options.threads).mean();
  return step;
}

detail::MapPtr detail::map_none(const Step& /*step*/, int /*classes*/) {
  return std::make_unique<Untouched>();
}

}  // namespace plumb
