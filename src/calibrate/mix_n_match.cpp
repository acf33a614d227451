// Mix-n-match (Zhang, Kailkhura, Han 2020; Liu 2022, eq. 24): an ensemble of temperatures, then isotonic.
#include "calibrate/tables.hpp"
#include "plumb/calibrate/fit.hpp"

namespace plumb {
namespace {

class TwoMaps final : public CalibrationMap {
 public:
  TwoMaps(detail::MapPtr first, detail::MapPtr second)
      : first_(std::move(first)), second_(std::move(second)) {}
  [[nodiscard]] Scale input() const override { return first_->input(); }
  void apply(std::span<const double> in, int width, std::span<double> z) const override {
    first_->apply(in, width, z);
    second_->apply(z, width, z);
  }

 private:
  detail::MapPtr first_, second_;
};

}  // namespace

Step fit_mix_n_match(const Items& items, const FitOptions& options) {
  Step step = fit_ets(items, options);
  CalibrationModel model;
  model.classes = items.classes();
  model.steps = {step};
  Step table = fit_isotonic(calibrated(items, model, options.threads), options);
  step.method = "mix-n-match";
  for (Parameter& p : table.parameters) step.parameters.push_back(std::move(p));
  return step;
}

detail::MapPtr detail::map_mix_n_match(const Step& step, int classes) {
  return std::make_unique<TwoMaps>(map_ets(step, classes), map_tables(step, classes));
}

}  // namespace plumb
