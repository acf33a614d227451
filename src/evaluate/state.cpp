#include "plumb/evaluate/state.hpp"

#include "evaluate/describe.hpp"
#include "evaluate/kernel.hpp"
#include "evaluate/stream.hpp"
#include "evaluate/tables.hpp"
#include "plumb/data/check.hpp"

namespace plumb {
namespace {

/// Every streaming key that the task can have.
Selection streaming_selection(const TaskKind& task) {
  EvaluateOptions all;
  all.metrics = {"all"};
  Selection s = select_metrics(all, task);
  s.scores = s.event = s.classes = s.histogram = s.disagreement = s.event_log = s.agreement = true;
  return s;
}

void check_equal(bool equal, const char* what) {
  if (!equal)
    throw InputError(std::string("these states were made with different ") + what + " and cannot be merged");
}

}  // namespace

EvaluateState evaluate_state(const Items& items, const EvaluateOptions& o) {
  check_bins(o.bins);
  check_items(items);
  if (o.binning == Binning::mass)
    throw InputError(
        "--save-state needs --binning width: equal-mass cells are known only once all the data are");
  EvaluateState s;
  s.classes = items.classes();
  s.items = static_cast<std::uint64_t>(items.size());
  s.bins = o.bins;
  s.clip = o.clip;
  s.normalize = items.predictions.normalizes();
  s.logits = items.predictions.scale() == Scale::logit;
  s.has_truth = !items.truth.empty();
  s.class_names = items.class_names;
  const Selection passes = streaming_selection(task_kind(items));
  const CellPlan plan = equal_width_plan(o.bins, items.classes());
  s.votes = stream_sums(items, plan, passes, ScoreOptions{o.clip}, o.threads);
  // With labels alone the majority is the label: no second pass.
  s.consensus = items.votes.kind() == Votes::Kind::labels
                    ? s.votes
                    : stream_sums(items.consensus(o.threads), plan, passes, ScoreOptions{o.clip}, o.threads);
  s.bandwidth = o.bandwidth;
  if (o.bandwidth > 0)
    s.kernel = beta_sums(pass_over(items, Event::kEvent, o.threads), kernel_boxes(o.bandwidth));
  return s;
}

void merge(EvaluateState& into, const EvaluateState& from) {
  check_equal(into.classes == from.classes, "numbers of classes");
  check_equal(into.bins == from.bins, "--bins");
  check_equal(into.clip == from.clip, "--clip");
  check_equal(into.bandwidth == from.bandwidth, "--bandwidth");
  check_equal(into.normalize == from.normalize, "--normalize");
  check_equal(into.logits == from.logits, "scales (--probs and --logits)");
  check_equal(into.has_truth == from.has_truth, "--truth (given in one, not in the other)");
  check_equal(into.class_names == from.class_names, "--classes");
  into.items += from.items;
  into.votes.merge(from.votes);
  into.consensus.merge(from.consensus);
  if (into.bandwidth > 0) into.kernel.merge(from.kernel);
}

Result finish(const EvaluateState& s, const EvaluateOptions& options) {
  const bool binary = s.classes == 2;
  EvaluateOptions o = options;
  o.bins = s.bins;
  o.clip = s.clip;
  o.bootstrap = 0;
  const TaskKind task{binary, s.has_truth, s.votes.several_votes};
  const Selection selection = select_metrics(o, task);

  Result r;
  r.version = version();
  r.command = "merge";
  r.task = binary ? "binary" : "multiclass";
  r.items = static_cast<std::int64_t>(s.items);
  r.classes = s.classes;
  r.class_names = s.class_names;
  r.votes = static_cast<std::int64_t>(s.votes.event.total().votes);
  add_settings(o, binary, s.logits, s.normalize, r);
  add_notes(s.votes, r.items, r);
  const auto results = [&](const StreamSums& sums, const Selection& keys) {
    Scores scores;
    stream_scores(sums, keys, binary, ScoreOptions{s.clip}, s.has_truth, scores);
    MetricResults out;
    for (const MetricRow* row : keys.rows) {
      MetricResult m;
      if (row->room == Room::streaming) {
        const Estimate& e = scores[std::string(row->key)];
        m.value = e.value;
        m.why = e.why;
        if (e.items >= 0) m.items = e.items;
      } else {
        m.why = "needs all the data in one run; a merged state has only the streaming sums";
      }
      out.emplace_back(row->key, std::move(m));
    }
    return out;
  };
  r.metrics = results(s.votes, selection);
  if (s.votes.several_votes) r.consensus = results(s.consensus, single_vote_part(selection, o, task));
  r.tables.emplace_back("reliability", reliability_rows(s.votes.event));
  add_class_results(s.votes, selection, r);
  if (s.bandwidth > 0) {
    r.settings.emplace_back("bandwidth_choice", std::string("given"));
    r.settings.emplace_back("bandwidth", s.bandwidth);
    r.tables.emplace_back("reliability_kde", curve_rows(reliability_kde(s.kernel, even_grid()), {}, o.level));
  }
  add_rater_tables(s.votes, selection, r);
  return r;
}

}  // namespace plumb
