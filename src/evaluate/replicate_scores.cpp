#include "evaluate/replicate_scores.hpp"

#include <algorithm>
#include <cmath>

#include "evaluate/case_draws.hpp"
#include "evaluate/decision_tables.hpp"
#include "evaluate/describe.hpp"
#include "evaluate/ladder_scores.hpp"
#include "evaluate/omnibus.hpp"
#include "evaluate/verdict.hpp"
#include "plumb/metrics/ordered/equal_mass.hpp"
#include "plumb/metrics/ordered/hosmer_lemeshow.hpp"
#include "plumb/metrics/ordered/ladder_bounds.hpp"
#include "plumb/numeric/fixed_point.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/resample/event_ratio.hpp"
#include "plumb/resample/resample.hpp"

namespace plumb::detail {
namespace {

constexpr const char* kNoColumn =
    "replicates in a state have no sorted forecasts with weights, or in files of older versions with more than 4,096 different ones";
constexpr const char* kNoDistinct =
    "it depends on distinct forecasts, and replicates in a state keep at most 4,096 of them";
constexpr const char* kNoNullDraws =
    "the null needs parameters fitted to all the data; with ⟦null⟧ signs states have one";

SampleSize size_of(const EvaluateState& s, const StateReplicates& r) {
  SampleSize out;
  const Bin total = s.votes.event.total();
  out.grouped = static_cast<UnitName>(r.unit) == UnitName::group;
  out.several_votes = s.votes.several_votes;
  out.weighted = !s.ladder.has_value();
  if (!out.grouped) {
    out.units = narrow<std::int64_t>(total.items);
    if (out.units > 0) out.effective = total.w.value() * total.w.value() / total.ww.value();
    return out;
  }
  ExactSum sum, squares;
  for (const auto& [unit, votes] : r.units.by_unit) {
    const double w = votes.value();
    ++out.units;
    sum.add(w);
    squares.add(w * w);
  }
  if (out.units > 0) out.effective = sum.value() * sum.value() / squares.value();
  return out;
}

/// The forecasts of a column and the votes on each: distinct ones, or the mean of each step of the grid.
struct Points {
  std::vector<double> p;
  std::vector<std::uint64_t> votes, hits;
  [[nodiscard]] Forecasts column() const {
    Forecasts out;
    for (std::size_t i = 0; i < p.size(); ++i) append_votes(out, p[i], votes[i], hits[i]);
    return out;
  }
};

Points points_of(const ColumnDraws& c, const LadderParts& parts) {
  if (c.exact) return {parts.p, parts.votes, parts.hits};
  Points out;
  uint128 sum = 0;
  for (std::size_t i = 0; i < parts.rung.size(); ++i) {
    if (i == 0 || step_of(parts.rung[i]) != step_of(parts.rung[i - 1])) {
      sum = 0;
      out.p.push_back(0);
      out.votes.push_back(0);
      out.hits.push_back(0);
    }
    sum += uint128{parts.rung_p_high[i]} << 64 | parts.rung_p_low[i];
    out.votes.back() += parts.rung_votes[i];
    out.hits.back() += parts.rung_hits[i];
    out.p.back() = static_cast<double>(sum) / static_cast<double>(out.votes.back()) / kFixedOne;
  }
  return out;
}

/// The column of one replicate.
Forecasts column_of(const ColumnDraws& c, const Points& points, std::size_t replicates, std::size_t r,
                    bool null) {
  Forecasts out;
  for (std::size_t i = 0; i < points.p.size(); ++i) {
    const std::size_t at = i * replicates + r;
    append_votes(out, points.p[i], null ? points.votes[i] : c.votes[at], null ? c.null_hits[at] : c.hits[at]);
  }
  return out;
}

/// One row per vote, where that is few: closed forms are about single votes.
Forecasts votes_of(const LadderParts& parts) {
  Forecasts out;
  for (std::size_t i = 0; i < parts.p.size(); ++i)
    for (std::uint64_t v = 0; v < parts.votes[i]; ++v) {
      out.p.push_back(parts.p[i]);
      out.hits.push_back(v < parts.hits[i] ? 1 : 0);
    }
  return out;
}

/// What the replicates of a column are computed from.
enum class Column { none, grid, exact };

bool reads_column(const MetricRow& row, bool binary, int classes) {
  const ProductSet needs = run_of(row).needs(binary);
  return kByLadder.has(needs) && !replicate_products(classes).has(needs);
}

/// Whether the sums of a replicate hold what a metric is read off.
bool kept_of(const MetricRow& row, bool binary, int classes, Column column) {
  if (replicate_products(classes).has(run_of(row).needs(binary))) return true;
  return reads_column(row, binary, classes) && column != Column::none &&
         (column == Column::exact || !needs_distinct(row));
}

/// Without the bound of a key that knows the steps of the ladder alone.
KeyBounds step_bounds(const Ladder& ladder, int bins) {
  KeyBounds out = order_bounds(ladder.steps(ColumnDraws::kRungs), bins);
  std::erase_if(out, [](const auto& b) { return b.first == "calibration_intercept"; });
  return out;
}

/// On the grid values differ a little; intervals are moved to the value itself.
void move_to(double value, const MetricRow& row, MetricResult& m) {
  const double by = value - *m.value;
  m.value = value;
  if (!m.low) return;
  m.low = std::clamp(*m.low + by, row.low, row.high);
  m.high = std::clamp(*m.high + by, row.low, row.high);
}

struct Scorer {
  const EvaluateState& s;
  const StateReplicates& r;
  const EvaluateOptions& o;
  FinishOptions how;
  const KernelPlan* kernel;
  Points points;
  std::optional<BinEdges> mass;

