#include "plumb/evaluate/compare.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>

#include "evaluate/weightings.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/resample/interval.hpp"

namespace plumb {
namespace {

/// Replicates that one worker carries through a model's data at once.
constexpr std::int64_t kChunk = 4;

/// What is compared: the value, or its distance from the ideal one.
double quantity(double x, Better better) {
  if (better == Better::zero) return std::abs(x);
  if (better == Better::one) return std::abs(x - 1);
  return x;
}

/// Whether a is better than b, both as compared.
bool beats(double a, double b, Better better) { return better == Better::higher ? a > b : a < b; }

/// The scores of every replicate, by replicate: Poisson(1) weights keyed by (seed, replicate, unit), the same
/// for every model.
std::vector<Scores> replicates_of(const Items& items, const EvaluateOptions& o,
                                  const std::function<void(double)>& step) {
  const Selection selection = select_metrics(o, task_kind(items));
  const CellPlan plan = cell_plan(items, selection, o);
  std::optional<OrderedColumns> columns;
  ForecastsView event;
  if (selection.ordered) {
    columns.emplace(items, selection, o.threads);
    event = columns->event.view();
  }
  KernelPlan kernel;
  if (selection.kernel()) kernel = kernel_plan(items, selection, o, columns ? &event : nullptr);
  const Units units(items);
  std::vector<std::uint64_t> unit(static_cast<std::size_t>(items.size()));
  units.read(0, items.size(), unit);
  std::vector<Scores> out(static_cast<std::size_t>(o.bootstrap));
  parallel_blocks(o.bootstrap, kChunk, o.threads, [&](int, std::int64_t first, std::int64_t last) {
    std::vector<std::vector<std::uint32_t>> times(static_cast<std::size_t>(last - first));
    for (std::int64_t r = first; r < last; ++r) {
      auto& t = times[static_cast<std::size_t>(r - first)];
      t.resize(unit.size());
      fill_poisson(o.seed, static_cast<std::uint32_t>(r), unit, t);
    }
    std::vector<Scores> scores =
        scores_of_weightings(items, plan, selection, o, columns ? &*columns : nullptr, kernel, times);
    for (std::size_t i = 0; i < scores.size(); ++i)
      out[static_cast<std::size_t>(first) + i] = std::move(scores[i]);
    step(static_cast<double>(last - first));
  });
  return out;
}

std::optional<double> value_in(const Scores& scores, const std::string& key) {
  const auto at = scores.find(key);
  return at == scores.end() ? std::nullopt : at->second.value;
}

void add_bounds(const MetricRow& row, const std::vector<Scores>& replicates, double level, MetricResult& m) {
  std::vector<double> values;
  for (const Scores& s : replicates)
    if (const auto x = value_in(s, std::string(row.key))) values.push_back(*x);
  if (!m.value || values.empty()) return;
  const Bounds b = row.interval == Interval::basic ? basic_bounds(*m.value, std::move(values), level)
                                                   : percentile_bounds(std::move(values), level);
  m.low = b.low;
  m.high = b.high;
  m.interval = row.interval == Interval::basic ? "basic" : "percentile";
}

Difference pair_difference(const MetricRow& row, const ComparedMetric& metric, std::size_t from,
                           std::size_t to, const std::vector<std::vector<Scores>>& replicates, double level) {
  Difference d;
  const auto &a = metric.values[from].value, &b = metric.values[to].value;
  if (a && b) {
    const double value = quantity(*b, row.better) - quantity(*a, row.better);
    std::vector<double> drawn;  // pairs in which both have a value
    for (std::size_t r = 0; r < replicates[from].size(); ++r) {
      const auto x = value_in(replicates[from][r], metric.key), y = value_in(replicates[to][r], metric.key);
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
    throw InputError("a comparison needs two models or more; give each with --model NAME=FILE");
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
  const auto n = static_cast<double>(replicates.size());
  const auto above = static_cast<double>(
      std::count_if(replicates.begin(), replicates.end(), [edge](double x) { return x >= edge; }));
  const auto below = static_cast<double>(
      std::count_if(replicates.begin(), replicates.end(), [edge](double x) { return x <= edge; }));
  d.p_value = std::min(1.0, 2 * (1 + std::min(above, below)) / (1 + n));
  const Bounds b = percentile_bounds(std::move(replicates), level);
  d.low = basic ? 2 * value - b.high : b.low;
  d.high = basic ? 2 * value - b.low : b.high;
  return d;
}

Comparison compare(const std::vector<NamedModel>& models, const EvaluateOptions& asked) {
  check_models(models);
  EvaluateOptions options = asked;
  const std::int64_t units = asked.bootstrap > 0 ? drawable_units(models.front().items) : kEnoughUnits;
  if (units < 2) options.bootstrap = 0;
  EvaluateOptions plain = options;
  plain.bootstrap = 0;
  plain.consensus = false;
  plain.progress = {};
  Comparison out;
  std::vector<Result> results;
  std::vector<std::vector<Scores>> replicates;
  std::mutex mutex;
  double done = 0;
  const double total = static_cast<double>(models.size()) * options.bootstrap;
  const auto step = [&](double replicate_count) {
    const std::lock_guard lock(mutex);
    done += replicate_count;
    if (options.progress) options.progress(done / total);
  };
  for (const NamedModel& m : models) {
    out.models.push_back(m.name);
    results.push_back(evaluate(m.items, plain));
    replicates.push_back(options.bootstrap > 0 ? replicates_of(m.items, options, step)
                                               : std::vector<Scores>{});
    for (const std::string& note : results.back().notes) out.notes.push_back(m.name + ": " + note);
  }
  if (const std::string note = few_units_note(units, !models.front().items.groups.empty()); !note.empty())
    out.notes.push_back(note);
  out.items = results.front().items;
  out.classes = results.front().classes;
  out.votes = results.front().votes;
  out.wins.resize(models.size());
  for (std::size_t k = 0; k < results.front().metrics.size(); ++k) {
    const std::string& key = results.front().metrics[k].first;
    const MetricRow& row = *find_metric(key);
    ComparedMetric metric;
    metric.key = key;
    metric.better = row.better;
    metric.interval = row.interval == Interval::basic ? "basic" : "percentile";
    for (std::size_t m = 0; m < models.size(); ++m) {
      metric.values.push_back(results[m].metrics[k].second);
      add_bounds(row, replicates[m], options.level, metric.values.back());
    }
    for (std::size_t from = 0; from < models.size(); ++from)
      for (std::size_t to = from + 1; to < models.size(); ++to)
        metric.differences.push_back(pair_difference(row, metric, from, to, replicates, options.level));
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
