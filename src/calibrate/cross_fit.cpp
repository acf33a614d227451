#include "plumb/calibrate/cross_fit.hpp"

#include <algorithm>

#include "plumb/calibrate/map.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/progress.hpp"

namespace plumb {

std::vector<std::int64_t> fold_rows(const std::vector<int>& fold, int f, bool in) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < std::ssize(fold); ++i)
    if ((fold[i] == f) == in) rows.push_back(i);
  return rows;
}

FitOptions options_for(const FitOptions& options, std::span<const std::int64_t> rows) {
  FitOptions out = options;
  if (!options.features.empty()) out.features = options.features.gather(rows);
  out.progress = {};
  return out;
}

std::vector<double> cross_fit(std::string_view method, const Items& items, const FitOptions& options,
                              int folds) {
  check_items(items);
  const std::vector<int> fold = split_folds(items, folds, options.seed);
  const std::int64_t width = items.predictions.width();
  std::vector<double> out(items.size() * width);
  Progress progress(options.progress, options.cancel);
  progress.expect(folds);
  for (int f = 0; f < folds; ++f) {
    const auto train = fold_rows(fold, f, false), test = fold_rows(fold, f, true);
    CalibrationModel model;
    model.classes = items.classes();
    model.steps = fit_calibrator(method, items.gather(train), options_for(options, train));
    const Pipeline pipeline(model);
    const Predictions held = items.predictions.gather(test);
    PredictionBlock block;
    const std::int64_t step = 4096;
    for (std::int64_t begin = 0; begin < held.items(); begin += step) {
      pipeline.apply(held, begin, std::min(held.items(), begin + step), block);
      for (std::int64_t i = 0; i < block.size; ++i)
        std::copy_n(block.z.begin() + i * width, width, out.begin() + test[begin + i] * width);
    }
    progress.add(1);
  }
  return out;
}

}  // namespace plumb
