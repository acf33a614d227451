#include "plumb/evaluate/case_stability.hpp"

#include <algorithm>
#include <cmath>
#include <future>
#include <limits>
#include <map>

#include "evaluate/case_draws.hpp"
#include "evaluate/checks.hpp"
#include "evaluate/prepared.hpp"
#include "evaluate/stability_parts.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb {

using namespace detail;

namespace {

/// One case after the other, the next one read on another thread; errors name the case.
template <class Body>
void each_case(std::span<const std::string> names, const std::function<Case(std::int64_t)>& read, Body body) {
  const auto n = std::ssize(names);
  const auto begin = [&](std::int64_t i) {
    return i < n ? std::async(std::launch::async, [&read, i] { return read(i); }) : std::future<Case>();
  };
  std::future<Case> next = begin(0);
  for (std::int64_t i = 0; i < n; ++i) {
    try {
      const Case c = next.get();
      next = begin(i + 1);
      body(c);
    } catch (const InputError& e) {
      throw InputError("case " + names[i] + ": " + e.sentence());
    }
  }
}

int rater_of(const Case& c, const std::string& rater) {
  const auto at = std::find(c.raters.begin(), c.raters.end(), rater);
  if (at == c.raters.end())
    throw InputError("⟦single⟧ rater:" + rater + ": it has no mask of this rater" +
                     did_you_mean(rater, c.raters) + "; take a rater of all cases, or random");
  return narrow<int>(at - c.raters.begin());
}

void check_majority(const Case& c, const StabilityOptions& o) {
  if (o.single == SingleLabel::majority && c.items.votes.raters() == 2)
    throw InputError("two raters have no majority; compare with one of them, ⟦single⟧ rater:" +
                     c.raters.front() + ", or with a random one, ⟦single⟧ random");
}

StreamSums sums_of(const Items& items, const Selection& selection, const EvaluateOptions& o) {
  Progress silent({}, o.cancel);
  return stream_sums(items, equal_width_plan(o.bins, items.classes()), selection.products, o, silent);
}

/// The sums of a unit, with all votes and with one label.
struct UnitSums {
  std::optional<StreamSums> multi, single;
};

void set_or_merge(std::optional<StreamSums>& into, StreamSums sums) {
  if (into) {
    into->merge(sums);
  } else {
    into = std::move(sums);
  }
}

Paths paths_of(const std::vector<UnitSums>& units, std::optional<StreamSums> UnitSums::*which,
               const MetricRow& row, const Selection& selection, const std::vector<double>& fractions,
               const StabilityOptions& o, int classes) {
  const EvaluateOptions& e = o.evaluate;
  const StreamSums none = StreamBuilder(equal_width_plan(e.bins, classes), selection.products).finish();
  const FinishOptions how{e.bins, e.clip, e.leave_out, classes == 2, false, 1};
  const Selection one = selection.part([&](const MetricRow& r) { return r.key == row.key; });
  Paths all(o.repeats);
  parallel_blocks(o.repeats, 1, e.threads, [&](int, std::int64_t repeat, std::int64_t) {
    for (const auto& counts : subset_counts(units.size(), fractions, o, narrow<std::uint32_t>(repeat))) {
      StreamSums sums = none;
      for (std::size_t u = 0; u < units.size(); ++u) merge_times(sums, *(units[u].*which), counts[u]);
      Scores scores;
      detail::finish(one, Products(sums, selection.products, how), scores);
      const auto at = scores.find(row.key);
      if (at != scores.end() && at->second) all[repeat].push_back(*at->second.value);
    }
  });
  std::erase_if(all, [&](const auto& path) { return path.size() != fractions.size(); });
  return all;
}

void need_sums(const Selection& selection) {
  for (const MetricRow* row : selection.rows)
    if (!kStreamingProducts.has(run_of(*row).needs(selection.binary)))
      throw InputError(
          "⟦estimators⟧: " + std::string(row->key) +
          " needs all voxels sorted, and over cases only sums are kept; use ⟦within⟧ case, or ece");
}

OverCases over(const std::vector<double>& values) {
  OverCases out;
  out.cases = std::ssize(values);
  if (values.empty()) return out;
  ExactSum sum, squares;
  for (const double v : values) sum.add(v);
  const auto n = static_cast<double>(values.size());
  out.mean = sum.value() / n;
  for (const double v : values) squares.add((v - out.mean) * (v - out.mean));
  if (n > 1) out.sd = std::sqrt(squares.value() / (n - 1));
  return out;
}

EvaluateOptions with_estimators(const StabilityOptions& o) {
  EvaluateOptions e = o.evaluate;
  e.metrics = o.estimators;
  e.keys_option = "estimators";
  return e;
}

}  // namespace

