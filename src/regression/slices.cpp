#include "regression/slices.hpp"

#include <algorithm>
#include <array>

#include "plumb/data/check.hpp"
#include "plumb/resample/resample.hpp"
#include "plumb/resample/slices.hpp"
#include "regression/intervals.hpp"

namespace plumb::detail {
namespace {

/// What tables of slices show.
constexpr std::array kShown{"mse", "nll", "zms", "uce", "coverage_90"};

struct Draws {
  RegressionSelection selection;  // empty: no intervals
  double wider = 0;               // level of all slices together
};

void add_intervals(const RegressionItems& slice, const Draws& draws, const RegressionOptions& o,
                   GroupResult& out) {
  if (draws.selection.rows.empty()) return;
  if (drawable_units(slice) < kEnoughUnits)
    return explain_small_slice(!slice.groups.empty(), draws.selection.rows, out);
  const PreparedRegression prepared(slice, draws.selection, o);
  const Scores scores = prepared.finish(prepared.products());
  std::vector<RegressionDraw> numbers(o.bootstrap);
  for (int b = 0; b < o.bootstrap; ++b) numbers[b] = {o.seed, b};
  Progress quiet({}, o.cancel);
  const std::vector<Scores> replicates = prepared.score(numbers, quiet);
  const RegressionUnits sample = regression_sample(slice);
  for (const MetricRow* row : draws.selection.rows) {
    std::vector<double> drawn;
    for (const Scores& replicate : replicates)
      if (const Estimate& x = replicate.find(row->key)->second) drawn.push_back(*x.value);
    MetricResult m, all;
    m.value = all.value = scores.find(row->key)->second.value;
    if (!m.value) continue;
    add_regression_interval(*row, drawn, sample, o.level, m);
    if (!m.low || !m.high) {
      out.interval_why.emplace_back(row->key, m.interval_why);
      continue;
    }
    Bounds wide = widened({*m.low, *m.high}, *m.value, o.level, draws.wider, row->low, row->high);
    if (m.interval != "percentile" && m.interval != "basic") {
      add_regression_interval(*row, std::move(drawn), sample, draws.wider, all);
      wide = {*all.low, *all.high};
    }
    out.intervals.emplace_back(row->key, SliceInterval{*m.low, *m.high, m.interval, wide.low, wide.high});
  }
}

}  // namespace

void add_regression_slices(const RegressionItems& items, const RegressionSelection& selection,
                           const RegressionOptions& o, Result& result) {
  std::int64_t slices = 0;
  for (const Names& by : items.by) slices += std::ssize(by.distinct());
  Draws draws;
  std::vector<std::string> keys;
  for (const MetricRow* row : selection.rows)
    if (std::find(kShown.begin(), kShown.end(), row->key) != kShown.end()) keys.emplace_back(row->key);
  if (o.bootstrap > 0 && slices > 0 && slices <= kMostSliceIntervals && !keys.empty()) {
    draws.selection = select_regression(keys, items.has_parts());
    draws.wider = simultaneous_level(o.level, slices);
  }
  for (const Names& by : items.by) {
    std::vector<std::vector<std::int64_t>> members(by.distinct().size());
    for (std::int64_t i = 0; i < items.size(); ++i) members[by.code(i)].push_back(i);
    for (std::size_t g = 0; g < members.size(); ++g) {
      GroupResult group{by.distinct()[g], std::ssize(members[g]), 0, {}, by.title()};
      RegressionItems slice = items.gather(members[g]);
      slice.by = {};
      Scores scores;
      try {
        const PreparedRegression prepared(slice, selection, o);
        scores = prepared.finish(prepared.products());
      } catch (const InputError&) {  // all of weight 0: no values, which is not an error
      }
      const bool scored = !scores.empty();
      for (const MetricRow* row : selection.rows)
        group.metrics.emplace_back(row->key, scores[std::string(row->key)].value);
      if (scored) add_intervals(slice, draws, o, group);
      result.per_group.push_back(std::move(group));
    }
  }
  if (o.bootstrap == 0 || slices == 0) return;
  if (std::string note = slices_note(slices, o.level); !note.empty()) result.notes.push_back(std::move(note));
}

}  // namespace plumb::detail
