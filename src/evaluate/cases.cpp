#include "plumb/evaluate/cases.hpp"

#include <algorithm>
#include <cmath>
#include <future>

#include "evaluate/case_draws.hpp"
#include "evaluate/case_overlap.hpp"
#include "evaluate/checks.hpp"
#include "evaluate/describe.hpp"
#include "evaluate/state_parts.hpp"
#include "evaluate/verdict.hpp"
#include "plumb/data/check.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/metrics/ordered/ladder.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/quantile.hpp"

namespace plumb::detail {
namespace {

constexpr ProductSet kByLadder{Product::event_column, Product::confidence_column, Product::kde,
                               Product::smooth};
constexpr ProductSet kByRater{Product::event_table, Product::class_tables, Product::proper_scores,
                              Product::event_log};
using Keyed = std::vector<std::pair<std::string, std::optional<double>>>;

Value value_or_null(const std::optional<double>& x) { return x ? Value(*x) : Value{}; }

Tree tree_of(const Keyed& values) {
  Tree::Members out;
  for (const auto& [key, value] : values) out.emplace_back(key, Tree(value_or_null(value)));
  return out;
}

Ladder ladder_of(const Items& items, int threads) {
  const ForecastPass pass = pass_over(items, Event::event, threads);
  std::vector<Ladder> parts(pass.workers);
  pass.run([&](int worker, const ForecastsView& block) { parts[worker].add(block); });
  for (std::size_t i = 1; i < parts.size(); ++i) parts[0].merge(parts[i]);
  return std::move(parts[0]);
}

/// The votes of one rater.
Items rated_by(const Items& items, int rater) {
  Items out = items;
  Array all = items.votes.rows().shards().front();
  all.data += rater * all.strides[1];
  all.shape[1] = 1;
  out.votes = Votes::from_ratings(Rows(all), items.classes());
  return out;
}

struct NamedSums {
  std::string name;
  StreamSums sums;
};

struct NamedState {
  std::string name;
  std::int64_t cases = 0;
  EvaluateState state;
};

struct CaseRow {
  std::string name, unit;
  std::vector<std::string> slices;
  std::int64_t items = 0, votes = 0;
  Keyed metrics;
  std::vector<std::string> raters;
  std::optional<CaseOverlap> overlap;
  double voxel_mm3 = 0;
};

Tree overlap_tree(const CaseRow& row) {
  Tree::Members raters;
  for (std::size_t r = 0; r < row.raters.size(); ++r) {
    const RaterOverlap& o = row.overlap->raters[r];
    raters.emplace_back(row.raters[r], Tree::Members{{"volume", o.volume},
                                                     {"dice", Tree(value_or_null(o.dice))},
                                                     {"soft_dice", Tree(value_or_null(o.soft_dice))}});
  }
  return Tree::Members{{"predicted", row.overlap->predicted},
                       {"expected", row.overlap->expected},
                       {"voxel_mm3", row.voxel_mm3 > 0 ? Tree(row.voxel_mm3) : Tree(Value{})},
                       {"raters", std::move(raters)}};
}

/// Over the raters of a case.
std::optional<double> mean_of(const CaseOverlap& overlap, std::optional<double> RaterOverlap::*which) {
  double sum = 0, n = 0;
  for (const RaterOverlap& r : overlap.raters)
    if (r.*which) sum += *(r.*which), ++n;
  return n > 0 ? std::optional<double>(sum / n) : std::nullopt;
}

template <class Named>
Named& entry(std::vector<Named>& all, const std::string& name) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const Named& n) { return n.name == name; });
  if (at != all.end()) return *at;
  all.emplace_back().name = name;
  return all.back();
}

/// What all cases add up to.
class Pool {
 public:
  /// `keep_state`: all that streams is wanted, not only what the metrics need.
  Pool(const CasesOptions& options, bool keep_state)
      : options_(options), o_(options.evaluate), keep_state_(keep_state) {}
  void add(const Case& c);
  [[nodiscard]] Result finish(EvaluateState* state);