  void score(const Selection& part, bool null, std::vector<Drawn>& out) const {
    out.resize(static_cast<std::size_t>(r.count));
    const ProductSet kept = replicate_products(s.classes);
    const ProductSet streaming = part.products.both(null ? null_products(r.signs, kept) : kept);
    parallel_blocks(r.count, 1, o.threads, [&](int, std::int64_t b, std::int64_t) {
      const StreamSums& sums = null ? r.null[b] : r.boot[b];
      Drawn& d = out[b];
      finish(part, Products(sums, streaming, how), d.scores);
      d.event = bin_sums({&sums.event, 1});
      d.classes = bin_sums(sums.by_class);
      if (null)
        for (const Bin& c : sums.event.bins) d.event_mean_y.push_back(c.w.is_zero() ? 0 : c.mean_y());
      if (!r.column.kept || kernel == nullptr || (null && r.signs)) return;
      const Forecasts event =
          column_of(r.column, points, static_cast<std::size_t>(r.count), static_cast<std::size_t>(b), null);
      const ForecastsView view = event.view();
      const bool confident = part.products.has(Product::confidence_column) && part.binary;
      const Forecasts confidence = confident ? confidence_of(event, 1) : Forecasts{};
      ColumnProducts columns{view, confident ? confidence.view() : view, {}, {}, nullptr, kernel};
      columns.votes_apart = true;
      columns.calibrated = null;
      finish(part, Products(columns, part.products.both(kByLadder), how), d.scores);
      if (!null && !o.thresholds.empty()) d.decisions = decisions(view, decision_thresholds(o));
      if (mass) {
        TableBuilder table(*mass);
        table.update(view);
        const ReliabilityTable drawn = table.finish();
        d.mass = bin_sums({&drawn, 1});
      }
    });
  }
};

}  // namespace

MetricResults replicate_results(const EvaluateState& s, const Selection& selection, const Scores& scores,
                                EvaluateOptions o, Result& result) {
  const StateReplicates& r = *s.replicates;
  const bool binary = s.classes == 2;
  o.bootstrap = r.count;
  o.seed = r.seed;
  const SampleSize size = size_of(s, r);
  const bool there = r.column.kept && s.ladder;
  const Column column = !there ? Column::none : r.column.exact ? Column::exact : Column::grid;

  Observed observed;
  observed.sums = s.votes;
  observed.scores = scores;
  std::optional<LadderReading> reading;
  Scorer scorer{s,       r,  o, {o.bins, o.clip, o.leave_out, binary, s.has_truth, 1, o.curve, o.bandwidth},
                nullptr, {}, {}};
  const Selection known =
      selection.part([&](const MetricRow& row) { return kept_of(row, binary, s.classes, column); });
  if (there) {
    Selection event = ladder_part(known, o);
    add_omnibus(event);
    const LadderParts parts = s.ladder->parts();
    scorer.points = points_of(r.column, parts);
    reading = read_column(s.ladder->kinds(), scorer.points.column(), r.column.exact, event, o);
    scorer.kernel = &reading->kernel;
    for (const std::string_view key : kOmnibus)
      if (const auto at = reading->scores.find(key); at != reading->scores.end())
        observed.event_tests.insert(*at);
    if (column == Column::grid)  // replicates are compared with what they are drawn from
      for (const MetricRow* row : known.rows) {
        const std::string key(row->key);
        const auto at = reading->scores.find(key);
        const auto fine = observed.scores.find(key);
        if (at != reading->scores.end() && fine != observed.scores.end() && at->second && fine->second)
          if (reads_column(*row, binary, s.classes)) fine->second = at->second;
      }
    if (selection.has("ece_mass")) {
      observed.mass = equal_mass_table(reading->event.view(), o.bins);
      scorer.mass = observed.mass.edges;
    }
    if (has_line(selection)) observed.line_step = first_step(line_scores(reading->event.view()));
    if (!size.grouped && !size.several_votes) {
      if (has_line(selection)) observed.line_p = calibration_line_p(reading->event.view(), o.clip, o.threads);
      constexpr std::uint64_t kFew = 1 << 22;
      const Forecasts votes = parts.rung.empty() || s.ladder->votes() > kFew ? Forecasts{} : votes_of(parts);
      if (votes.size() > 0 && selection.has("hosmer_lemeshow"))
        observed.hosmer_lemeshow_p = hosmer_lemeshow_p(equal_mass_table(votes.view(), kHosmerLemeshowBins));
      if (votes.size() > 0 && selection.has("oe_ratio"))
        observed.event_ratio = event_ratio_bounds(votes.view(), o.level);
    }
  }

  std::vector<Drawn> boot, null;
  if (size.units > 1) {
    const bool signs = r.signs;
    Selection of_boot = known.part([](const MetricRow& row) {
      return row.interval != Interval::none && row.interval != Interval::inversion;
    });
    of_boot.products |= Product::event_table;
    scorer.score(of_boot, false, boot);
    Selection of_null = known.part([&](const MetricRow& row) {
      if (signs && !ProductSet(Product::event_table).has(run_of(row).needs(binary))) return false;
      return row.null || interval_needs_null(row);
    });
    if (there && !signs) add_omnibus(of_null);
    if (r.has_null) scorer.score(of_null, true, null);
  }

  const Inference inference(observed, boot, null, size, binary, o);
  MetricResults out;
  for (const MetricRow* row : selection.rows) {
    MetricResult m = inference.result(*row);
    const bool here = kept_of(*row, binary, s.classes, column);
    if (m.value && !m.low && !boot.empty() && !here && row->interval != Interval::none)
      m.interval_why = kByLadder.has(run_of(*row).needs(binary))
                           ? column == Column::none ? kNoColumn : kNoDistinct
                           : "replicates in a state of more than 16 classes keep the event alone";
    if (const auto at = scores.find(row->key);
        m.value && column == Column::grid && at != scores.end() && at->second)
      if (reads_column(*row, binary, s.classes)) move_to(*at->second.value, *row, m);
    const bool from_null = row->interval == Interval::debiased || row->key == "ece_kde";
    if (m.value && !boot.empty() && !r.has_null && from_null) {
      m.low = m.high = std::nullopt;
      m.interval.clear();
      m.interval_why = kNoNullDraws;
    }
    out.emplace_back(row->key, std::move(m));
  }
  std::optional<double> p =
      there && !r.signs && r.has_null ? omnibus_p(observed.event_tests, null) : std::nullopt;
  if (!p)
    for (const auto& [key, m] : out)
      if (key == "ece") p = m.p_value;
  if (column == Column::exact && !o.thresholds.empty()) {  // a threshold may lie within a step
    observed.decisions = decisions(reading->event.view(), decision_thresholds(o));
    add_decision_tables(observed, boot, size, o, result);
  }
  result.verdict = judge(inference, p, size.units > 1 ? r.count : 0, o);

  const auto set = [&](const std::string& key, Value value) {
    for (auto& [name, old] : result.settings)
      if (name == key) {
        old = std::move(value);
        return;
      }
    result.settings.emplace_back(key, std::move(value));
  };
  set("bootstrap", std::int64_t{r.count});
  set("seed", r.seed);
  set("unit", std::string(size.grouped ? "group" : "item"));
  set("null", std::string(r.signs      ? "signs of whole units' residuals"
                          : r.has_null ? NullModel{}.name()
                                       : "none"));
  if (static_cast<UnitName>(r.unit) == UnitName::row)
    result.notes.emplace_back(
        "items were resampled by their row in each part, without ⟦groups⟧ or ⟦ids⟧: another split would give other intervals and p-values");
  if (column == Column::grid) {
    set("replicate_step", static_cast<double>(ColumnDraws::kRungs) / Ladder::kSteps);
    result.tables.emplace_back("replicate_bounds", bound_rows(step_bounds(*s.ladder, o.bins)));
    result.notes.emplace_back(
        "there are more than 4,096 different forecasts: intervals and p-values of metrics that need them sorted are computed on a grid of 64 steps per unit of log-odds, and the table replicate_bounds says by how much values can differ there");
  }
  if (!r.has_null) result.notes.emplace_back(std::string("no p-values: ") + kNoNullDraws);
  if (!r.units.exact)
    result.notes.emplace_back(
        "there are more than 1,024 groups, and the state adds up those that share one of 1,024 buckets: intervals are as if there were at most 1,024");
  if (std::string note = few_units_note(size.units, size.grouped); !note.empty())
    result.notes.push_back(std::move(note));
  add_interval_notes(out, result.notes);
  return out;
}

}  // namespace plumb::detail
