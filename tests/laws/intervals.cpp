// How often 95% intervals cover the truth. Errors on cells and kernel errors: the truth is the same
// functional of the true chances, on each set's own forecasts and cells. Other keys: that of the population.
#include <algorithm>
#include <map>

#include "laws/laws.hpp"
#include "laws/simulated.hpp"
#include "plumb/data/check.hpp"
#include "plumb/evaluate/evaluate.hpp"

namespace plumb::laws {
namespace {

using Keys = std::vector<std::string>;

const Keys kOnCells = {"ece", "ece_mass", "ece_classwise", "ece_l2", "brier_reliability", "log_calibration"};
const Keys kScores = {"accuracy", "nll", "brier", "brier_resolution", "log_refinement", "auroc"};
const Keys kDebiased = {"cl", "ece_l2_debiased"};  // near 0 for these models
const Keys kBinary = {"calibration_slope", "calibration_intercept", "oe_ratio"};
const Keys kRanking = {"auprc", "aurc", "eaurc", "augrc"};
const Keys kVotes = {"agreement",
                     "el",
                     "il",
                     "dl",
                     "rl",
                     "disagreement_loss",
                     "disagreement_cl",
                     "rater_agreement",
                     "fleiss_kappa",
                     "krippendorff_alpha"};

// Continuous statistics, and those near a boundary or with dependent votes.
constexpr Wanted kUsual{0.93, 0.97}, kNearBoundary{0.93, 0.99};

using Covered = std::map<std::string, char>;

bool covers(const MetricResult& m, double truth) { return *m.low <= truth && truth <= *m.high; }

void enter(Book& book, const std::string& setting, Wanted wanted, const std::vector<Covered>& sets) {
  std::map<std::string, std::vector<char>> by_key;
  for (const Covered& set : sets)
    for (const auto& [key, hit] : set) by_key[key].push_back(hit);
  for (const auto& [key, hits] : by_key)
    book.rate("the interval of `" + key + "` covers", setting, wanted, hits);
}

EvaluateOptions resampled(const Keys& keys) {
  return {.metrics = keys, .bootstrap = 200, .threads = 1, .consensus = false};
}

void cover_on_cells(Book& book, const Setting& s) {
  enter(book, s.name, kNearBoundary, simulate_sets(book.sets(300, 30), book.seed(), [&](std::uint64_t seed) {
          const Drawn d = draw(s, seed);
          const Result r = evaluate(items_of(d), resampled(kOnCells));
          const Result truth = evaluate(truth_of(d), {.metrics = kOnCells, .threads = 1, .consensus = false});
          Covered out;
          for (const auto& [key, m] : r.metrics)
            if (m.low) out[key] = covers(m, *truth[key].value);
          return out;
        }));
}

void cover_kernel_error(Book& book, const Setting& s) {
  enter(book, s.name, kNearBoundary, simulate_sets(book.sets(200, 10), book.seed(), [&](std::uint64_t seed) {
          const Drawn d = draw(s, seed);
          const Result r = evaluate(items_of(d), resampled({"ece_kde"}));
          double bandwidth = 0;
          for (const auto& [name, value] : r.settings)
            if (name == "bandwidth") bandwidth = std::get<double>(value);
          const Result truth = evaluate(truth_of(d), {.metrics = {"ece_kde"},
                                                      .threads = 1,
                                                      .bandwidth = bandwidth,
                                                      .leave_out = LeaveOut::item,
                                                      .consensus = false});
          return Covered{{"ece_kde", covers(r["ece_kde"], *truth["ece_kde"].value)}};
        }));
}

Keys operator+(Keys a, const Keys& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Keys and near-boundary keys of one setting, from the same sets.
void cover_population(Book& book, const Setting& s, const Keys& keys, Wanted wanted,
                      const Keys& near_boundary = {}) {
  Setting big = s;
  big.n = book.whole() ? 400'000 : 50'000;
  big.groups = 0;
  const Keys all = keys + near_boundary;
  const Result truth = evaluate(items_of(draw(big, 12345)), {.metrics = all, .consensus = false});
  const auto sets = simulate_sets(book.sets(200, 30), book.seed(), [&](std::uint64_t seed) {
    Covered out;
    for (const auto& [key, m] : evaluate(items_of(draw(s, seed)), resampled(all)).metrics)
      if (m.low) out[key] = covers(m, *truth[key].value);
    return out;
  });
  const auto part = [&](const Keys& of) {
    std::vector<Covered> out = sets;
    for (Covered& set : out)
      std::erase_if(set, [&](const auto& x) { return std::find(of.begin(), of.end(), x.first) == of.end(); });
    return out;
  };
  enter(book, s.name, wanted, part(keys));
  enter(book, s.name, kNearBoundary, part(near_boundary));
}

const Setting kOver200{.name = "slope 0.74, N = 200", .n = 200, .slope = 0.74};
const Setting kOver{.name = "slope 0.74, N = 400", .slope = 0.74};
const Setting kShifted{.name = "shift 0.5, N = 400", .shift = 0.5};
const Setting kRare{.name = "rare events, N = 1000", .n = 1000, .mean = -3.5};
const Setting kFourOver{.name = "K = 4, slope 0.74, N = 400", .classes = 4, .slope = 0.74};
const Setting kVotesOver{.name = "5 votes, slope 0.74, N = 200", .n = 200, .votes = 5, .slope = 0.74};
const Setting kGroupsOver{.name = "40 groups of 5, slope 0.74", .n = 200, .groups = 40, .slope = 0.74};

/// The median-unbiased value lies in its interval, and is as often above the truth as below where all gaps
/// have one size.
void corrected(Book& book) {
  const Keys keys{"ece", "ece_corrected"};
  const Setting plain{.name = "calibrated, N = 200", .n = 200};
  const Setting even{.name = "gaps of 0.1 of either sign, N = 1000", .n = 1000, .wave = 0.1, .spread = 1};
  for (const Setting& s : {plain, kOver, kRare, kVotesOver, kGroupsOver, even}) {
    struct Seen {
      bool outside, above;
    };
    const auto seen = simulate_sets(book.sets(200, 20), book.seed() + 1, [&](std::uint64_t seed) {
      const Drawn d = draw(s, seed);
      const MetricResult m = evaluate(items_of(d), resampled(keys))["ece_corrected"];
      const Result truth = evaluate(truth_of(d), {.metrics = {"ece"}, .threads = 1, .consensus = false});
      return Seen{*m.value < *m.low || *m.value > *m.high, *m.value > *truth["ece"].value};
    });
    std::vector<char> outside, above;
    for (const Seen& x : seen) {
      outside.push_back(x.outside);
      above.push_back(x.above);
    }
    book.never("`ece_corrected` lies outside its interval", s.name, outside);
    if (s.wave > 0) book.rate("`ece_corrected` is larger than the true error", s.name, {0.4, 0.6}, above);
  }
}

/// Of these keys no interval may be left out, whatever the data and the level.
void none_left_out(Book& book) {
  const Keys keys{"accuracy", "nll", "brier", "auroc", "ece", "ece_mass", "ece_kde", "cl"};
  for (const Setting& s :
       {Setting{.name = "N = 20", .n = 20}, Setting{.name = "about 2 events of 100", .n = 100, .mean = -4.5},
        Setting{.name = "forecasts near 0 and 1, N = 100", .n = 100, .spread = 8},
        Setting{.name = "K = 4, N = 100", .n = 100, .classes = 4},
        Setting{.name = "5 votes, N = 50", .n = 50, .votes = 5},
        Setting{.name = "10 groups of 10", .n = 100, .groups = 10}}) {
    const Keys asked = s.classes == 2 ? keys + kBinary : keys;
    book.never("an interval is left out of the keys that must have one", s.name,
               simulate_sets(book.sets(100, 5), book.seed() + 2, [&](std::uint64_t seed) {
                 const Result r = evaluate(items_of(draw(s, seed)), resampled(asked));
                 return std::any_of(r.metrics.begin(), r.metrics.end(),
                                    [](const auto& m) { return m.second.value && !m.second.low; });
               }));
  }
  for (const double level : {0.8, 0.99}) {
    const Setting s{.name = "5 votes, N = 50, level " + show(level), .n = 50, .votes = 5};
    book.never("an interval is left out of the keys that must have one", s.name,
               simulate_sets(book.sets(100, 5), book.seed() + 2, [&](std::uint64_t seed) {
                 EvaluateOptions o = resampled(keys + kBinary);
                 o.level = level;
                 const Result r = evaluate(items_of(draw(s, seed)), o);
                 return std::any_of(r.metrics.begin(), r.metrics.end(),
                                    [](const auto& m) { return m.second.value && !m.second.low; });
               }));
  }
}

void intervals_on_bins(Book& book) {
  if (!book.whole()) {
    for (const Setting& s : {kOver200, kVotesOver, kGroupsOver}) cover_on_cells(book, s);
    corrected(book);
    return;
  }
  corrected(book);
  const Setting plain200{.name = "calibrated, N = 200", .n = 200};
  for (const Setting& s :
       {plain200, Setting{.name = "calibrated, N = 400"}, kOver200, kOver,
        Setting{.name = "slope 0.74, N = 1000", .n = 1000, .slope = 0.74}, kShifted, kRare,
        Setting{.name = "rare events, shift 0.5, N = 1000", .n = 1000, .shift = 0.5, .mean = -3.5},
        Setting{.name = "K = 4, calibrated, N = 400", .classes = 4}, kFourOver,
        Setting{.name = "5 votes, calibrated, N = 200", .n = 200, .votes = 5}, kVotesOver,
        Setting{.name = "40 groups of 5, calibrated", .n = 200, .groups = 40}, kGroupsOver})
    cover_on_cells(book, s);
}

void kernel_intervals(Book& book) {
  if (!book.whole()) {
    cover_kernel_error(book, kShifted);
    return;
  }
  for (const Setting& s : {Setting{.name = "calibrated, N = 200", .n = 200}, kOver, kShifted, kFourOver,
                           kVotesOver, kGroupsOver})
    cover_kernel_error(book, s);
}

void intervals(Book& book) {
  if (!book.whole()) {
    cover_population(book, kOver200, kScores + kBinary, kUsual);
    cover_population(book, kShifted, kDebiased, kNearBoundary);
    return;
  }
  for (const Setting& s : {kOver, kRare})
    cover_population(book, s, kScores + kBinary + kRanking, kUsual, kDebiased);
  for (const Setting& s : {kOver200, kShifted})
    cover_population(book, s, kScores + kBinary, kUsual, kDebiased);
  for (const Setting& s :
       {Setting{.name = "calibrated, N = 400"}, Setting{.name = "shift 0.5, N = 200", .n = 200, .shift = 0.5},
        Setting{.name = "shift 1, N = 400", .shift = 1},
        Setting{.name = "rare events, shift 0.5, N = 1000", .n = 1000, .shift = 0.5, .mean = -3.5}})
    cover_population(book, s, kDebiased, kNearBoundary);
  cover_population(book, kFourOver, kScores + kDebiased, kNearBoundary);
  cover_population(book, kVotesOver, kScores + kBinary + kVotes + kDebiased, kNearBoundary);
  cover_population(book, kGroupsOver, kScores + kBinary + kDebiased, kNearBoundary);
  cover_population(book, {.name = "10 groups of 20, slope 0.74", .n = 200, .groups = 10, .slope = 0.74},
                   Keys{"accuracy", "nll", "brier", "auroc"} + kBinary, kNearBoundary);
}
const Topic kAlways{"intervals always there", none_left_out};
const Topic kOnBins{"intervals on bins", intervals_on_bins};
const Topic kKernels{"intervals of kernel errors", kernel_intervals};
const Topic kIntervals{"intervals", intervals};

}  // namespace
}  // namespace plumb::laws