 private:
  void check_alike(const Case& c) const;
  [[nodiscard]] Observed observe(const Items& items, EvaluateState& state) const;
  [[nodiscard]] bool needs_ladder(const Selection& selection) const;
  void add_raters(const Case& c);
  void add_ladder(Selection& selection, Scores& scores, Result& result) const;
  void add_raters(const Selection& selection, Result& result) const;
  void add_slices(Result& result) const;
  void add_cases(Result& result) const;
  [[nodiscard]] FinishOptions finish_options() const {
    return {o_.bins, o_.clip, o_.leave_out, state_.classes == 2, false, o_.threads};
  }

  const CasesOptions& options_;
  const EvaluateOptions& o_;
  bool keep_state_, empty_ = true;
  EvaluateState state_;
  Ladder ladder_;
  std::optional<CaseDraws> draws_;
  std::vector<NamedSums> raters_;
  std::vector<std::vector<NamedState>> slices_;
  std::vector<CaseRow> cases_;
};

void Pool::check_alike(const Case& c) const {
  if (!empty_ && c.items.classes() != state_.classes)
    throw InputError("it has " + counted(c.items.classes(), "class") + ", and the cases before it have " +
                     std::to_string(state_.classes));
}

void Pool::add_raters(const Case& c) {
  if (c.items.votes.kind() != Votes::Kind::ratings) return;
  Progress silent({}, o_.cancel);
  for (int r = 0; r < c.items.votes.raters(); ++r) {
    const StreamSums sums =
        stream_sums(rated_by(c.items, r), equal_width_plan(o_.bins, c.items.classes()), kByRater, o_, silent);
    NamedSums& at = entry(raters_, c.raters.at(r));
    if (at.sums.event.bins.empty()) {
      at.sums = sums;
    } else {
      at.sums.merge(sums);
    }
  }
}

/// A case by itself: every metric, and the sums that are added up.
Observed Pool::observe(const Items& items, EvaluateState& state) const {
  check_items(items);
  check_table_size(items.classes(), o_.bins);
  EvaluateOptions one = o_;
  one.bootstrap = 0;
  state = begin_state(items, one);
  if (!keep_state_) state.bandwidth = 0;  // the curve is read off the ladder
  Progress silent({}, o_.cancel);
  const ProductSet also = keep_state_ ? kStreamingProducts : ProductSet(Product::event_table);
  const Prepared prepared(items, select_metrics(one, task_kind(items)), one, false, also);
  Observed out = prepared.observe(silent);
  check_mass(items, out.sums.event.total());
  if (keep_state_) {
    add_consensus(items, out.sums, one, silent, state);
    finish_state(prepared.event_pass(), out.sums, state);
    return out;
  }
  state.votes = out.sums;
  const ProductSet products = also | prepared.selection().products.both(kStreamingProducts);
  const Consensus majority = consensus(items, {one.ties, one.seed}, one.threads);
  state.tied = narrow<std::uint64_t>(majority.tied);
  state.most_votes = majority.most_votes;
  state.consensus =
      stream_sums(majority.items, equal_width_plan(one.bins, items.classes()), products, one, silent);
  return out;
}

bool Pool::needs_ladder(const Selection& selection) const {
  return std::any_of(selection.rows.begin(), selection.rows.end(), [&](const MetricRow* row) {
    return kByLadder.has(run_of(*row).needs(selection.binary));
  });
}

