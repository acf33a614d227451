#include "evaluate/case_pool.hpp"

#include <algorithm>

#include "evaluate/checks.hpp"
#include "evaluate/describe.hpp"
#include "evaluate/intervals.hpp"
#include "evaluate/ladder_scores.hpp"
#include "evaluate/verdict.hpp"
#include "plumb/data/check.hpp"

namespace plumb::detail {
namespace {

constexpr const char* kNeedsVoxels = "needs all voxels in memory; evaluate one case, or a sample of voxels";
constexpr const char* kTiedVoxels =
    "it depends on the number of votes, and tied raters share some; leave those out with ⟦ties⟧ absent";
constexpr std::size_t kMostSliceLadders = 64;  // of a column: half a megabyte each

/// Whether a metric of the ladder depends on how many votes there are, not on shares of them alone.
bool counts_votes(std::string_view key) {
  constexpr std::string_view kKeys[] = {"cox_score", "spiegelhalter_z", "hosmer_lemeshow", "eaurc"};
  return std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys);
}

template <class Named>
Named& entry_of(std::vector<Named>& all, const std::string& name) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const Named& n) { return n.name == name; });
  if (at != all.end()) return *at;
  all.emplace_back().name = name;
  return all.back();
}

void add_named(std::vector<NamedSums>& all, NamedSums& from) {
  NamedSums& at = entry_of(all, from.name);
  if (at.sums.event.bins.empty()) {
    at.sums = std::move(from.sums);
    at.ladder = std::move(from.ladder);
  } else {
    at.sums.merge(from.sums);
    if (at.ladder && from.ladder) at.ladder->merge(*from.ladder);
  }
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
      "voxels were selected by their votes, so that even a calibrated model's forecasts look too low";
  for (auto& [key, m] : result.metrics) m.p_value = m.null_mean = std::nullopt;
  const double tolerance = result.verdict.tolerance;
  const std::string unit = result.verdict.unit;
  result.verdict = {};
  result.verdict.tolerance = tolerance;
  result.verdict.unit = unit;
  result.verdict.why = kWhy;
  result.notes.emplace_back(kWhy);
}

}  // namespace

void CasePool::add(CaseSums c) {
  if (!empty_ && c.state.classes != state_.classes)
    throw InputError("it has " + counted(c.state.classes, "class") + ", and the cases before it have " +
                     std::to_string(state_.classes));
  if (empty_) {
    state_ = c.state;
    slices_.resize(options_.by.size());
    if (o_.bootstrap > 0) draws_.emplace(o_, state_.classes);
    if (o_.bootstrap > 0 && o_.bootstrap <= LadderDraws::kMost && c.ladders.votes) ladder_draws_.emplace(o_);
  } else {
    merge(state_, c.state);
  }
  empty_ = false;
  merge_into(ladders_, c.ladders);
  for (NamedSums& rater : c.raters) add_named(raters_, rater);
  for (NamedSums& region : c.regions) add_named(regions_, region);
  if (draws_) draws_->add(c.row.unit, c.state.votes);
  if (ladder_draws_ && c.ladders.votes) ladder_draws_->add(c.row.unit, *c.ladders.votes);
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    NamedState& at = entry_of(slices_[i], c.row.slices.at(i));
    if (at.cases++ == 0) {
      at.state = c.state;
      at.ladder = c.ladders.votes;
    } else {
      merge(at.state, c.state);
      if (at.ladder && c.ladders.votes) at.ladder->merge(*c.ladders.votes);
    }
    if (slices_[i].size() > kMostSliceLadders)
      for (NamedState& slice : slices_[i]) slice.ladder.reset();  // of all, whatever the order of cases
  }
  even_ += c.even;
  cases_.push_back(std::move(c.row));
}

