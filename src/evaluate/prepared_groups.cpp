// Bootstrap draws of groups that are few: the sums of each group are taken once.
#include <algorithm>

#include "evaluate/case_draws.hpp"
#include "evaluate/group_tables.hpp"
#include "evaluate/prepared.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb::detail {

/// Whether it pays to take the sums of each group once. Weights times counts are rounded row by row.
bool Prepared::has_few_groups(ProductSet products, std::span<const Draw> draws, int threads) const {
  constexpr std::int64_t kFewerThanDraws = 4, kRowsOfGroup = 64;
  const bool numbered = std::all_of(draws.begin(), draws.end(),
                                    [](const Draw& d) { return d.null == nullptr && d.counts.empty(); });
  return numbered && units_.grouped() && items_.weights.empty() && items_.repeats.empty() &&
         units_.count() * kFewerThanDraws <= std::ssize(draws) &&
         units_.count() * kRowsOfGroup <= items_.size() &&
         units_.count() <= tables_that_fit(products, threads);
}

std::vector<std::uint64_t> Prepared::units_of_groups() const {
  std::vector<std::uint64_t> out(items_.groups.distinct().size());
  for (std::int64_t i = 0; i < items_.size(); ++i) out[items_.groups.code(i)] = units_.unit_of(i);
  return out;
}

GroupTables::GroupTables(const Items& items, const BinPlan& plan, ProductSet products,
                         std::vector<std::uint64_t> units, const EvaluateOptions& o, int threads,
                         Progress& progress)
    : unit_(std::move(units)), none_(StreamBuilder(plan, products).finish()) {
  const std::int64_t groups = std::ssize(unit_);
  struct Worker {
    BlockParts parts;
    std::vector<StreamBuilder> by_group;
  };
  std::vector<Worker> workers(
      resolve_threads(threads),
      {{}, std::vector<StreamBuilder>(static_cast<std::size_t>(groups), StreamBuilder(plan, products))});
  parallel_blocks(items.size(), block_rows(items), threads,
                  [&](int worker, std::int64_t begin, std::int64_t end) {
                    Worker& w = workers[worker];
                    w.parts.read(items, begin, end, plan, products, score_options(o));
                    std::vector<char> present(groups);
                    for (std::int64_t i = begin; i < end; ++i) present[items.groups.code(i)] = 1;
                    std::vector<std::uint32_t> times(end - begin);
                    for (std::int64_t g = 0; g < groups; ++g) {
                      if (present[g] == 0) continue;
                      for (std::int64_t i = begin; i < end; ++i)
                        times[i - begin] = std::uint32_t{items.groups.code(i) == g};
                      w.by_group[g].update(w.parts, {times});
                    }
                    progress.check();
                  });
  for (std::int64_t g = 0; g < groups; ++g) {
    sums_.push_back(workers[0].by_group[g].finish());
    for (std::size_t w = 1; w < workers.size(); ++w) sums_[g].merge(workers[w].by_group[g].finish());
  }
}

void GroupTables::add_tables(std::uint64_t seed, std::uint32_t replicate, StreamSums& into) const {
  std::vector<std::uint32_t> times(unit_.size());
  fill_poisson(seed, replicate, unit_, times);
  StreamSums drawn = none_;
  for (std::size_t g = 0; g < sums_.size(); ++g) merge_times(drawn, sums_[g], times[g]);
  into.event = std::move(drawn.event);
  into.by_class = std::move(drawn.by_class);
  into.histogram = std::move(drawn.histogram);
  into.disagreement = std::move(drawn.disagreement);
}

}  // namespace plumb::detail
