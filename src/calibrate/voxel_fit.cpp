#include "plumb/calibrate/voxel_fit.hpp"

#include <algorithm>

#include "plumb/data/check.hpp"
#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/kernel/forecast_pass.hpp"

namespace plumb {
namespace {

constexpr std::string_view kOnLadder[] = {"temperature", "platt", "beta", "isotonic"};

/// A vote count fits into 31 bits: longer rungs are several items of the same p.
constexpr std::int64_t kMostVotes = 1 << 30;

Items rung_items(const Forecasts& column) {
  std::vector<double> p;
  std::vector<std::int64_t> counts;
  const ForecastsView view = column.view();
  for (std::size_t i = 0; i < view.size(); ++i) {
    auto hits = static_cast<std::int64_t>(view.hits[i]);
    auto misses = (view.trials.empty() ? 1 : static_cast<std::int64_t>(view.trials[i])) - hits;
    do {
      const std::int64_t h = std::min<std::int64_t>(hits, kMostVotes),
                         m = std::min<std::int64_t>(misses, kMostVotes);
      p.push_back(view.p[i]);
      counts.insert(counts.end(), {m, h});
      hits -= h;
      misses -= m;
    } while (hits + misses > 0);
  }
  const std::int64_t n = std::ssize(p);
  Items out;
  out.predictions = Predictions({Rows(array_of(std::move(p), {n}, "the ladder"))}, Scale::probability);
  out.votes = Votes::from_counts(Rows(array_of(std::move(counts), {n, 2}, "the ladder")), 2);
  return out;
}

}  // namespace

VoxelFit::VoxelFit(std::string_view method) : method_(method) {
  if (std::find(std::begin(kOnLadder), std::end(kOnLadder), method) == std::end(kOnLadder))
    throw InputError("⟦manifest⟧ and ⟦states⟧ fit temperature, platt, beta and isotonic, not " + method_ +
                     "; for other methods give a sample as arrays with ⟦probs⟧ and ⟦ratings⟧");
}

void VoxelFit::add(const Items& items, int threads) {
  check_items(items);
  if (!items.binary())
    throw InputError("it has " + counted(items.classes(), "class") + ", and the method " + method_ +
                     " of a manifest is for two; use temperature, or give a sample of voxels as arrays");
  const ForecastPass pass = pass_over(items, Event::event, threads);
  std::vector<Ladder> parts(pass.workers);
  pass.run([&](int worker, const ForecastsView& block) { parts[worker].add(block); });
  for (const Ladder& part : parts) ladder_.merge(part);
  items_ += items.size();
  if (class_names_.empty()) class_names_ = items.class_names;
}

void VoxelFit::add(const Ladder& ladder, std::int64_t items, const std::vector<std::string>& class_names) {
  ladder_.merge(ladder);
  items_ += items;
  if (class_names_.empty()) class_names_ = class_names;
}

FittedModel VoxelFit::fit(const FitOptions& options) const {
  FittedModel out;
  out.items = rung_items(ladder_.column());
  if (out.items.size() == 0) throw InputError("no voxel has a vote, so there is nothing to fit on");
  CalibrationModel& model = out.model;
  model.input = "probabilities";
  model.task = "binary";
  model.classes = 2;
  model.class_names = class_names_;
  model.version = version();
  model.steps.push_back(fit_calibrator(method_, out.items, options).front());
  FitReport& report = model.steps.back().fit;
  report.items = items_;
  if (!ladder_.exact()) report.options.emplace_back("ladder_step", 1.0 / Ladder::kSteps);
  return out;
}

}  // namespace plumb