/// What needs an order over votes: against all of them and against the majority.
void CasePool::add_ladders(const Selection& selection, Observed& observed, Result& result) const {
  if (ladders_.votes) add_ladder(*ladders_.votes, selection, o_, true, observed.scores, result);
  if (!ladders_.classes.empty()) {
    const ClassKde kernel = read_class_ladders(ladders_.classes, o_);
    observed.scores["ece_kde_classwise"] = kernel.mean;
    result.per_class.emplace_back("ece_kde_classwise", kernel.by_class);
  }
  if (!ladders_.majority || !has_majority(state_.most_votes, o_.ties)) return;
  const Selection part = ladder_part(selection, o_);
  const Ladder ladder = ladders_.majority->in_lowest_terms();
  const bool shared = !ladder.single_votes();
  const Scores majority = read_ladder(ladder, part, o_).scores;
  for (auto& [key, m] : result.consensus) {
    if (!part.has(key)) continue;
    const auto at = majority.find(key);
    m = result_of(shared && counts_votes(key) ? Estimate::undefined(kTiedVoxels)
                  : at != majority.end()      ? at->second
                                              : Estimate::undefined(kNeedsVoxels));
  }
}

/// Intervals, p-values and the verdict, from draws of units.
void CasePool::add_intervals(const Selection& selection, Observed& observed, Result& result) const {
  const SampleSize size = draws_ ? draws_->size(state_.votes.several_votes) : SampleSize{};
  std::vector<Drawn> boot, null;
  if (draws_ && size.units > 1) {
    replace_setting(result, "bootstrap", std::int64_t{o_.bootstrap});
    replace_setting(result, "null", std::string("signs of whole units' residuals"));
    const Selection intervals =
        selection.part([](const MetricRow& row) { return row.interval != Interval::none; });
    boot = draws_->boot(intervals, finish_options());
    if (ladder_draws_ && ladders_.votes) ladder_draws_->score(intervals, *ladders_.votes, o_, boot);
    null = draws_->null(selection.part(read_from_signs), finish_options());
    if (std::string note = few_units_note(size.units, true); !note.empty()) result.notes.push_back(note);
  }
  const Selection resampled = LadderDraws::resampled(ladder_part(selection, o_));
  const Inference inference(observed, boot, null, size, selection.binary, o_);
  result.metrics.clear();
  for (const MetricRow* row : selection.rows) {
    MetricResult m = inference.result(*row);
    if (m.value && !m.low && !boot.empty() && row->room != Room::streaming &&
        row->interval != Interval::none && !(ladder_draws_ && resampled.has(row->key)))
      m.interval_why = "replicates of cases are sums, and this metric needs every voxel";
    result.metrics.emplace_back(row->key, std::move(m));
  }
  if (!boot.empty()) {
    add_interval_notes(result.metrics, result.notes);
    for (auto& [key, m] : result.consensus)
      if (m.value) m.interval_why = "the consensus of cases is not resampled";
  }
  std::optional<double> p;
  for (const auto& [key, m] : result.metrics)
    if (key == "ece") p = m.p_value;
  if (draws_) result.verdict = judge(inference, p, o_.bootstrap, o_);
}

Result CasePool::finish(EvaluateState* state) {
  if (empty_) throw InputError("no case could be evaluated");
  EvaluateState finished = state_;
  finished.bandwidth = 0;
  Result result = plumb::finish(finished, o_);
  result.command = "evaluate";
  Selection selection =
      select_metrics(o_, {state_.classes == 2, state_.has_truth, state_.votes.several_votes});
  Observed observed;
  observed.sums = state_.votes;
  detail::finish(selection, Products(state_.votes, kStreamingProducts, finish_options()), observed.scores);
  replace_setting(result, "unit", std::string(options_.grouped ? "group" : "case"));
  add_ladders(selection, observed, result);
  std::vector<std::string> keys;
  for (const MetricRow* row : selection.rows) {
    keys.emplace_back(row->key);
    if (!observed.scores.contains(keys.back()))
      observed.scores[keys.back()] = Estimate::undefined(kNeedsVoxels);
  }
  replace_setting(result, "metrics", keys);
  add_intervals(selection, observed, result);
  if (options_.chosen_by_votes) disclaim(result);
  if (even_ > 0)
    result.notes.push_back(
        counted(even_, "voxel") +
        " of a structure in some rater's mask had probability 1 for the background, so the structures were given equal probabilities there");
  add_rater_sections(raters_, selection, finish_options(), o_, result);
  add_region_section(regions_, cases_, selection, finish_options(), o_, result);
  add_case_slices(slices_, options_, result);
  add_case_rows(cases_, options_.grouped, result);
  if (state != nullptr) {
    *state = state_;
    state->ladder = ladders_.votes ? std::move(ladders_.votes) : Ladder();
  }
  return result;
}

}  // namespace plumb::detail
