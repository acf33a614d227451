#include "evaluate/selection.hpp"

#include <algorithm>

#include "plumb/data/check.hpp"

namespace plumb::detail {
namespace {

bool task_fits(const MetricRow& row, bool binary) {
  return row.task == Task::any || row.task == (binary ? Task::binary : Task::multiclass);
}

void check_key(const std::string& key, const EvaluateOptions& options, const TaskKind& task) {
  const std::string where = opt(options.keys_option) + ": ";
  check_keys({&key, 1}, metrics(), where + "there is no metric");
  const MetricRow* row = find_metric(key);
  const std::string this_task = task.binary ? "binary" : "multiclass";
  if (!task_fits(*row, task.binary))
    throw InputError(where + key + " is for " + (task.binary ? "multiclass" : "binary") +
                     " tasks, and this one is " + this_task + "; leave it out");
  if (row->needs == Needs::truth && !task.has_truth)
    throw InputError(where + key + " needs the true probabilities; give them with ⟦truth⟧");
}

}  // namespace

TaskKind task_kind(const Items& items) {
  return {items.binary(), !items.truth.empty(), items.votes.kind() != Votes::Kind::labels};
}

bool Selection::has(std::string_view key) const {
  return std::any_of(rows.begin(), rows.end(), [key](const MetricRow* r) { return r->key == key; });
}

void Selection::add(const MetricRow& row) {
  rows.push_back(&row);
  products |= run_of(row).needs(binary);
}

bool asked_by_name(const EvaluateOptions& options, std::string_view key) {
  return std::any_of(options.metrics.begin(), options.metrics.end(),
                     [key](const std::string& asked) { return canonical_key(asked) == key; });
}

Selection select_metrics(const EvaluateOptions& options, const TaskKind& task) {
  const bool all = asked_by_name(options, "all");
  for (const std::string& key : options.metrics)
    if (key != "all") check_key(key, options, task);
  Selection s{task.binary, {}, {}};
  for (const MetricRow& row : metrics()) {
    if (!task_fits(row, task.binary) || (row.needs == Needs::truth && !task.has_truth)) continue;
    const bool by_default = options.metrics.empty() && row.cost != Cost::quadratic &&
                            (row.needs != Needs::pairs || task.may_have_pairs);
    if (all || by_default || asked_by_name(options, row.key)) s.add(row);
  }
  return s;
}

void finish(const Selection& selection, const Products& products, Scores& out) {
  for (const MetricRow* row : selection.rows) {
    const MetricRun& run = run_of(*row);
    if (products.has(run.needs(selection.binary)))
      out[std::string(row->key)] = run.finish(products, row->key);
  }
}

}  // namespace plumb::detail
