#include "plumb/calibrate/cross_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "plumb/calibrate/map.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/progress.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb {

// Units are sorted by their random numbers and assigned to folds in turn, so that fold sizes differ by at
// most one unit and none is empty.
std::vector<int> split_folds(const Items& items, int folds, std::uint64_t seed, std::uint32_t repeat) {
  const Units units(items);
  if (folds < 2)
    throw InputError(
        fmt::format("{} is too few to hold out from; at least 2 are needed", counted(folds, "fold")));
  if (units.count() < folds) {
    throw InputError(fmt::format("{} cannot be split into {}; give fewer folds or more data",
                                 counted(units.count(), units.grouped() ? "group" : "item"),
                                 counted(folds, "fold")));
  }
  struct Card {
    std::uint64_t key, unit;
    bool operator<(const Card& o) const { return key != o.key ? key < o.key : unit < o.unit; }
    bool operator==(const Card& o) const { return unit == o.unit; }
  };
  std::vector<std::uint64_t> unit(items.size());
  units.read(0, items.size(), unit);
  std::vector<std::uint64_t> key(unit.size());
  fill_bits(seed, Purpose::split, repeat, unit, key);
  std::vector<Card> deck(unit.size());
  for (std::size_t i = 0; i < unit.size(); ++i) deck[i] = {key[i], unit[i]};
  std::sort(deck.begin(), deck.end());
  deck.erase(std::unique(deck.begin(), deck.end()), deck.end());
  std::vector<int> fold(unit.size());
  if (!units.grouped()) {  // a unit is its row number
    for (std::int64_t rank = 0; rank < std::ssize(deck); ++rank)
      fold[deck[rank].unit] = narrow<int>(rank % folds);
    return fold;
  }
  std::unordered_map<std::uint64_t, int> fold_of;
  for (std::int64_t rank = 0; rank < std::ssize(deck); ++rank)
    fold_of[deck[rank].unit] = narrow<int>(rank % folds);
  for (std::size_t i = 0; i < unit.size(); ++i) fold[i] = fold_of[unit[i]];
  return fold;
}

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
    const Pipeline pipeline(model_of(
        fit_calibrator(method, items.gather(train), options_for(options, train)).front(), items.classes()));
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
