// The choice among calibrators: mean held-out log-loss per vote, the simplest within one standard error of
// the best. Differences to the best are paired by unit: two methods are right and wrong about the same items,
// so their difference is known far better than either loss.
#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "calibrate/rows.hpp"
#include "plumb/calibrate/cross_fit.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/progress.hpp"

namespace plumb {
namespace {

constexpr int kAutoFolds = 5;
constexpr int kMostPairClasses = 50;  // K^2 parameters, five times over, are fitted only when asked by name

// Sums by unit: log-loss and weight of votes.
struct UnitSums {
  std::vector<std::int64_t> unit;  // of each row
  std::vector<double> mass;
  explicit UnitSums(const Items& items) {
    const Units units(items);
    std::unordered_map<std::uint64_t, std::int64_t> index;
    for (std::int64_t i = 0; i < items.size(); ++i)
      unit.push_back(units.grouped() ? index.try_emplace(units.of(i), std::ssize(index)).first->second : i);
    mass.assign(units.grouped() ? index.size() : unit.size(), 0.0);
  }
};

// Adds the loss of every row of `test` under `model` to its unit.
void add_losses(const Items& items, const CalibrationModel& model, std::span<const std::int64_t> test,
                const UnitSums& units, std::vector<double>& loss, std::vector<double>* mass) {
  const Items held = items.gather(test);
  const Pipeline pipeline(model);
  ItemBlock b;
  PredictionBlock z;
  const std::int64_t step = block_rows(held);
  for (std::int64_t begin = 0; begin < held.size(); begin += step) {
    const std::int64_t end = std::min(held.size(), begin + step);
    read_items(held, begin, end, b);
    pipeline.apply(held.predictions, begin, end, z);
    for (std::int64_t i = 0; i < b.size; ++i) {
      const double weight = b.weight.empty() ? 1 : b.weight[i];
      const std::int64_t unit = units.unit[test[begin + i]];
      const auto add = [&](std::uint32_t k, double count) {
        const double p = !b.binary() ? z.z[i * z.width + k] : k == 1 ? z.z[i] : 1 - z.z[i];
        loss[unit] -= weight * count * log_portable(std::max(p, kScoreClip));
      };
      if (b.votes.single) {
        add(b.votes.cls[i], 1);
      } else {
        for (std::uint32_t e = b.votes.offset[i]; e < b.votes.offset[i + 1]; ++e)
          add(b.votes.cls[e], b.votes.count[e]);
      }
      if (mass != nullptr) (*mass)[unit] += weight * b.votes.votes(i);
    }
  }
}

double total(const std::vector<double>& v) {
  ExactSum s;
  for (const double x : v) s.add(x);
  return s.value();
}

// Standard error of sum(loss) / sum(mass), units being the independent draws (linearised ratio).
double standard_error(const std::vector<double>& loss, const std::vector<double>& mass) {
  const double w = total(mass), mean = total(loss) / w;
  ExactSum squares;
  double units = 0;
  for (std::size_t u = 0; u < mass.size(); ++u) {
    if (!(mass[u] > 0)) continue;
    const double r = loss[u] - mean * mass[u];
    squares.add(r * r);
    ++units;
  }
  return units > 1 ? std::sqrt(squares.value() * units / (units - 1)) / w : 0;
}

int classes_seen(const Items& items) {
  std::set<std::uint32_t> seen;
  VoteBlock votes;
  constexpr std::int64_t kRows = 4096;
  for (std::int64_t begin = 0; begin < items.size() && seen.size() < 2; begin += kRows) {
    items.votes.read(begin, std::min(items.size(), begin + kRows), votes);
    seen.insert(votes.cls.begin(), votes.cls.end());
  }
  return narrow<int>(seen.size());
}

struct Entry {
  const CalibratorRow* row = nullptr;
  LeagueRow league;
  std::vector<double> loss;
};

}  // namespace

AutoChoice fit_auto(const Items& items, const FitOptions& options) {
  check_fit("auto", items, options);
  // Reads everything: what is wrong with the items is said as such, not as the failure of every method.
  Step untouched = detail::kNone.fit(items, options);
  if (classes_seen(items) < 2) {
    AutoChoice alone{{std::move(untouched)}, {}};
    alone.steps.front().fit.warnings.push_back(
        "all votes are for one class, from which nothing can be learnt: the predictions are left alone");
    return alone;
  }
  const int folds = narrow<int>(options.folds.value_or(kAutoFolds));
  const std::vector<int> fold = split_folds(items, folds, options.seed);
  UnitSums units(items);
  std::vector<Entry> entries, failed;
  for (const CalibratorRow& row : calibrators()) {
    if (row.complexity == Complexity::unranked || !row.serves(items.classes())) continue;
    if (items.binary() && row.method == "dirichlet") continue;  // of two classes it is beta
    Entry e{&row, {}, std::vector<double>(units.mass.size(), 0.0)};
    e.league.method = row.method;
    if (row.complexity == Complexity::per_pair && items.classes() > kMostPairClasses)
      e.league.why =
          "left out above " + std::to_string(kMostPairClasses) + " classes" + "; ask for it by name";
    (e.league.why.empty() ? entries : failed).push_back(std::move(e));
  }
  bool weighed = false;
  Progress progress(options.progress, options.cancel);
  progress.expect(std::ssize(entries) * folds);
  for (Entry& e : entries) {
    try {
      std::vector<double> mass(units.mass.size(), 0.0);
      for (int f = 0; f < folds; ++f) {
        const auto train = fold_rows(fold, f, false), test = fold_rows(fold, f, true);
        const Step step = e.row->fit(items.gather(train), options_for(options, train));
        add_losses(items, model_of(step, items.classes()), test, units, e.loss, &mass);
        progress.add(1);
      }
      if (!weighed) units.mass = mass;
      weighed = true;
    } catch (const InputError& error) {
      e.league.why = error.sentence();
    }
  }
  std::stable_partition(entries.begin(), entries.end(), [](const Entry& e) { return e.league.why.empty(); });
  while (!entries.empty() && !entries.back().league.why.empty()) {
    failed.push_back(std::move(entries.back()));
    entries.pop_back();
  }
  if (entries.empty() || !weighed)
    throw InputError("no calibrator could be fitted: " + failed.front().league.why);
  const double mass = total(units.mass);
  for (Entry& e : entries) {
    e.league.nll = total(e.loss) / mass;
    e.league.se = standard_error(e.loss, units.mass);
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.league.nll < b.league.nll; });
  const Entry* chosen = &entries.front();
  for (Entry& e : entries) {
    std::vector<double> gain(e.loss.size());
    for (std::size_t u = 0; u < gain.size(); ++u) gain[u] = e.loss[u] - entries.front().loss[u];
    e.league.gain_se = standard_error(gain, units.mass);
    e.league.within = e.league.nll - entries.front().league.nll <= e.league.gain_se;
    if (e.league.within && e.row->complexity < chosen->row->complexity) chosen = &e;
  }
  AutoChoice out;
  FitOptions all = options;
  all.progress = {};
  out.steps = {chosen->row->fit(items, all)};
  for (Entry& e : entries) {
    e.league.chosen = &e == chosen;
    out.league.push_back(std::move(e.league));
  }
  for (Entry& e : failed) out.league.push_back(std::move(e.league));
  out.steps.front().fit.options.emplace_back("chosen_by", std::string("auto"));
  out.steps.front().fit.options.emplace_back("folds", std::int64_t{folds});
  out.steps.front().fit.options.emplace_back("seed", options.seed);
  return out;
}

constinit const CalibratorRow detail::kAuto{
    "auto",
    Tasks::any,
    Complexity::unranked,
    {"bins", "folds"},
    [](const Items& items, const FitOptions& options) { return fit_auto(items, options).steps.front(); },
    nullptr,
    nullptr,
    "the simplest within one standard error of the best, by cross-validated log-loss"};

}  // namespace plumb
