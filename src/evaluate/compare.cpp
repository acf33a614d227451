#include "plumb/evaluate/compare.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "evaluate/checks.hpp"
#include "evaluate/describe.hpp"
#include "evaluate/intervals.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/resample/interval.hpp"

namespace plumb {

using namespace detail;

namespace {

/// What is compared: the value, or its distance from the ideal one.
double quantity(double x, Better better) {
  if (better == Better::zero) return std::abs(x);
  if (better == Better::one) return std::abs(x - 1);
  return x;
}

/// Whether a is better than b, both as compared.
bool beats(double a, double b, Better better) { return better == Better::higher ? a > b : a < b; }

/// One model: its values, and its scores in every draw.
struct Scored {
  Observed observed;
  std::vector<std::string> notes;
  std::vector<Drawn> draws;
};

/// Poisson(1) counts keyed by (seed, replicate, unit): the same for every model. The first of so many models
/// announces the work of all.
Scored scored(const Items& items, const Selection& selection, const EvaluateOptions& o, std::int64_t models,
              Progress& progress) {
  const Prepared prepared(items, selection, o, o.bootstrap > 0, Product::event_table);
  Scored out{prepared.observe(progress), {}, {}};
  check_mass(items, out.observed.sums.event.total());
  add_notes(out.observed.sums, items.size(), true, out.notes);
  add_kernel_note(prepared.kernel(), out.notes);
  if (o.bootstrap == 0) return out;
  progress.expect(models * o.bootstrap * prepared.passes(selection));
  Bands bands;
  if (selection.has("ece_mass")) bands.mass = out.observed.mass.cells;
  out.draws = prepared.score(selection, numbered_draws(o.bootstrap), o.threads, progress, &bands);
  return out;
}

std::optional<double> value_in(const Drawn& draw, const std::string& key) {
  const auto at = draw.scores.find(key);
  return at == draw.scores.end() ? std::nullopt : at->second.value;
}

Difference pair_difference(const MetricRow& row, const ComparedMetric& metric, std::size_t from,
                           std::size_t to, const std::vector<Scored>& models, double level) {
  Difference d;
  const auto &a = metric.values[from].value, &b = metric.values[to].value;
  if (a && b) {
    const double value = quantity(*b, row.better) - quantity(*a, row.better);
    std::vector<double> drawn;  // pairs in which both have a value
    for (std::int64_t r = 0; r < std::ssize(models[from].draws); ++r) {
      const auto x = value_in(models[from].draws[r], metric.key);
      const auto y = value_in(models[to].draws[r], metric.key);
      if (x && y) drawn.push_back(quantity(*y, row.better) - quantity(*x, row.better));
    }
    d = difference_of(value, std::move(drawn), row.interval, level);
  }
  d.from = from;
  d.to = to;
  return d;
}

/// The one model that beats all others.
std::optional<std::size_t> best_of(const ComparedMetric& metric) {
  if (metric.better == Better::neither) return std::nullopt;
  for (std::size_t i = 0; i < metric.values.size(); ++i) {
    bool all = metric.values[i].value.has_value();
    for (std::size_t j = 0; j < metric.values.size() && all; ++j)
      all = i == j || (metric.values[j].value &&
                       beats(quantity(*metric.values[i].value, metric.better),
                             quantity(*metric.values[j].value, metric.better), metric.better));
    if (all) return i;
  }
  return std::nullopt;
}

bool is_clear(const ComparedMetric& metric, double level) {
  if (!metric.best) return false;
  return std::all_of(metric.differences.begin(), metric.differences.end(), [&](const Difference& d) {
    if (d.from != *metric.best && d.to != *metric.best) return true;
    return d.p_value && *d.p_value <= 1 - level;
  });
}

void check_models(const std::vector<NamedModel>& models) {
  if (models.size() < 2)
    throw InputError("a comparison needs two models or more; give each with ⟦model⟧ NAME=FILE");
  std::set<std::string> names;
  const Items& first = models.front().items;
  for (const NamedModel& m : models) {
    if (!names.insert(m.name).second)
      throw InputError("two models are called \"" + m.name + "\"; give them different names");
    check_items(m.items);
    check_same_rows("model " + models.front().name, first.size(), "model " + m.name, m.items.size());
    if (m.items.classes() != first.classes())
      throw InputError("model " + models.front().name + " has " + std::to_string(first.classes()) +
                       " classes but model " + m.name + " has " + std::to_string(m.items.classes()) +
                       "; compare models of the same task");
  }
}

}  // namespace

Difference difference_of(double value, std::vector<double> replicates, Interval interval, double level) {
  Difference d;
  d.value = value;
  if (replicates.empty()) return d;
  const bool basic = interval == Interval::basic;
  const double edge = basic ? 2 * value : 0;  // the replicate at which the interval's bound is 0
  const double n = std::ssize(replicates);
  const double above =
      std::count_if(replicates.begin(), replicates.end(), [edge](double x) { return x >= edge; });
  const double below =
      std::count_if(replicates.begin(), replicates.end(), [edge](double x) { return x <= edge; });
  d.p_value = std::min(1.0, 2 * (1 + std::min(above, below)) / (1 + n));
  const Bounds b = percentile_bounds(std::move(replicates), level);
  d.low = basic ? 2 * value - b.high : b.low;
  d.high = basic ? 2 * value - b.low : b.high;
  return d;
}

Comparison compare(const std::vector<NamedModel>& models, const EvaluateOptions& asked) {
  check_models(models);
  const Items& first = models.front().items;
  check_options(asked);
  check_cells(first.classes(), asked.bins);
  EvaluateOptions options = asked;
  const SampleSize size = asked.bootstrap > 0 ? sample_size(first) : SampleSize{.units = kEnoughUnits};
  if (size.units < 2) options.bootstrap = 0;
  Progress progress(options.progress, options.cancel);
  Comparison out;
  std::vector<Scored> scores;
  const Selection selection = select_metrics(options, task_kind(first));
  for (const NamedModel& m : models) {
    out.models.push_back(m.name);
    scores.push_back(scored(m.items, selection, options, scores.empty() ? std::ssize(models) : 0, progress));
    for (const std::string& note : scores.back().notes) out.notes.push_back(m.name + ": " + note);
  }
  if (const std::string note = few_units_note(size.units, !first.groups.empty()); !note.empty())
    out.notes.push_back(note);
  out.items = first.size();
  out.classes = first.classes();
  out.votes = narrow<std::int64_t>(scores.front().observed.sums.event.total().votes);
  out.wins.resize(models.size());
  const std::vector<Drawn> no_null;
  std::vector<Inference> inference;
  for (const Scored& s : scores)
    inference.emplace_back(s.observed, s.draws, no_null, size, first.binary(), options);
  for (const MetricRow* row : selection.rows) {
    ComparedMetric metric;
    metric.key = row->key;
    metric.better = row->better;
    metric.interval = row->interval == Interval::basic ? "basic" : "percentile";
    for (const Inference& model : inference) metric.values.push_back(model.result(*row));
    for (std::size_t from = 0; from < models.size(); ++from)
      for (std::size_t to = from + 1; to < models.size(); ++to)
        metric.differences.push_back(pair_difference(*row, metric, from, to, scores, options.level));
    metric.best = best_of(metric);
    metric.clear = is_clear(metric, options.level);
    if (metric.best) {
      ++out.wins[*metric.best].best;
      out.wins[*metric.best].clear += metric.clear;
    }
    out.metrics.push_back(std::move(metric));
  }
  return out;
}

}  // namespace plumb
