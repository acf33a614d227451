#include "calibrate/held_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "calibrate/ballots.hpp"
#include "calibrate/rows.hpp"
#include "plumb/calibrate/cross_fit.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/calibrate/scores.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb::detail {
namespace {

double exact_total(const std::vector<double>& v) {
  ExactSum s;
  for (const double x : v) s.add(x);
  return s.value();
}

std::uint32_t top_class(std::span<const double> z) {
  if (z.size() == 1) return z[0] > 0.5 ? 1 : 0;
  return std::max_element(z.begin(), z.end()) - z.begin();
}

}  // namespace

UnitVotes::UnitVotes(const Items& items) {
  const Units units(items);
  std::unordered_map<std::uint64_t, std::int64_t> index;
  for (std::int64_t i = 0; i < items.size(); ++i)
    unit.push_back(units.grouped() ? index.try_emplace(units.unit_of(i), std::ssize(index)).first->second
                                   : i);
  mass.assign(units.grouped() ? index.size() : unit.size(), 0.0);
  Ballots ballots;
  PredictionBlock block;
  const std::int64_t step = block_rows(items), width = items.predictions.width();
  for (std::int64_t begin = 0; begin < items.size(); begin += step) {
    const std::int64_t end = std::min(items.size(), begin + step);
    read_ballots(items, begin, end, ballots);
    items.predictions.read(begin, end, block);
    for (std::int64_t i = 0; i < end - begin; ++i) {
      mass[unit[begin + i]] += ballots.mass(i);
      const std::uint32_t top = top_class(std::span<const double>(block.z).subspan(i * width, width));
      ballots.for_each(i, [&](std::uint32_t k, double share) { any_wrong |= k != top && share > 0; });
    }
  }
}

void add_losses(const Items& items, const CalibrationModel& model, std::span<const std::int64_t> rows,
                const UnitVotes& units, std::vector<double>& loss) {
  const Items held = items.gather(rows);
  const Pipeline pipeline(model);
  Ballots ballots;
  PredictionBlock z;
  const std::int64_t step = block_rows(held);
  for (std::int64_t begin = 0; begin < held.size(); begin += step) {
    const std::int64_t end = std::min(held.size(), begin + step);
    read_ballots(held, begin, end, ballots);
    pipeline.apply(held.predictions, begin, end, z);
    for (std::int64_t i = 0; i < end - begin; ++i)
      ballots.for_each(i, [&](std::uint32_t k, double share) {
        const double p = z.width > 1 ? z.z[i * z.width + k] : k == 1 ? z.z[i] : 1 - z.z[i];
        loss[units.unit[rows[begin + i]]] -= share * log_portable(std::max(p, kScoreClip));
      });
  }
}

std::vector<double> held_out_losses(const Items& items, const UnitVotes& units, const std::vector<int>& fold,
                                    int folds, const FitOnRows& fit) {
  std::vector<double> loss(units.mass.size(), 0.0);
  for (int f = 0; f < folds; ++f)
    add_losses(items, fit(fold_rows(fold, f, false)), fold_rows(fold, f, true), units, loss);
  return loss;
}

MeanLoss mean_loss(const std::vector<double>& loss, const std::vector<double>& mass) {
  const double w = exact_total(mass), mean = exact_total(loss) / w;
  ExactSum squares;
  double units = 0;
  for (std::size_t u = 0; u < mass.size(); ++u) {
    if (!(mass[u] > 0)) continue;
    const double r = loss[u] - mean * mass[u];
    squares.add(r * r);
    ++units;
  }
  return {mean, units > 1 ? std::sqrt(squares.value() * units / (units - 1)) / w : 0};
}

MeanLoss gain_of(const std::vector<double>& before, const std::vector<double>& after,
                 const std::vector<double>& mass) {
  std::vector<double> gain(before.size());
  for (std::size_t u = 0; u < gain.size(); ++u) gain[u] = before[u] - after[u];
  return mean_loss(gain, mass);
}

double shared_training(int folds) { return std::sqrt(1 + folds / (folds - 1.0)); }

void check_held_out(const CalibratorRow& row, const Items& items, const FitOptions& options, Step& step) {
  if (row.method == "none" || row.method == "alpha" || row.method == "auto") return;
  constexpr int kFolds = 5;
  constexpr double kMostDeals = 10;
  constexpr double kMostNumbers = 2e6;  // of logits, times what a method does with each: about a second
  const double numbers = static_cast<double>(items.size()) * items.predictions.width() *
                         (row.complexity == Complexity::per_pair ? items.classes() : 1) *
                         (options.tune || row.method == "spline" ? 10 : 1);
  const std::string skipped = "Not compared with the plain predictions on held-out folds: ";
  if (numbers > kMostNumbers) {
    step.fit.warnings.push_back(
        skipped + "the data set is too large to fit five more times; evaluate it on other data.");
    return;
  }
  try {
    const UnitVotes units(items);
    // With few items each assignment to folds gives another answer: the mean over several is more stable.
    const int repeats = static_cast<int>(std::clamp(kMostNumbers / 20 / numbers, 1.0, kMostDeals));
    std::vector<double> own(units.mass.size(), 0.0);
    for (int r = 0; r < repeats; ++r) {
      const std::vector<int> fold = split_folds(items, kFolds, options.seed, narrow<std::uint32_t>(r));
      const std::vector<double> loss = held_out_losses(items, units, fold, kFolds, [&](auto rows) {
        return model_of(fit_with_prior(row, items.gather(rows), options_for(options, rows)), items.classes());
      });
      for (std::size_t u = 0; u < own.size(); ++u) own[u] += loss[u] / repeats;
    }
    std::vector<double> plain(own.size(), 0.0);
    std::vector<std::int64_t> all(items.size());
    std::iota(all.begin(), all.end(), 0);
    add_losses(items, model_of({"none"}, items.classes()), all, units, plain);
    const MeanLoss gain = gain_of(plain, own, units.mass);
    // A warning needs less evidence than a choice: the plain standard error.
    if (gain.mean < -gain.se)
      step.fit.warnings.push_back(fmt::format(
          "On held-out folds it is worse than no calibration: log-loss {:.4g} against {:.4g} (standard error of the difference {:.2g}). Use ⟦method⟧ auto or none, or more data.",
          mean_loss(own, units.mass).mean, mean_loss(plain, units.mass).mean, gain.se));
  } catch (const InputError& e) {
    step.fit.warnings.push_back(skipped + e.sentence() + ".");
  }
}

}  // namespace plumb::detail
