#include "plumb/uncertainty/uncertainty.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "plumb/data/check.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/memory.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/progress.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/numeric/special.hpp"
#include "plumb/resample/interval.hpp"
#include "plumb/resample/resample.hpp"
#include "plumb/uncertainty/permutation.hpp"
#include "uncertainty/score_column.hpp"

namespace plumb {
namespace {

using detail::ConfidenceColumn;
using detail::OddsDesign;

constexpr int kDeferralPoints = 20;

constexpr int kFineBins = 16384;

/// Bins by the rarer outcome, put together from fine ones.
std::vector<UncertaintyBin> join_fine(const std::vector<UncertaintyBin>& fine, const RarerOutcome& rarer) {
  const auto rare = [&](const UncertaintyBin& b) { return rarer.right ? b.hits : b.mass - b.hits; };
  double total = 0;  // whole numbers: exact
  for (const UncertaintyBin& b : fine) total += rare(b);
  std::vector<UncertaintyBin> out;
  double below = 0;
  int bin = -1;
  for (const UncertaintyBin& b : fine) {
    const int at = std::min(rarer.bins - 1, static_cast<int>(rarer.bins * below / total));
    if (at == bin) {
      out.back().join(b);
    } else {
      out.push_back(b);
    }
    bin = at;
    below += rare(b);
  }
  return out;
}

/// eor with the measure permuted. Single votes of weight one are dealt out bin by bin: where the bins depend
/// on the outcomes and there are many items, to fine bins first, so that edges are off by at most one of
/// these. Anything else item by item.
std::vector<double> null_odds(const ConfidenceColumn& column, const std::vector<UncertaintyBin>& bins,
                              const OddsDesign& design, const UncertaintyOptions& o, Progress& progress) {
  std::vector<Estimate> eor(o.permutations);
  const bool counts = column.view.trials.empty() && column.view.weight.empty() && o.coarsen == 0;
  const bool fine = counts && design.rarer && column.view.size() > kFineBins;
  const bool plain = fine || (counts && !design.rarer);
  const std::vector<UncertaintyBin> sizes = fine ? equal_mass_bins(column.view, kFineBins) : bins;
  std::vector<PermutedColumn> scratch(resolve_threads(o.threads));
  parallel_blocks(o.permutations, 1, o.threads, [&](int worker, std::int64_t r, std::int64_t) {
    RandomStream random(o.seed, Purpose::sample, narrow<std::uint32_t>(r));
    std::vector<UncertaintyBin> dealt;
    if (plain) {
      dealt = sizes;
      deal_outcomes(dealt, random);
      if (fine) dealt = join_fine(dealt, design.outcome);
    } else {
      PermutedColumn& p = scratch[worker];
      p.permute(column.view, column.unit, random);
      dealt = detail::odds_bins_of({p.view(), p.unit(), column.units}, design, o);
    }
    eor[r] = detail::odds_ratio(dealt, design, o).eor;
    progress.add(1);
  });
  std::vector<double> out;
  for (const Estimate& e : eor)
    if (e) out.push_back(*e.value);
  return out;
}

/// Values of each key over the replicates that had one: Poisson(1) weights on units.
std::map<std::string, std::vector<double>> bootstrap(const ConfidenceColumn& column,
                                                     const std::vector<std::uint64_t>& units,
                                                     const OddsDesign& design, const UncertaintyOptions& o,
                                                     Progress& progress) {
  std::vector<Scores> all(o.bootstrap);
  parallel_blocks(o.bootstrap, 1, o.threads, [&](int, std::int64_t r, std::int64_t) {
    thread_local std::vector<std::uint32_t> times;
    times.resize(units.size());
    fill_poisson(o.seed, narrow<std::uint32_t>(r), units, times);
    ConfidenceColumn drawn = column;
    drawn.view.times = times;
    all[r] = detail::score_column(drawn, design, o, 1).scores;
    progress.add(1);
  });
  std::map<std::string, std::vector<double>> out;
  for (const Scores& scores : all)
    for (const auto& [key, e] : scores)
      if (e) out[key].push_back(*e.value);
  return out;
}

/// Normal on the scale of log eor. The spread is the root mean square distance of the replicates' logarithms
/// from the value's: it counts their bias too, which is as large as their standard deviation where a weak
/// measure has many bins. An odds ratio is at least 1.
/// No interval when a tenth of the replicates has no value.
void add_log_interval(const std::vector<double>& replicates, const UncertaintyOptions& o, MetricResult& m) {
  if (o.bootstrap == 0 || std::ssize(replicates) < 2 || std::ssize(replicates) < 0.9 * o.bootstrap) return;
  ExactSum squares;
  const double centre = log_portable(*m.value);
  for (const double x : replicates) {
    const double distance = log_portable(x) - centre;
    squares.add(distance * distance);
  }
  const double half =
      normal_quantile((1 + o.level) / 2) * std::sqrt(squares.value() / std::ssize(replicates));
  m.low = std::max(1.0, *m.value * exp_portable(-half));
  m.high = *m.value * exp_portable(half);
  m.interval = "log";
}

class Scorer {
 public:
  Scorer(const Items& items, const Outcomes& outcomes, const UncertaintyOptions& o, Progress& progress)
      : items_(items), outcomes_(outcomes), units_(items), o_(o), progress_(progress) {
    shared_.hits = outcomes.hits;
    shared_.trials = outcomes.trials;
    shared_.weight = outcomes.weight;
  }

