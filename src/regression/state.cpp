#include "plumb/regression/state.hpp"

#include <algorithm>

#include "evaluate/state_bytes.hpp"
#include "plumb/registry.hpp"
#include "regression/replicates.hpp"
#include "regression/tables.hpp"

namespace plumb {
namespace {

using detail::Reader;
using detail::visit;
using detail::Writer;

constexpr std::string_view kMagic = "PLUMBREG";
constexpr std::uint32_t kFormat = 1;

RegressionPlan plan_of(const RegressionState& s) {
  RegressionPlan plan;
  plan.bins = s.bins;
  plan.clip = s.clip;
  if (s.has_range) {
    plan.variance = s.range;
    plan.mc = s.parts;
    if (s.parts) plan.aleatoric = s.range;
  }
  return plan;
}

void check_equal(bool equal, const char* what) {
  if (!equal)
    throw InputError(std::string("these states were made with different ") + what + " and cannot be merged");
}

template <class Io>
void visit(Io& io, OutputSums& s) {
  io.number(s.entries);
  io.number(s.degenerate);
  for (ExactSum* x :
       {&s.weight, &s.err2, &s.abs_err, &s.log_variance, &s.z2, &s.abs_z, &s.crps, &s.sigma, &s.variance})
    visit(io, *x);
  for (ExactSum& x : s.inside) visit(io, x);
}

template <class Io>
void visit(Io& io, UncertaintyCells& c) {
  io.number(c.low);
  io.number(c.high);
  io.number(c.dropped);
  io.size(c.cell);
  for (UncertaintyCells::Cell& x : c.cell) {
    io.number(x.items);
    for (ExactSum* sum : {&x.weight, &x.error, &x.uncertainty}) visit(io, *sum);
  }
}

template <class Io>
void visit(Io& io, RegressionState& s) {
  io.number(s.bins);
  io.number(s.clip);
  io.number(s.has_range);
  io.number(s.range.low);
  io.number(s.range.high);
  io.number(s.parts);
  io.number(s.items);
  io.number(s.sums.items);
  io.number(s.sums.clipped);
  io.size(s.sums.output);
  for (OutputSums& o : s.sums.output) visit(io, o);
  for (UncertaintyCells* c : {&s.sums.uce, &s.sums.uce_mc, &s.sums.uce_aleatoric}) visit(io, *c);
}

/// A file may be well-formed and still not be one of ours.
bool consistent(const RegressionState& s) {
  if (s.bins < 1 || s.bins > 1'000'000 || !(s.clip >= 0) || s.sums.output.empty()) return false;
  const RegressionSums empty(static_cast<int>(s.sums.output.size()), plan_of(s));
  const auto same = [](const UncertaintyCells& a, const UncertaintyCells& b) {
    return a.low == b.low && a.high == b.high && a.cell.size() == b.cell.size();
  };
  return same(s.sums.uce, empty.uce) && same(s.sums.uce_mc, empty.uce_mc) &&
         same(s.sums.uce_aleatoric, empty.uce_aleatoric);
}

MetricResult result_of(const MetricRow& row, const Scores& scores, bool has_range) {
  MetricResult m;
  const auto at = scores.find(row.key);
  if (row.room == Room::ordered) {
    m.why = "needs all the data in one run; a merged state has only the streaming sums";
  } else if (row.key.starts_with("uce") && !has_range) {
    m.why =
        "its cells run from the smallest to the largest variance of all the data; save the states with "
        "--range";
  } else if (at != scores.end()) {
    m.value = at->second.value;
    m.why = at->second.why;
  }
  return m;
}

}  // namespace

RegressionState regression_state(const RegressionItems& items, const RegressionOptions& o) {
  check_bins(o.bins);
  check_regression(items);
  RegressionState s;
  s.bins = o.bins;
  s.clip = o.clip;
  s.has_range = o.range.has_value();
  if (o.range) s.range = *o.range;
  s.parts = items.has_parts();
  s.items = static_cast<std::uint64_t>(items.size());
  s.sums = regression_sums(items, plan_of(s), o.threads);
  return s;
}

void merge(RegressionState& into, const RegressionState& from) {
  check_equal(into.sums.output.size() == from.sums.output.size(), "numbers of outputs");
  check_equal(into.bins == from.bins, "--bins");
  check_equal(into.clip == from.clip, "--clip");
  check_equal(into.has_range == from.has_range && into.range == from.range, "--range");
  check_equal(into.parts == from.parts, "kinds of variance (in parts, or as one)");
  into.items += from.items;
  into.sums.merge(from.sums);
}

Result finish(const RegressionState& s, const RegressionOptions& o) {
  Result r;
  r.version = version();
  r.command = "merge";
  r.task = "regression";
  r.items = static_cast<std::int64_t>(s.items);
  r.settings = {{"uncertainty", std::string(s.parts ? "aleatoric and epistemic" : "variance")},
                {"error", std::string("target - mean")},
                {"outputs", static_cast<std::int64_t>(s.sums.output.size())},
                {"samples", std::int64_t{1}},
                {"bins", std::int64_t{s.bins}},
                {"cell", std::string("equal width in the variance, both ends inside")},
                {"range_choice", std::string(s.has_range ? "given" : "none: no cells in these states")},
                {"range", s.has_range ? Value(std::vector<double>{s.range.low, s.range.high}) : Value{}},
                {"clip", s.clip},
                {"bootstrap", std::int64_t{0}},
                {"level", o.level},
                {"seed", static_cast<std::int64_t>(o.seed)}};
  Scores scores;
  detail::stream_scores(s.sums, scores);
  const auto wanted = [&](std::string_view key) {
    return o.metrics.empty() || std::find(o.metrics.begin(), o.metrics.end(), "all") != o.metrics.end() ||
           std::find(o.metrics.begin(), o.metrics.end(), key) != o.metrics.end();
  };
  for (const std::string& key : o.metrics)
    if (key != "all" && find_regression_metric(key) == nullptr)
      throw InputError("--metrics: there is no regression metric \"" + key +
                       "\"; `plumb list` shows them all");
  for (const MetricRow& row : regression_metrics()) {
    if (!wanted(row.key) || (!s.parts && (row.key == "uce_mc" || row.key == "uce_aleatoric"))) continue;
    r.metrics.emplace_back(row.key, result_of(row, scores, s.has_range));
  }
  std::vector<std::string> keys;
  for (const auto& [key, m] : r.metrics) keys.push_back(key);
  r.settings.emplace_back("metrics", keys);
  r.settings.emplace_back("unit", std::string("item"));
  r.tables.emplace_back("uncertainty_reliability", detail::uncertainty_table(s.sums.uce));
  r.tables.emplace_back("intervals", detail::interval_table(s.sums.total(), nullptr));
  if (s.sums.output.size() > 1) r.tables.emplace_back("per_output", detail::output_table(s.sums));
  return r;
}

bool is_regression_state(std::string_view bytes) { return bytes.starts_with(kMagic); }

std::string serialize(const RegressionState& state) {
  RegressionState copy = state;
  Writer payload;
  visit(payload, copy);
  return detail::seal_state(kMagic, kFormat, payload.out);
}

RegressionState deserialize_regression_state(std::string_view bytes, const std::string& name) {
  Reader payload = detail::open_state(kMagic, kFormat, bytes, name);
  RegressionState s;
  visit(payload, s);
  if (!payload.in.empty() || !consistent(s)) payload.fail();
  return s;
}

}  // namespace plumb