void Pool::add(const Case& c) {
  check_alike(c);
  EvaluateState state;
  const Observed own = observe(c.items, state);  // throws before anything was added
  const Selection selection = select_metrics(o_, task_kind(c.items));
  if (needs_ladder(selection)) ladder_.merge(ladder_of(c.items, o_.threads));
  add_raters(c);
  if (empty_) {
    state_ = state;
    slices_.resize(options_.by.size());
    if (o_.bootstrap > 0) draws_.emplace(o_, state.classes);
  } else {
    merge(state_, state);
  }
  empty_ = false;
  if (draws_) draws_->add(c.unit, state.votes);
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    NamedState& at = entry(slices_[i], c.slices.at(i));
    if (at.cases++ == 0) {
      at.state = state;
    } else {
      merge(at.state, state);
    }
  }
  const auto votes = narrow<std::int64_t>(own.sums.event.total().votes);
  CaseRow row{c.name, c.unit, c.slices, c.items.size(), votes, {}, c.raters, {}, c.voxel_mm3};
  if (c.items.votes.kind() == Votes::Kind::ratings) row.overlap = case_overlap(c.items, o_.threads);
  for (const MetricRow* m : selection.rows)
    row.metrics.emplace_back(m->key, own.scores.at(std::string(m->key)).value);
  cases_.push_back(std::move(row));
}

/// Keys of columns, read off the ladder.
void Pool::add_ladder(Selection& selection, Scores& scores, Result& result) const {
  const Selection part = selection.part([&](const MetricRow& row) {
    const ProductSet needs = run_of(row).needs(selection.binary);
    const bool distinct = row.key == "brier_calibration" || row.key == "brier_refinement";
    const bool by_item = needs.has(Product::kde) && o_.leave_out == LeaveOut::item;
    return kByLadder.has(needs) && !by_item && (ladder_.exact() || !distinct);
  });
  if (part.rows.empty()) return;
  const Forecasts event = ladder_.column();
  const Forecasts confidence = selection.binary ? confidence_of(event, o_.threads) : Forecasts{};
  const ForecastsView view = event.view();
  const KernelPlan kernel = kernel_plan(Items{}, part.products.both({Product::kde}), o_, &view);
  ColumnProducts columns{view, selection.binary ? confidence.view() : view, {}, {}, nullptr, &kernel};
  detail::finish(part, Products(columns, part.products.both(kByLadder), finish_options()), scores);
  add_kernel_settings(kernel, o_, result);
  if (part.products.has(Product::kde))
    result.tables.emplace_back("reliability_kde",
                               curve_rows(kde_curve(pass_over(view, o_.threads), kernel), {}, o_.level));
  auto& s = result.settings;
  s.emplace_back("ladder", std::string(ladder_.exact() ? "distinct p" : "grid of log-odds"));
  if (ladder_.exact()) return;
  s.emplace_back("ladder_step", 1.0 / Ladder::kSteps);
  const LadderBounds bounds = ladder_.bounds();
  Table t;
  t.columns = {"key", "bound"};
  t.rows = {
      {std::string("p"), bounds.p}, {std::string("auroc"), bounds.auroc}, {std::string("ks"), bounds.ks}};
  result.tables.emplace_back("ladder_bounds", std::move(t));
}

void Pool::add_raters(const Selection& selection, Result& result) const {
  const Selection single = selection.part([&](const MetricRow& row) {
    return row.needs != Needs::pairs && kByRater.has(run_of(row).needs(selection.binary));
  });
  Tree::Members out;
  for (const NamedSums& rater : raters_) {
    Scores scores;
    detail::finish(single, Products(rater.sums, kByRater, finish_options()), scores);
    Keyed values;
    for (const MetricRow* row : single.rows)
      if (row->key != "ece_corrected") values.emplace_back(row->key, scores.at(std::string(row->key)).value);
    out.emplace_back(rater.name, tree_of(values));
  }
  if (!out.empty()) result.sections.emplace_back("per_rater", std::move(out));
}

void Pool::add_slices(Result& result) const {
  for (std::size_t i = 0; i < slices_.size(); ++i)
    for (const NamedState& slice : slices_[i]) {
      const Result r = plumb::finish(slice.state, o_);
      GroupResult g{slice.name, r.items, r.votes, {}, options_.by[i], {}};
      for (const auto& [key, m] : r.metrics)
        if (m.value) g.metrics.emplace_back(key, m.value);
      result.per_group.push_back(std::move(g));
    }
}