  MeasureResult score(Measure measure) {
    MeasureResult out;
    out.name = measure.name;
    out.why = measure.why;
    if (!out.why.empty()) return out;
    for (double& y : measure.values) y = 0.0 - y;
    shared_.p = std::move(measure.values);
    const SortedForecasts sorted = sort_forecasts(shared_, o_.threads);
    shared_.p = {};
    const std::vector<std::uint32_t> groups = group_numbers(sorted.order);
    const ConfidenceColumn column{sorted.view(), groups, items_.groups.distinct().size()};

    const OddsDesign design = detail::odds_design(column, o_);
    detail::ColumnScores scored = detail::score_column(column, design, o_, o_.threads);
    out.bins = std::move(scored.bins);
    out.odds_bins = std::move(scored.odds_bins);
    out.eor_bins = scored.odds.bins;
    out.pooled_bins = scored.odds.pooled_bins;
    parallel_blocks(4, 1, o_.threads, [&](int, std::int64_t walk, std::int64_t) {
      if (walk == 3 && o_.confidence > 0)
        out.guarantees =
            guaranteed_thresholds(column.view, column.unit, column.units, o_.targets, o_.confidence);
      if (walk == 0 && o_.coarsen == 0) {
        add_errors(out.bins, column.view, column.unit, column.units);
        add_errors(out.odds_bins, column.view, column.unit, column.units);
      }
      if (walk == 1) out.thresholds = find_thresholds(column.view, o_.targets);
      if (walk == 2) out.deferral = deferral(column.view, kDeferralPoints);
    });
    const double trusted = o_.coarsen > 0 ? o_.coarsen : kTrustedRelativeError;
    for (const UncertaintyBin& b : out.bins) {
      const auto relative = b.relative_error();
      out.doubtful_bins += !relative || *relative > trusted;
    }
    add_results(column, sorted.order, design, scored.scores, out);
    return out;
  }

 private:
  [[nodiscard]] std::vector<std::uint32_t> group_numbers(const std::vector<std::uint32_t>& order) const {
    std::vector<std::uint32_t> out;
    if (items_.groups.empty()) return out;
    resize_large(out, order.size());
    for (std::size_t i = 0; i < order.size(); ++i) out[i] = items_.groups.code(outcomes_.row_of(order[i]));
    return out;
  }

  void add_results(const ConfidenceColumn& column, const std::vector<std::uint32_t>& order,
                   const OddsDesign& design, const Scores& scores, MeasureResult& out) {
    std::map<std::string, std::vector<double>> replicates;
    if (o_.bootstrap > 0) {
      std::vector<std::uint64_t> units(order.size());
      for (std::size_t i = 0; i < order.size(); ++i) units[i] = units_.unit_of(outcomes_.row_of(order[i]));
      replicates = bootstrap(column, units, design, o_, progress_);
    }
    std::vector<double> null;
    if (o_.permutations > 0 && scores.at("eor")) null = null_odds(column, out.bins, design, o_, progress_);
    for (const char* key : detail::kUncertaintyKeys) {
      const Estimate& e = scores.at(key);
      MetricResult m;
      m.value = e.value;
      m.why = e.why;
      if (m.value && design.rarer && key == std::string_view("eor")) {
        add_log_interval(replicates[key], o_, m);
      } else if (m.value && !replicates[key].empty()) {
        const Bounds b = percentile_bounds(replicates[key], o_.level);
        m.low = b.low;
        m.high = b.high;
        m.interval = "percentile";
      }
      if (m.value && key == std::string_view("eor") && !null.empty()) {
        m.null_mean = mean(null);
        m.p_value = p_value(*m.value, null);
      }
      out.scores.emplace_back(key, std::move(m));
    }
  }