Stability stability_over_cases(std::span<const std::string> names,
                               const std::function<Case(std::int64_t)>& read,
                               const CaseStabilityOptions& options) {
  const StabilityOptions& o = options.stability;
  const EvaluateOptions e = with_estimators(o);
  if (e.binning == Binning::mass)
    throw InputError("⟦binning⟧ mass needs all voxels sorted; use ⟦within⟧ case, or bins of equal width");
  if (o.single == SingleLabel::random)
    throw InputError(
        "⟦single⟧ random redraws the votes of all voxels in every repeat; over cases take majority or rater:NAME, or use ⟦within⟧ case");
  Progress progress(o.progress, e.cancel);
  progress.expect(static_cast<double>(names.size()));
  Stability out;
  std::map<std::string, std::size_t> number;
  std::vector<UnitSums> units;
  Selection selection;
  int classes = 0;
  bool several = false;
  each_case(names, read, [&](const Case& c) {
    check_items(c.items);
    if (classes == 0) {
      classes = c.items.classes();
      selection = select_metrics(e, task_kind(c.items));
      need_sums(selection);
    } else if (classes != c.items.classes()) {
      throw InputError("it has " + counted(c.items.classes(), "class") + ", and the cases before it have " +
                       std::to_string(classes));
    }
    check_majority(c, o);
    StreamSums multi = sums_of(c.items, selection, e);
    Items one = c.items;
    if (o.single == SingleLabel::majority) {
      one = consensus(c.items, {e.ties, e.seed}, e.threads).items;
    } else {
      one.votes = c.items.votes.of_rater(rater_of(c, options.rater));
    }
    several = several || c.items.votes.raters() > 1;
    const auto [at, fresh] = number.emplace(c.unit, units.size());
    if (fresh) units.emplace_back();
    out.items += c.items.size();
    out.votes += narrow<std::int64_t>(multi.event.total().votes);
    set_or_merge(units[at->second].multi, std::move(multi));
    set_or_merge(units[at->second].single, sums_of(one, selection, e));
    progress.add(1);
  });
  check_stability_options(o, std::ssize(units));
  out.fractions = fractions_of(o);
  out.units = std::ssize(units);
  for (const MetricRow* row : selection.rows) {
    EstimatorStability s;
    s.key = row->key;
    const Paths multi = paths_of(units, &UnitSums::multi, *row, selection, out.fractions, o, classes);
    s.multi = curve_of(multi, out.fractions.size());
    s.has_single = several;
    if (several) {
      const Paths single = paths_of(units, &UnitSums::single, *row, selection, out.fractions, o, classes);
      s.single = curve_of(single, out.fractions.size());
      ratio_of(single, multi, s);
    }
    for (std::size_t f = 0; f < out.fractions.size(); ++f)
      s.precision.push_back(
          {std::llround(out.fractions[f] * static_cast<double>(out.units)), 0, s.multi.sd[f]});
    out.estimators.push_back(std::move(s));
  }
  return out;
}

WithinCases stability_within_cases(std::span<const std::string> names,
                                   const std::function<Case(std::int64_t)>& read,
                                   const CaseStabilityOptions& options) {
  StabilityOptions o = options.stability;
  o.raters = {std::numeric_limits<int>::max()};  // no curve by number of votes
  Progress progress(o.progress, o.evaluate.cancel);
  progress.expect(static_cast<double>(names.size()));
  o.progress = {};
  WithinCases out;
  each_case(names, read, [&](const Case& c) {
    check_majority(c, o);
    if (o.single == SingleLabel::rater) o.rater = rater_of(c, options.rater);
    Stability s = stability(c.items, o);
    out.fractions = s.fractions;
    out.items += s.items;
    out.votes += s.votes;
    out.cases.push_back({c.name, s.items, s.votes, std::move(s.estimators)});
    progress.add(1);
  });
  for (std::size_t k = 0; k < out.cases.front().estimators.size(); ++k) {
    WithinEstimator w;
    w.key = out.cases.front().estimators[k].key;
    std::vector<double> multi, single, ratio;
    for (const CaseVariation& c : out.cases) {
      const EstimatorStability& e = c.estimators.at(k);
      if (e.multi.repeats > 0) multi.push_back(e.multi.tv_sum.value);
      if (e.has_single && e.single.repeats > 0) single.push_back(e.single.tv_sum.value);
      if (e.ratio) ratio.push_back(*e.ratio);
    }
    w.multi = over(multi);
    w.single = over(single);
    w.ratio = over(ratio);
    out.estimators.push_back(std::move(w));
  }
  return out;
}

}  // namespace plumb