Tree spread(std::vector<double> values) {
  ExactSum sum, squares;
  for (const double v : values) sum.add(v);
  const auto n = static_cast<double>(values.size());
  const double mean = sum.value() / n;
  for (const double v : values) squares.add((v - mean) * (v - mean));
  const Value sd = n > 1 ? Value(std::sqrt(squares.value() / (n - 1))) : Value{};
  std::sort(values.begin(), values.end());
  return Tree::Members{{"mean", mean},
                       {"sd", Tree(sd)},
                       {"median", quantile_sorted(values, 0.5)},
                       {"cases", Tree(Value(static_cast<std::int64_t>(values.size())))}};
}

void Pool::add_cases(Result& result) const {
  Tree::List list;
  Tree::Members over;
  for (const CaseRow& row : cases_) {
    Tree::Members m{{"case", Tree(Value(row.name))}};
    if (options_.grouped) m.emplace_back("group", Tree(Value(row.unit)));
    m.emplace_back("items", Tree(Value(row.items)));
    m.emplace_back("votes", Tree(Value(row.votes)));
    m.emplace_back("metrics", tree_of(row.metrics));
    if (row.overlap) m.emplace_back("overlap", overlap_tree(row));
    list.emplace_back(std::move(m));
  }
  for (std::size_t k = 0; k < cases_.front().metrics.size(); ++k) {
    std::vector<double> values;
    for (const CaseRow& row : cases_)
      if (k < row.metrics.size() && row.metrics[k].second) values.push_back(*row.metrics[k].second);
    if (!values.empty()) over.emplace_back(cases_.front().metrics[k].first, spread(std::move(values)));
  }
  result.sections.emplace_back("cases", std::move(over));
  Tree::Members overlap;
  for (const auto& [name, which] :
       {std::pair("dice", &RaterOverlap::dice), std::pair("soft_dice", &RaterOverlap::soft_dice)}) {
    std::vector<double> values;
    for (const CaseRow& row : cases_)
      if (row.overlap)
        if (const auto v = mean_of(*row.overlap, which)) values.push_back(*v);
    if (!values.empty()) overlap.emplace_back(name, spread(std::move(values)));
  }
  if (!overlap.empty()) result.sections.emplace_back("overlap", std::move(overlap));
  result.sections.emplace_back("per_case", std::move(list));
}

/// Null tables have turned residuals, from which only sizes of gaps can be read.
bool by_sign(const MetricRow& row) {
  return row.key == "ece" || row.key == "ece_l2" || row.key == "mce" || row.key == "ece_classwise" ||
         row.key == "mean_gap";
}

void replace_setting(Result& result, const std::string& key, Value value) {
  for (auto& [name, old] : result.settings)
    if (name == key) {
      old = std::move(value);
      return;
    }
  result.settings.emplace_back(key, std::move(value));
}

/// Where voxels are chosen for having a vote, forecasts of the others are too low even if they are right.
void disclaim(Result& result) {
  constexpr const char* kWhy =
      "voxels were chosen by their votes, which makes even a calibrated model's forecasts look too low there";
  for (auto& [key, m] : result.metrics) m.p_value = m.null_mean = std::nullopt;
  const double tolerance = result.verdict.tolerance;
  const std::string unit = result.verdict.unit;
  result.verdict = {};
  result.verdict.tolerance = tolerance;
  result.verdict.unit = unit;
  result.verdict.why = kWhy;
  result.notes.emplace_back(kWhy);
}

