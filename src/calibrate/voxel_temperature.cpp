#include <algorithm>

#include "calibrate/rows.hpp"
#include "calibrate/temperature.hpp"
#include "plumb/calibrate/voxel_fit.hpp"
#include "plumb/data/check.hpp"

namespace plumb {
namespace {

constexpr double kUsualPasses = 8;  // of all cases: only the progress depends on it

class VoxelPasses {
 public:
  VoxelPasses(std::int64_t cases, const ReadVoxels& read, const FitOptions& options)
      : cases_(cases), read_(read), options_(options) {}

  /// Reads every case once.
  template <class Body>
  void each(Body body) {
    for (std::int64_t i = 0; i < cases_; ++i) {
      const Items items = read_(i);
      check_items(items);
      body(items);
      if (options_.progress)
        options_.progress(std::min(
            0.99, (passes_ + static_cast<double>(i + 1) / static_cast<double>(cases_)) / kUsualPasses));
    }
    ++passes_;
  }

  detail::Tally count(Items& named) {
    detail::Tally all;
    each([&](const Items& items) {
      if (all.class_mass.empty()) {
        all.class_mass.resize(items.classes());
        named.class_names = items.class_names;
      }
      if (items.classes() != std::ssize(all.class_mass))
        throw InputError("it has " + counted(items.classes(), "class") + ", and the cases before it have " +
                         std::to_string(all.class_mass.size()));
      const detail::Tally part = detail::part_of_tally(items, options_.threads);
      for (const auto m : {&detail::Tally::items, &detail::Tally::votes, &detail::Tally::without_votes,
                           &detail::Tally::without_weight})
        all.*m += part.*m;
      all.mass += part.mass;
      for (std::size_t k = 0; k < part.class_mass.size(); ++k) all.class_mass[k] += part.class_mass[k];
    });
    if (all.items == 0) throw InputError("no voxel has a vote, so there is nothing to fit on");
    return all;
  }

  detail::TemperatureFit fit(const detail::Tally& votes, const FitOptions& options) {
    const detail::Prior prior = detail::prior_of(options, votes);
    std::int64_t clipped = 0;
    const auto at = [&](double beta) {
      detail::TemperatureSums all;
      clipped = 0;
      each([&](const Items& items) {
        detail::TemperaturePass pass(items, votes.mass, options.threads, prior);
        all.merge(pass.sums(beta));
        clipped += pass.clipped();
      });
      const detail::TemperatureDerivatives now = all.per_vote(votes.mass);
      if (beta == 1 && !prior.any()) before_ = now.value;
      return now;
    };
    detail::TemperatureFit out = detail::search_temperature(at);
    out.clipped = clipped;
    return out;
  }

  [[nodiscard]] double before() const { return before_; }

 private:
  std::int64_t cases_;
  const ReadVoxels& read_;
  const FitOptions& options_;
  double passes_ = 0, before_ = 0;
};

}  // namespace

VoxelTemperature fit_voxel_temperature(std::int64_t cases, const ReadVoxels& read,
                                       const FitOptions& options) {
  check_fit_options("temperature", options);
  VoxelPasses passes(cases, read, options);
  Items named;
  const detail::Tally votes = passes.count(named);
  VoxelTemperature out;
  CalibrationModel& model = out.fitted.model;
  model.input = "probabilities";
  model.task = votes.class_mass.size() == 2 ? "binary" : "multiclass";
  model.classes = std::ssize(votes.class_mass);
  model.class_names = named.class_names;
  model.version = version();
  model.steps.push_back(detail::fit_with_prior(
      [&](const FitOptions& o) { return detail::temperature_step(passes.fit(votes, o), votes, named); },
      options));
  const FitReport& report = model.steps.back().fit;
  const bool plain = report.options.back() == std::pair<std::string, Value>("prior_votes", 0.0);
  if (plain) out.scores.push_back({"nll", passes.before(), report.objective});
  return out;
}

}  // namespace plumb
