#include "evaluate/selection.hpp"

#include <algorithm>

#include "plumb/data/check.hpp"
#include "plumb/numeric/parallel.hpp"

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
                     " tasks, and this task is " + this_task + "; leave it out");
  if (row->needs == Needs::truth && !task.has_truth)
    throw InputError(where + key + " needs the true probabilities; give them with ⟦truth⟧");
}

/// Whether all rows after `first`, up to `row`, are served by the same walk.
bool shares_walk(const MetricRow& first, const MetricRow& row) {
  return std::all_of(&first + 1, &row + 1,
                     [](const MetricRow& r) { return run_of(r).work == Work::with_above; });
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
    const bool by_default = options.metrics.empty() && row.cost != Cost::quadratic && !row.on_request &&
                            (row.needs != Needs::pairs || task.may_have_pairs);
    if (all || by_default || asked_by_name(options, row.key)) s.add(row);
  }
  return s;
}

void finish(const Selection& selection, const Products& products, Scores& out) {
  for (const MetricRow* row : selection.rows) {
    const MetricRun& run = run_of(*row);
    if (products.has(run.needs(selection.binary)) && !out.contains(row->key))
      out.emplace(row->key, run.finish(products, row->key));
  }
}

void finish_walks(const Selection& selection, const Products& products, int threads, Scores& out) {
  struct Made {
    const MetricRow* row;
    Estimate estimate;
  };
  std::vector<std::vector<Made>> walks;  // each is one thread's: what its metrics share is computed once
  const MetricRow* last = nullptr;
  for (const MetricRow* row : selection.rows) {
    const MetricRun& run = run_of(*row);
    if (run.work == Work::all_cores || !products.has(run.needs(selection.binary))) continue;
    const bool joins = run.work == Work::with_above && last != nullptr && shares_walk(*last, *row);
    if (!joins) walks.emplace_back();
    walks.back().push_back({row, {}});
    last = row;
  }
  parallel_blocks(std::ssize(walks), 1, threads, [&](int, std::int64_t w, std::int64_t) {
    for (Made& m : walks[w]) m.estimate = run_of(*m.row).finish(products, m.row->key);
  });
  for (std::vector<Made>& walk : walks)
    for (Made& m : walk) out.emplace(m.row->key, std::move(m.estimate));
}

}  // namespace plumb::detail
