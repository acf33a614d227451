#include "plumb/regression/state.hpp"

#include "plumb/result/state_bytes.hpp"
#include "regression/prepared.hpp"
#include "regression/tables.hpp"

namespace plumb {

using detail::fields;

template <class Io>
static void visit(Io& io, OutputSums& s) {
  fields(io, s.entries, s.degenerate);
  for (const auto sum : OutputSums::kTerms) fields(io, s.*sum);
  for (ExactSum& x : s.inside) fields(io, x);
}

template <class Io>
static void visit(Io& io, UncertaintyBins::Bin& c) {
  fields(io, c.items, c.weight, c.error, c.uncertainty);
}

template <class Io>
static void visit(Io& io, UncertaintyBins& c) {
  fields(io, c.low, c.high, c.dropped, c.bins);
}

template <class Io>
static void visit(Io& io, RegressionState& s) {
  fields(io, s.bins, s.clip, s.has_range, s.range.low, s.range.high, s.parts, s.items, s.sums.items,
         s.sums.clipped, s.sums.output, s.sums.uce, s.sums.uce_mc, s.sums.uce_aleatoric);
}

namespace {

using detail::check_equal;

constexpr std::string_view kMagic = "PLUMBREG";
constexpr std::uint32_t kFormat = 1;

RegressionPlan plan_of(const RegressionState& s) {
  const auto range = s.has_range ? std::optional(s.range) : std::nullopt;
  return {s.bins, s.clip, range, s.parts ? range : std::nullopt, s.parts};
}

bool consistent(const RegressionState& s) {
  if (s.bins < 1 || s.bins > 1'000'000 || !(s.clip >= 0) || s.sums.output.empty()) return false;
  const RegressionSums empty(narrow<int>(s.sums.output.size()), plan_of(s));
  const auto same = [](const UncertaintyBins& a, const UncertaintyBins& b) {
    return a.low == b.low && a.high == b.high && a.bins.size() == b.bins.size();
  };
  return same(s.sums.uce, empty.uce) && same(s.sums.uce_mc, empty.uce_mc) &&
         same(s.sums.uce_aleatoric, empty.uce_aleatoric);
}

Estimate estimate_of(const detail::RegressionRun& run, const detail::RegressionProducts& products,
                     const RegressionPlan& plan) {
  if (products.made().has(run.needs)) return run.finish(products, plan);
  return Estimate::undefined(
      run.needs.any(detail::kSorted)
          ? "needs all the data in one run; a merged state has only the streaming sums"
          : "its bins run from the smallest to the largest variance of all the data; save the states with ⟦range⟧");
}

}  // namespace

RegressionState regression_state(const RegressionItems& items, const RegressionOptions& o) {
  check_bins(o.bins);
  check_regression(items);
  const RegressionPlan plan = plan_of(regression_state(items, o, {}));
  return regression_state(items, o, regression_sums(items, plan, o.threads));
}

RegressionState regression_state(const RegressionItems& items, const RegressionOptions& o,
                                 RegressionSums sums) {
  if (!o.range) sums.uce = sums.uce_mc = sums.uce_aleatoric = {};  // other data have other bins
  return {.bins = o.bins,
          .clip = o.clip,
          .has_range = o.range.has_value(),
          .range = o.range.value_or(RegressionRange{}),
          .parts = items.has_parts(),
          .items = narrow<std::uint64_t>(items.size()),
          .sums = std::move(sums)};
}

void merge(RegressionState& into, const RegressionState& from) {
  check_equal(into.sums.output.size() == from.sums.output.size(), "numbers of outputs");
  check_equal(into.bins == from.bins, "⟦bins⟧");
  check_equal(into.clip == from.clip, "⟦clip⟧");
  check_equal(into.has_range == from.has_range && into.range == from.range, "⟦range⟧");
  check_equal(into.parts == from.parts, "kinds of variance (in parts, or as one)");
  into.items += from.items;
  into.sums.merge(from.sums);
}

Result finish(const RegressionState& s, const RegressionOptions& o) {
  RegressionOptions used = o;
  used.bins = s.bins;
  used.clip = s.clip;
  used.bootstrap = 0;
  const auto rows = detail::select_regression(o.metrics, s.parts).rows;
  const RegressionPlan plan = plan_of(s);
  Result r = detail::describe({"merge", s.parts ? "aleatoric and epistemic" : "variance",
                               "equal width in the variance, both ends inside",
                               s.has_range ? "given" : "none: no bins in these states", "item"},
                              narrow<std::int64_t>(s.items), std::ssize(s.sums.output), 1, plan.variance,
                              used, rows);
  const detail::RegressionProducts products(s.sums);
  for (const MetricRow* row : rows) {
    const Estimate e = estimate_of(detail::regression_run(*row), products, plan);
    MetricResult& m = r.metrics.emplace_back(row->key, MetricResult()).second;
    m.value = e.value;
    m.why = e.why;
  }
  r.tables.emplace_back("uncertainty_reliability", detail::uncertainty_table(s.sums.uce));
  r.tables.emplace_back("intervals", detail::interval_table(s.sums.total(), nullptr));
  if (s.sums.output.size() > 1) r.tables.emplace_back("per_output", detail::output_table(s.sums));
  return r;
}

bool is_regression_state(std::string_view bytes) { return bytes.starts_with(kMagic); }

std::string serialize(const RegressionState& state) { return detail::seal_state(kMagic, kFormat, state); }

RegressionState deserialize_regression_state(std::string_view bytes, const std::string& name) {
  return detail::read_state<RegressionState>(kMagic, kFormat, bytes, name, consistent);
}

}  // namespace plumb
