#include "plumb/calibrate/voxel_fit.hpp"

#include <algorithm>

#include "calibrate/tables.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/kernel/forecast_pass.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"

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
    throw InputError("⟦manifest⟧ fits temperature, platt, beta and isotonic, not " + method_ +
                     "; for other methods give a sample of voxels as arrays with ⟦probs⟧ and ⟦ratings⟧");
}

void VoxelFit::add(const Items& items, int threads) {
  check_items(items);
  const int classes = items.classes();
  if (classes > 2 && method_ != "isotonic")
    throw InputError(
        "it has " + counted(classes, "class") + ", and the method " + method_ +
        " of a manifest is for two; use temperature or isotonic, or give a sample of voxels as arrays");
  const std::size_t ladders = classes == 2 ? 1 : classes;
  if (ladders_.empty()) ladders_.resize(ladders);
  if (ladders_.size() != ladders)
    throw InputError("it has " + counted(classes, "class") + ", and the cases before it have " +
                     std::to_string(ladders_.size() == 1 ? 2 : ladders_.size()));
  if (classes == 2) {
    const ForecastPass pass = pass_over(items, Event::event, threads);
    std::vector<Ladder> parts(pass.workers);
    pass.run([&](int worker, const ForecastsView& block) { parts[worker].add(block); });
    for (const Ladder& part : parts) ladders_[0].merge(part);
  } else {
    parallel_blocks(classes, 1, threads, [&](int, std::int64_t k, std::int64_t) {
      ladders_[k].add(collect_class(items, narrow<int>(k), 1).view());
    });
  }
  items_ += items.size();
  if (class_names_.empty()) class_names_ = items.class_names;
}

bool VoxelFit::exact() const {
  return std::all_of(ladders_.begin(), ladders_.end(), [](const Ladder& l) { return l.exact(); });
}

/// Isotonic, one class against the rest.
Step VoxelFit::fit_classes(const FitOptions& options) const {
  check_fit_options(method_, options);
  std::vector<detail::BinTable> tables;
  for (const Ladder& ladder : ladders_) tables.push_back(detail::isotonic_table(ladder.column().view()));
  const std::uint64_t votes = ladders_.front().votes();
  Step step = detail::step_of_tables(method_, tables, static_cast<double>(votes));
  step.fit.votes = narrow<std::int64_t>(votes);
  return step;
}

FittedModel VoxelFit::fit(const FitOptions& options) const {
  if (ladders_.empty() || ladders_.front().votes() == 0)
    throw InputError("no voxel has a vote, so there is nothing to fit on");
  FittedModel out;
  CalibrationModel& model = out.model;
  const std::size_t classes = ladders_.size() == 1 ? 2 : ladders_.size();
  model.input = "probabilities";
  model.task = classes == 2 ? "binary" : "multiclass";
  model.classes = narrow<std::int64_t>(classes);
  model.class_names = class_names_;
  model.version = version();
  if (classes == 2) {
    out.items = rung_items(ladders_.front().column());
    model.steps.push_back(fit_calibrator(method_, out.items, options).front());
  } else {
    model.steps.push_back(fit_classes(options));
  }
  FitReport& report = model.steps.back().fit;
  report.items = items_;
  if (!exact()) report.options.emplace_back("ladder_step", 1.0 / Ladder::kSteps);
  return out;
}

}  // namespace plumb
