#include "plumb/evaluate/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "evaluate/checks.hpp"
#include "evaluate/compare_parts.hpp"
#include "evaluate/decision_tables.hpp"
#include "evaluate/describe.hpp"
#include "evaluate/omnibus.hpp"
#include "evaluate/verdict.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/special.hpp"
#include "plumb/resample/interval.hpp"
#include "plumb/resample/step_down.hpp"

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

/// Poisson(1) counts keyed by (seed, replicate, unit): the same for every model. The first model announces
/// the work of all models to the progress counter.
Scored scored(const Items& items, const Selection& selection, const EvaluateOptions& o, std::int64_t models,
              Progress& progress) {
  ProductSet also = Product::event_table;
  if (o.bootstrap > 0 || !o.thresholds.empty()) also |= Product::event_column;  // of the null; decisions
  const Prepared prepared(items, selection, o, o.bootstrap > 0, also);
  Scored out{prepared.observe(progress), {}, {}, {}};
  check_mass(items, out.observed.sums.event.total());
  add_notes(out.observed.sums, items.size(), true, out.notes);
  add_kernel_note(prepared.kernel(), out.notes);
  if (o.bootstrap == 0) return out;
  Selection inverted = selection.part(interval_needs_null);
  inverted.products |= Product::event_table;  // the noise of the verdict's bins
  add_omnibus(inverted);
  progress.expect(models * o.bootstrap * (prepared.passes(selection) + prepared.passes(inverted)));
  Bands bands;
  if (selection.has("ece_mass")) bands.mass = out.observed.mass.edges;
  bands.thresholds = decision_thresholds(o);
  Selection drawn = selection;
  drawn.products |= Product::event_table;
  if (!bands.thresholds.empty()) drawn.products |= Product::event_column;
  out.draws = prepared.score(drawn, numbered_draws(o.bootstrap), o.threads, progress, &bands);
  const NullModel null = prepared.fit_null(out.observed.sums.several_votes);
  out.null = prepared.score(inverted, numbered_draws(o.bootstrap, &null), o.threads, progress, &bands);
  out.p_value = omnibus_p(out.observed.event_tests, out.null);
  return out;
}

double value_in(const Drawn& draw, const MetricRow& row) {
  const auto at = draw.scores.find(row.key);
  return at == draw.scores.end() || !at->second.value ? std::numeric_limits<double>::quiet_NaN()
                                                      : quantity(*at->second.value, row.better);
}

/// By draw, of squares for a root; NaN where one of the two has no value.
std::vector<double> drawn_differences(const MetricRow& row, const Scored& from, const Scored& to, bool root) {
  std::vector<double> out;
  for (std::int64_t r = 0; r < std::ssize(from.draws); ++r) {
    const double a = value_in(from.draws[r], row), b = value_in(to.draws[r], row);
    out.push_back(root ? b * b - a * a : b - a);
  }
  return out;
}

/// Squares debiased by item have replicates that are biased twice; their spread is right.
Interval difference_interval(const MetricRow& row) {
  return row.by_item && row.room == Room::streaming ? Interval::normal : Interval::percentile;
}

/// Signed roots of debiased squares. Their replicates are too large, since resampling adds to the square what
/// debiasing took away, and a root varies less where it is larger.
bool root_of_square(const MetricRow& row) { return row.key == "ece_l2_debiased" || row.key == "ce"; }

/// The test is that of the squares, b^2 - a^2 = (b - a)(b + a);
/// so is the interval, on the scale of the roots.
Difference difference_of_roots(double a, double b, const std::vector<double>& squares, double level) {
  Difference d = difference_of(b * b - a * a, squares, Interval::normal, level);
  d.value = b - a;
  if (!d.low) return d;
  const double reach = (*d.high - *d.low) / 2, both = a + b;
  const double limit = 2;  // of roots that lie between -1 and 1, or -2 and 2
  d.low = both > 0 ? std::max(b - a - reach / both, -limit) : -limit;
  d.high = both > 0 ? std::min(b - a + reach / both, limit) : limit;
  return d;
}

