#include "evaluate/slices.hpp"

#include <set>

#include "evaluate/checks.hpp"
#include "evaluate/intervals.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/resample/resample.hpp"
#include "plumb/resample/slices.hpp"

namespace plumb::detail {
namespace {

/// Those of the draws that a calibrated model makes.
Selection null_part_of_slice(const Selection& drawn) {
  Selection out = drawn.part(interval_needs_null);
  out.products |= Product::event_table;
  return out;
}

/// Kinds whose bounds follow from a standard error can be taken at any level.
bool has_a_formula(const std::string& interval) {
  return interval == "wilson" || interval == "logit" || interval == "normal";
}

std::vector<std::string> titles(const std::vector<Names>& by) {
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (const Names& names : by) out.push_back(names.title());
  for (const std::string& title : out) seen.insert(title);
  if (seen.size() < out.size())
    for (std::size_t b = 0; b < by.size(); ++b) out[b] = by[b].source();
  return out;
}

}  // namespace

Selection drawn_in_slices(const Selection& selection, bool headlines) {
  Selection out = selection.part([headlines](const MetricRow& row) {
    return row.interval != Interval::none && (!headlines || row.headline.has(Place::slices));
  });
  out.products |= Product::event_table;  // votes and groups take the noise of their bins from here
  return out;
}

Slices::Slices(const Items& items, const EvaluateOptions& options, const Prepared& whole)
    : items_(items), options_(options), selection_(whole.selection()) {
  for (const Names& by : items.by) slices_ += std::ssize(by.distinct());
  intervals_ = options.bootstrap > 0 && slices_ > 0 && slices_ <= kMostSliceIntervals;
  if (!intervals_) return;
  drawn_ = drawn_in_slices(selection_, true);
  work_ = options.bootstrap * static_cast<double>(items.by.size()) *
          (whole.passes(drawn_) + whole.passes(null_part_of_slice(drawn_)));
}

/// Many slices run in parallel; few run one after the other on all threads.
void Slices::evaluate(Progress& progress, Result& result) const {
  if (items_.by.empty()) return;
  Items unsliced = items_;
  unsliced.by = {};  // a slice has one name
  const int threads = resolve_threads(options_.threads);
  const std::vector<std::string> names = titles(items_.by);
  for (std::size_t b = 0; b < items_.by.size(); ++b) {
    const Names& by = items_.by[b];
    std::vector<std::vector<std::int64_t>> rows(by.distinct().size());
    for (std::int64_t i = 0; i < items_.size(); ++i) rows[by.code(i)].push_back(i);
    const bool many = std::ssize(rows) >= 4 * threads;
    EvaluateOptions o = options_;
    o.null = NullKind::model;  // for intervals alone
    o.memory = 0;              // smaller than the whole, which was checked
    o.threads = many ? 1 : options_.threads;
    const std::size_t first = result.per_group.size();
    result.per_group.resize(first + rows.size());
    parallel_blocks(std::ssize(rows), 1, many ? threads : 1, [&](int, std::int64_t g, std::int64_t) {
      Progress quiet({}, options_.cancel);
      GroupResult& out = result.per_group[first + g];
      out = result_of(by.distinct()[g], unsliced.gather(rows[g]), o, quiet);
      out.by = names[b];
      progress.check();
      if (work_ > 0) progress.add(work_ * std::ssize(rows[g]) / (items_.size() * std::ssize(items_.by)));
      rows[g] = {};
    });
  }
  if (options_.bootstrap == 0) return;
  if (std::string note = slices_note(slices_, options_.level); !note.empty())
    result.notes.push_back(std::move(note));
}

GroupResult scores_of(const std::string& name, const Items& part, const Selection& selection,
                      const EvaluateOptions& o, Progress& quiet) {
  GroupResult group{name, part.size(), 0, {}};
  try {
    const Prepared prepared(part, selection, o, false, Product::event_table);
    const Observed observed = prepared.observe(quiet);
    check_mass(part, observed.sums.event.total());
    group.votes = narrow<std::int64_t>(observed.sums.event.total().votes);
    for (const MetricRow* row : selection.rows)
      group.metrics.emplace_back(row->key, observed.scores.at(std::string(row->key)).value);
  } catch (const InputError&) {  // a slice without votes has no values, which is not an error
    group.metrics.clear();
    for (const MetricRow* row : selection.rows) group.metrics.emplace_back(row->key, std::nullopt);
  }
  return group;
}

GroupResult Slices::result_of(const std::string& name, const Items& part, const EvaluateOptions& o,
                              Progress& quiet) const {
  GroupResult group = scores_of(name, part, selection_, o, quiet);
  if (intervals_ && group.votes > 0) add_slice_intervals(part, drawn_, slices_, o, quiet, group);
  return group;
}

/// The draws are those that the slice would have as a test set of its own.
void add_slice_intervals(const Items& part, const Selection& drawn, std::int64_t slices,
                         const EvaluateOptions& o, Progress& quiet, GroupResult& out) {
  const SampleSize size = sample_size(part);
  if (size.units < kEnoughUnits) return explain_small_slice(size.grouped, drawn.rows, out);
  const Prepared prepared(part, drawn, o, true, ProductSet(Product::event_table) | Product::event_column);
  const Observed observed = prepared.observe(quiet);
  const Bands bands{observed.smooth_sigma};
  const std::vector<Drawn> boot =
      prepared.score(drawn, numbered_draws(o.bootstrap), o.threads, quiet, &bands);
  const NullModel model = prepared.fit_null(observed.sums.several_votes);
  const std::vector<Drawn> null = prepared.score(
      null_part_of_slice(drawn), numbered_draws(o.bootstrap, &model), o.threads, quiet, &bands);
  EvaluateOptions wide = o;
  wide.level = simultaneous_level(o.level, slices);
  const Inference plain(observed, boot, null, size, part.binary(), o);
  const Inference wider(observed, boot, null, size, part.binary(), wide);
  for (const MetricRow* row : drawn.rows) {
    const MetricResult m = plain.result(*row);
    if (row->key == "ece_corrected")
      for (auto& [key, value] : out.metrics)
        if (key == row->key) value = m.value;
    if (m.value && !m.low) out.interval_why.emplace_back(row->key, m.interval_why);
    if (!m.value || !m.low || !m.high) continue;
    const bool percentiles = m.interval == "percentile" && !size.grouped;
    Bounds all = widened({*m.low, *m.high}, *m.value, o.level, wide.level, row->low, row->high,
                         percentiles ? plain.loss_degrees() : 1e12);
    if (has_a_formula(m.interval))
      if (const MetricResult w = wider.result(*row); w.low && w.high) all = {*w.low, *w.high};
    out.intervals.emplace_back(row->key, SliceInterval{*m.low, *m.high, m.interval, all.low, all.high});
  }
}

}  // namespace plumb::detail
