#include "plumb/regression/evaluate.hpp"

#include <algorithm>

#include "plumb/data/check.hpp"
#include "plumb/regression/state.hpp"
#include "plumb/resample/interval.hpp"
#include "plumb/resample/resample.hpp"
#include "plumb/resample/slices.hpp"
#include "regression/intervals.hpp"
#include "regression/null.hpp"
#include "regression/prepared.hpp"
#include "regression/slices.hpp"
#include "regression/tables.hpp"

namespace plumb {
namespace {

void check_options(const RegressionOptions& o) {
  check_bins(o.bins);
  check_level(o.level);
  check_threads(o.threads);
  check_bootstrap(o.bootstrap);
  if (!(o.tolerance > 1 && o.tolerance <= 100))
    throw InputError("⟦tolerance⟧ is a factor of the standard deviations, above 1 and at most 100, not " +
                     show(o.tolerance));
  if (!(o.clip >= 0 && o.clip <= kMaxVariance))
    throw InputError("⟦clip⟧ raises variances to at least this; it must be at least 0, not " + show(o.clip));
  if (o.range && !(o.range->low >= 0 && o.range->high >= o.range->low && o.range->high <= kMaxVariance))
    throw InputError("⟦range⟧ takes two variances low,high with 0 <= low <= high, not " + show(o.range->low) +
                     "," + show(o.range->high));
}

void add_notes(const RegressionItems& items, const RegressionSums& sums, Result& r) {
  const auto note = [&](std::int64_t n, const char* noun, const std::string& text) {
    if (n > 0) r.notes.push_back(counted(n, noun) + text);
  };
  note(items.size() - sums.items, "item", " of weight 0 left out");
  note(sums.clipped, "variance", " raised by ⟦clip⟧");
  note(sums.uce.dropped, "item", " outside ⟦range⟧ left out of uce");
  note(sums.uce_aleatoric.dropped, "item", " outside ⟦range⟧ left out of uce_aleatoric");
}

void add_metrics(const RegressionItems& items, const detail::PreparedRegression& prepared,
                 const detail::RegressionSelection& selection, const Scores& scores,
                 const RegressionOptions& o, bool resample, Result& r) {
  std::vector<Scores> replicates;
  if (resample) {
    std::vector<detail::RegressionDraw> draws(o.bootstrap);
    for (int b = 0; b < o.bootstrap; ++b) draws[b] = {o.seed, b};
    Progress progress(o.progress, o.cancel);
    replicates = prepared.score(draws, progress);
  }
  const detail::RegressionUnits sample =
      resample ? detail::regression_sample(items) : detail::RegressionUnits{};
  for (const MetricRow* row : selection.rows) {
    const Estimate& e = scores.find(row->key)->second;
    MetricResult m;
    m.value = e.value;
    m.why = e.why;
    std::vector<double> drawn;
    for (const Scores& replicate : replicates)
      if (const Estimate& x = replicate.find(row->key)->second) drawn.push_back(*x.value);
    if (m.value && resample) detail::add_regression_interval(*row, std::move(drawn), sample, o.level, m);
    r.metrics.emplace_back(row->key, std::move(m));
  }
  if (resample) detail::add_regression_p_values(items, prepared, selection, o, r.metrics);
  const auto zms =
      std::find_if(r.metrics.begin(), r.metrics.end(), [](const auto& m) { return m.first == "zms"; });
  if (zms != r.metrics.end()) {
    r.verdict = detail::judge_deviations(zms->second, sample, !items.groups.empty(), o.tolerance);
    if (r.verdict.verdict.empty() && items.size() == 1)
      r.verdict.why = "one item cannot show whether a model is calibrated";
  } else {
    r.verdict.why = "it is computed from zms, which was left out of ⟦metrics⟧";
  }
}

void add_tables(const RegressionSums& sums, const OrderedRegression* columns, Result& r) {
  r.tables.emplace_back("uncertainty_reliability", detail::uncertainty_table(sums.uce));
  if (!sums.uce_aleatoric.bins.empty())
    r.tables.emplace_back("uncertainty_reliability_aleatoric", detail::uncertainty_table(sums.uce_aleatoric));
  r.tables.emplace_back("intervals", detail::interval_table(sums.total(), columns));
  if (columns != nullptr) r.tables.emplace_back("rejection", detail::rejection_table(*columns));
  if (sums.output.size() > 1) r.tables.emplace_back("per_output", detail::output_table(sums));
}

}  // namespace

Result evaluate_regression(const RegressionItems& items, const RegressionOptions& o, RegressionState* state) {
  check_options(o);
  check_regression(items);
  const detail::RegressionSelection selection = detail::select_regression(o.metrics, items.has_parts());
  if (!selection.without_parts.empty())
    throw InputError("⟦metrics⟧: " + std::string(selection.without_parts) +
                     " needs the variance in its parts; give ⟦aleatoric⟧ and ⟦epistemic⟧, or ⟦mean_samples⟧");
  check_slices(items.by, std::ssize(selection.rows));
  const detail::PreparedRegression prepared(items, selection, o);
  const detail::RegressionProducts products = prepared.products();

  const char* uncertainty = items.passes() > 1   ? "passes"
                            : items.has_parts()  ? "aleatoric and epistemic"
                            : items.total_is_std ? "standard deviation"
                                                 : "variance";
  Result result = detail::describe(
      {"evaluate", uncertainty, "equal width in the variance, both ends inside; ence: equal mass",
       o.range ? "given" : "smallest to largest variance", items.groups.empty() ? "item" : "group"},
      items.size(), items.outputs(), items.passes(), prepared.plan().variance, o, selection.rows);
  add_notes(items, products.streamed(), result);
  const std::int64_t units = o.bootstrap > 0 ? drawable_units(items) : kEnoughUnits;
  if (std::string note = few_units_note(units, !items.groups.empty()); !note.empty())
    result.notes.push_back(std::move(note));
  add_metrics(items, prepared, selection, prepared.finish(products), o, o.bootstrap > 0 && units > 1, result);
  add_tables(products.streamed(), prepared.columns(), result);
  detail::add_regression_slices(items, selection, o, result);
  if (state != nullptr) *state = regression_state(items, o, products.streamed());
  return result;
}

}  // namespace plumb
