#include "calibrate/tune.hpp"

#include <algorithm>
#include <limits>

#include "calibrate/ballots.hpp"
#include "plumb/calibrate/cross_fit.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/progress.hpp"

namespace plumb::detail {
namespace {

constexpr int kHoldOut = 5;  // one of five parts is 0.2
constexpr double kGrid[] = {0.1, 1.0, 10.0};

}  // namespace

LogLoss log_loss(const Items& items, const Step& step, int threads) {
  const Pipeline pipeline(model_of(step, items.classes()));
  struct State {
    ExactSum sum, mass;
    PredictionBlock z;
    Ballots ballots;
  };
  const State all = parallel_reduce_blocks(
      items.size(), block_rows(items), threads, State{},
      [&](State& s, std::int64_t begin, std::int64_t end) {
        pipeline.apply(items.predictions, begin, end, s.z);
        read_ballots(items, begin, end, s.ballots);
        for (std::int64_t i = 0; i < end - begin; ++i) {
          const double* z = s.z.z.data() + i * s.z.width;
          s.ballots.for_each(i, [&](std::uint32_t k, double share) {
            const double p = s.z.width > 1 ? z[k] : k == 1 ? z[0] : 1 - z[0];
            s.sum.add(-share * log_portable(std::max(p, std::numeric_limits<double>::min())));
            s.mass.add(share);
          });
        }
      },
      [](State& into, const State& from) {
        into.sum.merge(from.sum);
        into.mass.merge(from.mass);
      });
  return {all.sum.value(), all.mass.value()};
}

Step tune(const Items& items, const FitOptions& options, const std::vector<FitOptions>& grid,
          FitFunction fit) {
  const int folds = narrow<int>(options.folds.value_or(kHoldOut)), used = options.folds ? folds : 1;
  Progress progress(options.progress, options.cancel);
  progress.expect(used * std::ssize(grid) + 1);
  const std::vector<int> fold_of = split_folds(items, folds, options.seed);
  std::vector<LogLoss> loss(grid.size());
  for (int f = 0; f < used; ++f) {
    const Items rest = items.gather(fold_rows(fold_of, f, false)),
                held = items.gather(fold_rows(fold_of, f, true));
    for (std::int64_t g = 0; g < std::ssize(grid); ++g) {
      const LogLoss l = log_loss(held, fit(rest, grid[g]), options.threads);
      loss[g].sum += l.sum;
      loss[g].mass += l.mass;
      progress.add(1);
    }
  }
  const auto best = std::min_element(loss.begin(), loss.end(),
                                     [](const LogLoss& a, const LogLoss& b) { return a.mean() < b.mean(); });
  Step step = fit(items, grid[best - loss.begin()]);
  step.fit.options.emplace_back(
      "tuned_by", options.folds ? std::to_string(folds) + " folds" : std::string("hold-out 0.2"));
  step.fit.options.emplace_back("held_out_nll", best->mean());
  return step;
}

std::vector<FitOptions> strength_grid(const FitOptions& options, bool with_w) {
  FitOptions base = options;
  base.tune = false;
  base.progress = {};
  std::vector<FitOptions> grid;
  for (const double b : kGrid) {
    for (const double w : kGrid) {
      FitOptions o = base;
      if (!o.lambda_b) o.lambda_b = b;
      if (with_w && !o.lambda_w) o.lambda_w = w;
      const auto same = [&](const FitOptions& x) {
        return x.lambda_b == o.lambda_b && x.lambda_w == o.lambda_w;
      };
      if (std::none_of(grid.begin(), grid.end(), same)) grid.push_back(o);
    }
  }
  return grid;
}

}  // namespace plumb::detail