  const Items& items_;
  const Outcomes& outcomes_;
  Units units_;
  const UncertaintyOptions& o_;
  Progress& progress_;
  Forecasts shared_;  ///< p is the measure at work, the rest serves them all
};

double accuracy_of(const Outcomes& o) {
  const std::vector<double> flat(o.size(), 0.0);
  const auto bins = equal_mass_bins({flat, o.hits, o.trials, o.weight, {}, true}, 1);
  return bins.front().accuracy();
}

/// Where the suspects come from: as asked, otherwise u1, otherwise the first measure that does not look at
/// the labels.
const Measure* suspects_measure(const std::vector<Measure>& measures, const std::string& asked) {
  const auto named = [&](const std::string& name) -> const Measure* {
    for (const Measure& m : measures)
      if (m.name == name && m.why.empty()) return &m;
    return nullptr;
  };
  if (!asked.empty()) {
    if (const Measure* m = named(asked)) return m;
    std::vector<std::string> known;
    for (const Measure& m : measures)
      if (m.why.empty()) known.push_back(m.name);
    throw InputError("⟦suspects_by⟧: there is no measure \"" + asked + "\" here" +
                     did_you_mean(asked, known) + "; choose one of " +
                     fmt::format("{}", fmt::join(known, ", ")));
  }
  if (const Measure* m = named("u1")) return m;
  for (const Measure& m : measures)
    if (m.why.empty() && m.name != "loss") return &m;
  return nullptr;
}

/// By odds ratio; those without one last, by how well they rank.
std::pair<double, double> rank_key(const MeasureResult& m) {
  if (!m.why.empty()) return {0, 0};
  return {m["eor"].value.value_or(0), m["auroc_unbinned"].value.value_or(0)};
}

}  // namespace

UncertaintyResult uncertainty(const Items& items, const std::vector<std::pair<std::string, Rows>>& own,
                              const Names& ids, const UncertaintyOptions& asked) {
  detail::check_options(asked);
  if (items.predictions.samples() == 0) throw InputError("no predictions given; use ⟦probs⟧ or ⟦logits⟧");
  check_items(items);
  UncertaintyOptions options = asked;
  const std::int64_t units = asked.bootstrap > 0 ? drawable_units(items) : kEnoughUnits;
  if (units < 2) options.bootstrap = 0;
  Measured measured = measure_items(items, options.measures, options.top, options.threads);
  for (const auto& [name, rows] : own) {
    for (const Measure& m : measured.measures)
      if (m.name == name)
        throw InputError("⟦score⟧: there is already a measure \"" + name + "\"; give it another name");
    measured.measures.push_back(own_measure(name, rows, items, measured.outcomes));
  }
  const Outcomes& outcomes = measured.outcomes;
  UncertaintyResult out;
  out.few_units = few_units_note(units, !items.groups.empty());
  out.items = std::ssize(outcomes);
  out.votes = outcomes.votes;
  out.groups = items.groups.empty() ? 0 : std::ssize(items.groups.distinct());
  out.confidence = options.targets.empty() ? 0 : options.confidence;
  out.left_out = items.size() - out.items;
  out.permutations = options.permutations;
  out.accuracy = accuracy_of(outcomes);
  out.base = options.base_rate.value_or(out.accuracy);
  if (options.suspects > 0) {
    if (const Measure* by = suspects_measure(measured.measures, options.suspects_by)) {
      out.suspects_by = by->name;
      out.suspects = detail::find_suspects(items, outcomes, by->values, ids, options.suspects);
    }
  }
  Progress progress(options.progress, options.cancel);
  progress.expect((1.0 * options.bootstrap + options.permutations) * measured.measures.size());
  Scorer scorer(items, outcomes, options, progress);
  for (Measure& m : measured.measures) out.measures.push_back(scorer.score(std::move(m)));
  std::stable_sort(out.measures.begin(), out.measures.end(),
                   [](const MeasureResult& a, const MeasureResult& b) { return rank_key(a) > rank_key(b); });
  return out;
}

}  // namespace plumb