/// What evaluate() finds of one model by itself, as far as the words of its verdict need it.
Result judged(const Inference& inference, const Scored& model, int asked, const EvaluateOptions& o) {
  Result out;
  out.command = "evaluate";
  out.task = inference.binary() ? "binary" : "multiclass";
  out.items = narrow<std::int64_t>(inference.event_total().items);
  out.settings = {{"bootstrap", std::int64_t{o.bootstrap}}, {"level", o.level}};
  if (inference.event()) out.metrics.emplace_back("ece_corrected", inference.corrected());
  out.verdict = judge(inference, model.p_value, asked, o);
  return out;
}

/// Every p-value is adjusted for all differences; metrics without a better direction are not tested.
void adjust(std::vector<ComparedMetric>& metrics, const std::vector<DrawnDifference>& drawn) {
  const std::vector<double> adjusted = step_down_p_values(drawn);
  auto next = adjusted.begin();
  for (ComparedMetric& m : metrics) {
    if (m.better == Better::neither) continue;
    for (Difference& d : m.differences)
      if (d.p_value) d.adjusted = std::max(*next++, *d.p_value);
  }
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
    return d.adjusted && *d.adjusted <= 1 - level;
  });
}

void check_models(const std::vector<NamedModel>& models) {
  const Items& first = models.front().items;
  for (const NamedModel& m : models) {
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
  std::erase_if(replicates, [](double x) { return !std::isfinite(x); });
  if (replicates.empty()) return d;
  if (interval == Interval::normal) {
    const double error = standard_deviation(replicates), reach = normal_quantile((1 + level) / 2) * error;
    d.p_value = error > 0 ? 2 * normal_cdf(-std::abs(value) / error) : 1.0;
    d.low = value - reach;
    d.high = value + reach;
    return d;
  }
  const double above = std::count_if(replicates.begin(), replicates.end(), [](double x) { return x >= 0; });
  const double below = std::count_if(replicates.begin(), replicates.end(), [](double x) { return x <= 0; });
  d.p_value = std::min(1.0, 2 * (1 + std::min(above, below)) / (1.0 + std::ssize(replicates)));
  const Bounds b = percentile_bounds(std::move(replicates), level);
  d.low = b.low;
  d.high = b.high;
  return d;
}

std::vector<std::pair<std::size_t, std::size_t>> detail::pairs_of(std::size_t models,
                                                                  std::optional<std::size_t> reference) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (std::size_t from = 0; from < models; ++from)
    for (std::size_t to = reference ? 0 : from + 1; to < models; ++to)
      if (reference ? from == *reference && to != from : true) out.emplace_back(from, to);
  return out;
}

void detail::name_models(const std::vector<std::string>& models, const std::string& reference,
                         Comparison& out) {
  if (models.size() < 2)
    throw InputError("a comparison needs two models or more; give each with ⟦model⟧ NAME=FILE");
  std::set<std::string> names;
  for (const std::string& name : models) {
    if (!names.insert(name).second)
      throw InputError("two models are called \"" + name + "\"; give them different names");
    if (name == reference) out.reference = out.models.size();
    out.models.push_back(name);
  }
  if (!reference.empty() && !out.reference) refuse_name("model", reference, {names.begin(), names.end()});
}