Result Pool::finish(EvaluateState* state) {
  if (empty_) throw InputError("no case could be evaluated");
  EvaluateState shown = state_;
  shown.bandwidth = 0;
  Result result = plumb::finish(shown, o_);
  result.command = "evaluate";
  const bool binary = state_.classes == 2;
  Selection selection = select_metrics(o_, {binary, state_.has_truth, state_.votes.several_votes});
  Observed observed;
  observed.sums = state_.votes;
  detail::finish(selection, Products(state_.votes, kStreamingProducts, finish_options()), observed.scores);
  replace_setting(result, "unit", std::string(options_.grouped ? "group" : "case"));
  add_ladder(selection, observed.scores, result);
  for (const MetricRow* row : selection.rows)
    if (!observed.scores.contains(std::string(row->key)))
      observed.scores[std::string(row->key)] =
          Estimate::undefined("needs all voxels in memory; evaluate one case, or a sample of voxels");
  std::vector<std::string> keys;
  for (const MetricRow* row : selection.rows) keys.emplace_back(row->key);
  replace_setting(result, "metrics", keys);
  const SampleSize size = draws_ ? draws_->size(state_.votes.several_votes) : SampleSize{};
  std::vector<Drawn> boot, null;
  if (draws_ && size.units > 1) {
    replace_setting(result, "bootstrap", std::int64_t{o_.bootstrap});
    replace_setting(result, "null", std::string("signs of whole units' residuals"));
    const Selection intervals =
        selection.part([](const MetricRow& row) { return row.interval != Interval::none; });
    boot = draws_->boot(intervals, finish_options());
    null = draws_->null(selection.part(by_sign), finish_options());
    if (std::string note = few_units_note(size.units, true); !note.empty()) result.notes.push_back(note);
  }
  const Inference inference(observed, boot, null, size, binary, o_);
  result.metrics.clear();
  for (const MetricRow* row : selection.rows) result.metrics.emplace_back(row->key, inference.result(*row));
  std::optional<double> p;
  for (const auto& [key, m] : result.metrics)
    if (key == "ece") p = m.p_value;
  if (draws_) result.verdict = judge(inference, p, o_.bootstrap, o_);
  if (options_.chosen_by_votes) disclaim(result);
  add_raters(selection, result);
  add_slices(result);
  add_cases(result);
  if (state != nullptr) *state = state_;
  return result;
}

}  // namespace
}  // namespace plumb::detail

namespace plumb {

using namespace detail;

Result evaluate_cases(std::span<const std::string> names, const std::function<Case(std::int64_t)>& read,
                      const CasesOptions& options, EvaluateState* state) {
  const EvaluateOptions& o = options.evaluate;
  check_options(o);
  if (o.binning == Binning::mass)
    throw InputError("⟦manifest⟧ needs ⟦binning⟧ width; ece_mass has equal-mass bins");
  if (o.ties == Ties::random)
    throw InputError("⟦manifest⟧ and ⟦ties⟧ random cannot be combined; use ⟦ties⟧ half");
  Progress progress(o.progress, o.cancel);
  progress.expect(static_cast<double>(names.size()));
  Pool pool(options, state != nullptr);
  Tree::List skipped;
  const auto n = std::ssize(names);
  const auto begin = [&](std::int64_t i) {
    return i < n ? std::async(std::launch::async, [&read, i] { return read(i); }) : std::future<Case>();
  };
  std::future<Case> next = begin(0);
  for (std::int64_t i = 0; i < n; ++i) {
    try {
      const Case c = next.get();
      next = begin(i + 1);
      pool.add(c);
    } catch (const InputError& e) {
      const std::string why = "case " + names[i] + ": " + e.sentence();
      if (!options.skip_errors) throw InputError(why);
      skipped.emplace_back(
          Tree::Members{{"case", Tree(Value(names[i]))}, {"why", Tree(Value(e.sentence()))}});
      if (!next.valid()) next = begin(i + 1);
    }
    progress.add(1);
  }
  if (std::ssize(skipped) == n && n > 0)
    throw InputError("none of the " + counted(n, "case") + " could be read");
  Result result = pool.finish(state);
  if (!skipped.empty()) {
    result.notes.push_back(counted(std::ssize(skipped), "case") + " could not be read and " +
                           (skipped.size() == 1 ? "was" : "were") + " left out");
    result.sections.emplace_back("skipped", std::move(skipped));
  }
  return result;
}

}  // namespace plumb
