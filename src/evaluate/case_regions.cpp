#include "evaluate/case_regions.hpp"

#include <algorithm>

#include "evaluate/stream.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb::detail {
namespace {

struct Region {
  std::string name;
  std::vector<std::int64_t> rows;
};

/// Items with two votes or more.
void split_by_agreement(const Items& items, std::vector<Region>& out) {
  Region agree{"agree", {}}, disagree{"disagree", {}};
  VoteBlock votes;
  const std::int64_t step = block_rows(items);
  for (std::int64_t begin = 0; begin < items.size(); begin += step) {
    const std::int64_t end = std::min(items.size(), begin + step);
    items.votes.read(begin, end, votes);
    for (std::int64_t i = begin; i < end; ++i) {
      if (votes.votes(i - begin) < 2) continue;
      const bool one_class = votes.offset[i - begin + 1] - votes.offset[i - begin] == 1;
      (one_class ? agree : disagree).rows.push_back(i);
    }
  }
  out.push_back(std::move(agree));
  out.push_back(std::move(disagree));
}

void split_by_band(const Case& c, std::vector<Region>& out) {
  if (c.bands.empty()) return;
  Region near{"band", {}}, beyond{"beyond_band", {}};
  for (std::int64_t i = 0; i < std::ssize(c.bands); ++i) (c.bands[i] != 0 ? near : beyond).rows.push_back(i);
  out.push_back(std::move(near));
  out.push_back(std::move(beyond));
  const int structures = c.items.classes() - (c.has_background ? 1 : 0);
  for (int k = 0; structures > 1 && k < structures; ++k) {
    const int cls = c.has_background ? k + 1 : k;
    Region own{"band_" + (c.items.class_names.empty() ? std::to_string(k + 1) : c.items.class_names[cls]),
               {}};
    for (std::int64_t i = 0; i < std::ssize(c.bands); ++i)
      if ((c.bands[i] >> k & 1) != 0) own.rows.push_back(i);
    out.push_back(std::move(own));
  }
}

}  // namespace

Selection part_metrics(const Selection& selection, const EvaluateOptions& o) {
  const Selection by_ladder = ladder_part(selection, o);
  return selection.part([&](const MetricRow& row) {
    return by_ladder.has(row.key) ||
           (row.key != "ece_corrected" && kStreamingProducts.has(run_of(row).needs(selection.binary)));
  });
}

KeyedValues part_values(const NamedSums& sums, const Selection& part, ProductSet products,
                        const FinishOptions& how, const EvaluateOptions& o) {
  Scores scores;
  finish(part, Products(sums.sums, products, how), scores);
  if (sums.ladder) scores.merge(read_ladder(*sums.ladder, ladder_part(part, o), o).scores);
  KeyedValues out;
  for (const MetricRow* row : part.rows) out.emplace_back(row->key, scores[std::string(row->key)].value);
  return out;
}

void measure_regions(const Case& c, const EvaluateOptions& o, CaseSums& out) {
  std::vector<Region> regions;
  split_by_agreement(c.items, regions);
  split_by_band(c, regions);
  const Selection part = part_metrics(select_metrics(o, task_kind(c.items)), o);
  const ProductSet products = part.products.both(kStreamingProducts) | ProductSet(Product::event_table);
  const FinishOptions how{o.bins, o.clip, o.leave_out, c.items.binary(), false, o.threads};
  Progress silent({}, o.cancel);
  for (const Region& region : regions) {
    if (region.rows.empty()) continue;
    const Items items = c.items.gather(region.rows);
    NamedSums own{region.name,
                  stream_sums(items, equal_width_plan(o.bins, items.classes()), products, o, silent)};
    if (!ladder_part(part, o).rows.empty())
      own.ladder = case_ladders(items, {.votes = true}, {o.ties, o.seed}, o.threads).votes;
    out.row.regions.push_back({region.name, items.size(), narrow<std::int64_t>(own.sums.event.total().votes),
                               part_values(own, part, products, how, o)});
    out.regions.push_back(std::move(own));
  }
}

}  // namespace plumb::detail