void detail::add_metrics(const std::vector<Scored>& scores, const Selection& selection,
                         const SampleSize& size, int asked, const EvaluateOptions& options, Comparison& out) {
  std::vector<Inference> inference;
  for (const Scored& s : scores) {
    inference.emplace_back(s.observed, s.draws, s.null, size, selection.binary, options);
    out.judged.push_back(judged(inference.back(), s, asked, options));
  }
  std::vector<DrawnDifference> tests;
  const auto pairs = pairs_of(out.models.size(), out.reference);
  const bool too_few = size.grouped && size.units < narrow<std::int64_t>(kFewestTestedUnits);
  if (too_few && size.units > 1 && out.replicates > 0) out.notes.emplace_back(kTooFewToTest);
  for (const MetricRow* row : selection.rows) {
    ComparedMetric metric;
    metric.key = row->key;
    metric.better = row->better;
    const Interval interval = difference_interval(*row);
    metric.interval = interval == Interval::normal ? "normal" : "percentile";
    for (const Inference& model : inference) {
      metric.values.push_back(model.result(*row));
      metric.values.back().null_mean = metric.values.back().p_value = std::nullopt;  // differences are tested
    }
    for (const auto& [from, to] : pairs) {
      Difference d;
      const auto &a = metric.values[from].value, &b = metric.values[to].value;
      if (a && b) {
        const bool root = root_of_square(*row);
        const double first_value = quantity(*a, row->better), second_value = quantity(*b, row->better);
        std::vector<double> draws = drawn_differences(*row, scores[from], scores[to], root);
        d = root ? difference_of_roots(first_value, second_value, draws, options.level)
                 : difference_of(second_value - first_value, draws, interval, options.level);
        if (too_few) d.p_value = std::nullopt;
        const double tested = root ? second_value * second_value - first_value * first_value : *d.value;
        if (d.p_value && row->better != Better::neither) tests.push_back({tested, std::move(draws)});
      }
      d.from = from;
      d.to = to;
      metric.differences.push_back(std::move(d));
    }
    out.metrics.push_back(std::move(metric));
  }
  judge_models(tests, options.level, out);
}

void detail::judge_models(const std::vector<DrawnDifference>& tests, double level, Comparison& out) {
  adjust(out.metrics, tests);
  out.wins.resize(out.models.size());
  for (ComparedMetric& metric : out.metrics) {
    metric.best = best_of(metric);
    metric.clear = is_clear(metric, level);
    if (metric.best) {
      ++out.wins[*metric.best].best;
      out.wins[*metric.best].clear += metric.clear;
    }
  }
}

Comparison compare(const std::vector<NamedModel>& models, const EvaluateOptions& asked,
                   const std::string& reference) {
  Comparison out;
  std::vector<std::string> names;
  for (const NamedModel& m : models) names.push_back(m.name);
  name_models(names, reference, out);
  check_models(models);
  const Items& first = models.front().items;
  check_options(asked);
  check_thresholds(asked, first.binary());
  check_table_size(first.classes(), asked.bins);
  EvaluateOptions options = asked;
  options.null = NullKind::model;  // for intervals and verdicts: differences are tested by the bootstrap
  const SampleSize size = asked.bootstrap > 0 ? sample_size(first) : SampleSize{.units = kEnoughUnits};
  if (size.units < 2) options.bootstrap = 0;
  Progress progress(options.progress, options.cancel);
  std::vector<Scored> scores;
  const Selection selection = select_metrics(options, task_kind(first));
  for (const NamedModel& m : models) {
    scores.push_back(scored(m.items, selection, options, scores.empty() ? std::ssize(models) : 0, progress));
    for (const std::string& note : scores.back().notes) out.notes.push_back(m.name + ": " + note);
  }
  if (const std::string note = few_units_note(size.units, !first.groups.empty()); !note.empty())
    out.notes.push_back(note);
  out.items = first.size();
  out.replicates = options.bootstrap;
  out.classes = first.classes();
  out.votes = narrow<std::int64_t>(scores.front().observed.sums.event.total().votes);
  for (std::int64_t m = 1; m < std::ssize(models); ++m)
    if (const auto votes = narrow<std::int64_t>(scores[m].observed.sums.event.total().votes);
        votes != out.votes)
      throw InputError("model " + models.front().name + " has " + counted(out.votes, "vote") + " but model " +
                       models[m].name + " has " + std::to_string(votes) +
                       "; compare models on the same votes");
  add_metrics(scores, selection, size, asked.bootstrap, options, out);
  if (!options.thresholds.empty()) {
    std::vector<const std::vector<Decision>*> observed;
    std::vector<const std::vector<Drawn>*> draws;
    for (const Scored& s : scores) {
      observed.push_back(&s.observed.decisions);
      draws.push_back(&s.draws);
    }
    out.net_benefit = net_benefit_differences(out.models, pairs_of(out.models.size(), out.reference),
                                              observed, draws, options);
  }
  return out;
}

}  // namespace plumb
