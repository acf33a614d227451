// The choice among calibrators: from none upwards in the number of parameters, one step further whenever the
// held-out log-loss falls by more than one standard error. Candidates are fitted with a prior that vanishes
// as the votes grow in number.
#include <algorithm>
#include <set>
#include <string>

#include "calibrate/held_out.hpp"
#include "calibrate/rows.hpp"
#include "plumb/calibrate/cross_fit.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/progress.hpp"

namespace plumb {
namespace {

constexpr int kAutoFolds = 5;
constexpr int kMostPairClasses = 50;  // K^2 parameters, five times over, are fitted only when asked by name
// With few units, folds are assigned several times, so that the assignment matters less.
constexpr std::int64_t kDealtUnits = 2000;
constexpr std::int64_t kMostRepeats = 4;
constexpr std::int64_t kVotesEach = 10;  // votes required per parameter, as for any regression

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
  std::vector<double> loss;  // by unit, the mean of the repeats
};

std::string left_out(const CalibratorRow& row, const Items& items, double votes) {
  const std::int64_t parameters = row.parameters(items.classes());
  if (row.complexity == Complexity::per_pair && items.classes() > kMostPairClasses)
    return "left out above " + std::to_string(kMostPairClasses) + " classes";
  if (votes < kVotesEach * static_cast<double>(parameters))
    return "wants " + std::to_string(kVotesEach * parameters) + " votes";
  return "";
}

/// Fits on other targets than the votes are equal to those on the votes where no item has two.
bool is_for_several_votes(std::string_view method) {
  return method == "dirichlet-soft" || method == "temperature-soft" || method == "temperature-drawn" ||
         method == "temperature-smooth";
}

bool has_several_votes(const Items& items) {
  VoteBlock votes;
  constexpr std::int64_t kRows = 4096;
  for (std::int64_t begin = 0; begin < items.size(); begin += kRows) {
    items.votes.read(begin, std::min(items.size(), begin + kRows), votes);
    if (!votes.single && std::any_of(votes.total.begin(), votes.total.end(), [](auto n) { return n > 1; }))
      return true;
  }
  return false;
}

/// The methods that serve the task, fewest parameters first.
std::vector<Entry> candidates(const Items& items, double votes) {
  const bool several = has_several_votes(items);
  std::vector<Entry> out;
  for (const CalibratorRow& row : calibrators()) {
    if (row.complexity == Complexity::unranked || !row.serves(items.classes())) continue;
    if (items.binary() && row.method == "dirichlet") continue;  // of two classes it is beta
    if (!several && is_for_several_votes(row.method)) continue;
    Entry e{&row, {}, {}};
    e.league.method = row.method;
    e.league.parameters = row.parameters(items.classes());
    e.league.why = left_out(row, items, votes);
    out.push_back(std::move(e));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Entry& a, const Entry& b) { return a.league.parameters < b.league.parameters; });
  return out;
}

AutoChoice untouched(Step none, const std::string& why) {
  none.fit.warnings.push_back(why);
  return {{std::move(none)}, {}};
}

}  // namespace

AutoChoice fit_auto(const Items& items, const FitOptions& options) {
  check_fit("auto", items, options);
  FitOptions o = options;
  o.prior_votes = options.prior_votes.value_or(kPriorVotes);
  // The folds of the choice; a method that has folds of its own keeps their number, or they would nest.
  const int folds = narrow<int>(options.folds.value_or(kAutoFolds));
  o.folds.reset();
  // Reads everything first, so that bad items are reported as such and not as the failure of every method.
  Step none = detail::kNone.fit(items, o);
  if (classes_seen(items) < 2)
    return untouched(
        std::move(none),
        "all votes are for one class, so nothing can be learned: the predictions are left unchanged");
  const detail::UnitVotes units(items);
  if (!units.any_wrong)
    return untouched(
        std::move(none),
        "every vote is for the most probable class, so the data cannot show over-confidence: the predictions are left unchanged");
  double votes = 0;
  std::int64_t counted_units = 0;
  for (const double m : units.mass) {
    votes += m;
    counted_units += m > 0 ? 1 : 0;
  }
  const auto repeats = narrow<int>(
      std::clamp<std::int64_t>(kDealtUnits / std::max<std::int64_t>(counted_units, 1), 1, kMostRepeats));
  std::vector<std::vector<int>> deals;
  for (int r = 0; r < repeats; ++r)
    deals.push_back(split_folds(items, folds, o.seed, narrow<std::uint32_t>(r)));

  std::vector<Entry> entries = candidates(items, votes);
  Progress progress(options.progress, options.cancel);
  progress.expect(std::ssize(entries) * repeats);
  for (Entry& e : entries) {
    if (!e.league.why.empty()) continue;
    try {
      e.loss.assign(units.mass.size(), 0.0);
      for (const std::vector<int>& fold : deals) {
        const auto loss = detail::held_out_losses(items, units, fold, folds, [&](auto rows) {
          const Step step = detail::fit_with_prior(*e.row, items.gather(rows), options_for(o, rows));
          return model_of(step, items.classes());
        });
        for (std::size_t u = 0; u < loss.size(); ++u) e.loss[u] += loss[u] / repeats;
        progress.add(1);
      }
    } catch (const InputError& error) {
      e.league.why = error.sentence();
    }
  }
  const Entry& first = entries.front();
  if (!first.league.why.empty()) throw InputError("no calibrator could be fitted: " + first.league.why);
  const Entry* chosen = &first;
  const double wider = detail::shared_training(folds);
  for (Entry& e : entries) {
    if (!e.league.why.empty()) continue;
    const detail::MeanLoss loss = detail::mean_loss(e.loss, units.mass),
                           gain = detail::gain_of(first.loss, e.loss, units.mass),
                           further = detail::gain_of(chosen->loss, e.loss, units.mass);
    e.league.nll = loss.mean;
    e.league.se = loss.se;
    e.league.gain = gain.mean;
    e.league.gain_se = wider * gain.se;
    if (further.mean > wider * further.se) chosen = &e;
  }
  AutoChoice out;
  FitOptions all = o;
  all.progress = {};
  out.steps = {detail::fit_with_prior(*chosen->row, items, all)};
  for (Entry& e : entries) {
    e.league.chosen = &e == chosen;
    out.league.push_back(std::move(e.league));
  }
  std::stable_sort(out.league.begin(), out.league.end(), [](const LeagueRow& a, const LeagueRow& b) {
    return a.why.empty() != b.why.empty() ? a.why.empty() : a.why.empty() && a.nll < b.nll;
  });
  out.steps.front().fit.options.emplace_back("chosen_by", std::string("auto"));
  out.steps.front().fit.options.emplace_back("folds", std::int64_t{folds});
  out.steps.front().fit.options.emplace_back("repeats", std::int64_t{repeats});
  out.steps.front().fit.options.emplace_back("seed", o.seed);
  return out;
}

constinit const CalibratorRow detail::kAuto{
    "auto",
    Tasks::any,
    Complexity::unranked,
    {"bins", "folds", "prior_votes"},
    [](const Items& items, const FitOptions& options) { return fit_auto(items, options).steps.front(); },
    nullptr,
    nullptr,
    "as many parameters as held-out folds support: each larger method must gain one standard error"};

}  // namespace plumb
