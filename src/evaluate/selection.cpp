#include "evaluate/selection.hpp"

#include <algorithm>

#include "plumb/data/check.hpp"

namespace plumb {
namespace {

bool one_of(std::string_view key, std::initializer_list<std::string_view> keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

bool task_fits(const MetricRow& row, bool binary) {
  if (row.task == Task::any) return true;
  return row.task == (binary ? Task::binary : Task::multiclass);
}

void note_passes(Selection& s, const EvaluateOptions& options, bool binary) {
  for (const MetricRow* row : s.rows) {
    const auto key = row->key;
    if (one_of(key, {"accuracy", "agreement", "nll", "brier", "brier_within", "mse_p", "kl_p"}))
      s.scores = true;
    if (one_of(key, {"ece", "ece_l2", "mce", "ece_debiased", "oe_ratio"})) s.event = true;
    if (key.starts_with("brier_") && row->room == Room::streaming) (binary ? s.event : s.classes) = true;
    if (key == "ece_classwise") s.classes = true;
    if (one_of(key, {"lsq", "el_plugin", "el", "cl_plugin", "cl", "dl_plugin", "dl", "ce", "de", "il", "rl"}))
      s.histogram = true;
    if (key.starts_with("disagreement_")) s.disagreement = true;
    if (one_of(key, {"log_calibration", "log_refinement"})) s.event = s.event_log = true;
    if (one_of(key, {"rater_agreement", "fleiss_kappa", "krippendorff_alpha"})) s.agreement = true;
    if (row->room == Room::ordered) s.ordered = true;
    if (one_of(key, {"ece_kde", "ece_kde_l2"})) s.kde = true;
    if (key == "ece_kde_classwise") s.kde_classwise = true;
    if (key == "ece_kde_canonical") s.canonical = true;
    if (key == "smece") s.smece = true;
    if (key == "mmce") s.mmce = true;
    if (binary && one_of(key, {"aurc", "eaurc", "augrc"})) s.top = true;
  }
  // Kernel keys stream as long as nothing else asks for the column in memory.
  const bool replicates = options.bootstrap > 0 && (s.kde || s.smece);
  if (s.mmce || replicates || (s.kde && options.bandwidth == 0)) s.ordered = true;
}

}  // namespace

bool Selection::has(std::string_view key) const {
  return std::any_of(rows.begin(), rows.end(), [key](const MetricRow* r) { return r->key == key; });
}

TaskKind task_kind(const Items& items) {
  return {items.binary(), !items.truth.empty(), items.votes.kind() != Votes::Kind::labels};
}

Selection select_metrics(const EvaluateOptions& options, const TaskKind& task) {
  const auto [binary, has_truth, may_have_pairs] = task;
  Selection s;
  const auto wanted = [&](std::string_view key) {
    return std::find(options.metrics.begin(), options.metrics.end(), key) != options.metrics.end();
  };
  const bool all = wanted("all");
  for (const std::string& key : options.metrics) {
    if (key == "all") continue;
    const MetricRow* row = find_metric(key);
    if (row == nullptr) {
      std::vector<std::string> known;
      for (const MetricRow& r : metrics()) known.emplace_back(r.key);
      throw InputError(options.keys_flag + ": there is no metric \"" + key + "\"" + did_you_mean(key, known) +
                       "; `plumb list` shows them all");
    }
    if (!task_fits(*row, binary))
      throw InputError(options.keys_flag + ": " + key + " is for " + (binary ? "multiclass" : "binary") +
                       " tasks, and this one is " + (binary ? "binary" : "multiclass") + "; leave it out");
    if (row->needs == Needs::truth && !has_truth)
      throw InputError(options.keys_flag + ": " + key +
                       " needs the true probabilities; give them with --truth");
  }
  for (const MetricRow& row : metrics()) {
    if (!task_fits(row, binary) || (row.needs == Needs::truth && !has_truth)) continue;
    const bool by_default = options.metrics.empty() && row.cost != Cost::quadratic &&
                            (row.needs != Needs::pairs || may_have_pairs);
    if (all || by_default || wanted(row.key)) s.rows.push_back(&row);
  }
  note_passes(s, options, binary);
  return s;
}

Selection single_vote_part(const Selection& all, const EvaluateOptions& options, const TaskKind& task) {
  Selection s;
  for (const MetricRow* row : all.rows)
    if (row->needs != Needs::pairs) s.rows.push_back(row);
  note_passes(s, options, task.binary);
  return s;
}

Selection null_part(const Selection& all, const EvaluateOptions& options) {
  Selection s;
  for (const MetricRow* row : all.rows)
    if (row->null) s.rows.push_back(row);
  note_passes(s, options, false);  // no null key needs the binary special cases
  return s;
}

}  // namespace plumb
