#include "plumb/evaluate/replicates.hpp"

#include <algorithm>
#include <unordered_map>

#include "evaluate/replicate_scores.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/progress.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/result/state_bytes.hpp"

namespace plumb {

void VotesByUnit::add(std::uint64_t unit, const ExactSum& votes) {
  by_unit[exact ? unit : unit % kMost].merge(votes);
  if (!exact || by_unit.size() <= kMost) return;
  exact = false;
  std::map<std::uint64_t, ExactSum> buckets;
  for (const auto& [name, sum] : by_unit) buckets[name % kMost].merge(sum);
  by_unit = std::move(buckets);
}

void VotesByUnit::merge(const VotesByUnit& other) {
  if (exact && !other.exact) {
    const std::map<std::uint64_t, ExactSum> own = std::move(by_unit);
    *this = other;
    for (const auto& [name, sum] : own) add(name, sum);
    return;
  }
  for (const auto& [name, sum] : other.by_unit) add(name, sum);
}

namespace detail {
namespace {

/// Tables of more classes, in every replicate, would take gigabytes.
constexpr int kMostTableClasses = 16;

void drop(ColumnDraws& c) {
  c = {};
  c.kept = false;
}

/// Room for `replicates` counts of each forecast or step.
void resize_counts(ColumnDraws& c, std::size_t replicates, bool with_null) {
  c.votes.resize(c.size() * replicates);
  c.hits.resize(c.votes.size());
  if (with_null) c.null_hits.resize(c.votes.size());
}

/// Ascending, each once.
std::vector<std::uint32_t> steps_of(const std::vector<std::uint64_t>& rungs) {
  std::vector<std::uint32_t> out;
  for (const std::uint64_t rung : rungs) out.push_back(step_of(rung));
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::uint64_t key_of_row(std::uint64_t part, std::int64_t row) {
  return part + static_cast<std::uint64_t>(row) * 0x9e3779b97f4a7c15ull;  // distinct within a part
}

/// The key of each item's unit.
std::vector<std::uint64_t> unit_keys(const Items& items, const Names& ids) {
  std::vector<std::uint64_t> out(items.size());
  const Names& names = items.groups.empty() ? ids : items.groups;
  if (names.empty()) {
    const std::uint64_t part = hash_name(items.predictions.sources()[0].name());
    for (std::int64_t i = 0; i < items.size(); ++i) out[i] = key_of_row(part, i);
    return out;
  }
  std::vector<std::uint64_t> hash;
  for (const std::string& name : names.distinct()) hash.push_back(hash_name(name));
  for (std::int64_t i = 0; i < items.size(); ++i) out[i] = hash[names.code(i)];
  return out;
}

/// Rows of the event's column: where each stands among the distinct forecasts, or on the grid.
class ColumnCounts {
 public:
  ColumnCounts(const std::optional<Ladder>& ladder, std::int32_t replicates, bool with_null)
      : replicates_(static_cast<std::size_t>(replicates)) {
    drop(draws_);
    if (!ladder) return;
    LadderParts parts = ladder->parts();
    draws_.kept = true;
    draws_.exact = parts.exact && parts.p.size() <= ColumnDraws::kMostDistinct;
    if (draws_.exact) {
      draws_.p = std::move(parts.p);
      for (std::size_t i = 0; i < draws_.p.size(); ++i) place_[draws_.p[i]] = i;
    } else {
      draws_.step = steps_of(parts.rung);
      place_of_step_.resize(draws_.step.back() + std::size_t{1});
      for (std::size_t i = 0; i < draws_.step.size(); ++i) place_of_step_[draws_.step[i]] = i;
    }
    resize_counts(draws_, replicates_, with_null);
  }
  [[nodiscard]] bool kept() const { return draws_.kept; }
  void find(const ForecastsView& f, RungFinder& finder, std::vector<std::size_t>& out) const {
    out.resize(f.size());
    const std::span<const std::uint32_t> rung =
        draws_.exact ? std::span<const std::uint32_t>{} : finder.find(f.p);
    for (std::size_t i = 0; i < f.size(); ++i) {
      const bool counts = f.trials_of(i) != 0;
      out[i] =
          !counts ? 0
                  : replicates_ * (draws_.exact ? place_.at(f.p[i] + 0.0) : place_of_step_[step_of(rung[i])]);
    }
  }
  void add_drawn(const ForecastsView& f, std::span<const std::size_t> place, std::int64_t replicate,
                 std::span<const std::uint32_t> times) {
    for (std::size_t i = 0; i < f.size(); ++i) {
      const std::size_t at = place[i] + static_cast<std::size_t>(replicate);
      draws_.votes[at] += times[i] * static_cast<std::uint64_t>(f.trials_of(i));
      draws_.hits[at] += times[i] * static_cast<std::uint64_t>(f.hits[i]);
    }
  }
  void add_null(std::span<const double> hits, std::span<const std::size_t> place, std::int64_t replicate) {
    for (std::size_t i = 0; i < hits.size(); ++i)
      draws_.null_hits[place[i] + static_cast<std::size_t>(replicate)] += static_cast<std::uint64_t>(hits[i]);
  }
  [[nodiscard]] ColumnDraws take() { return std::move(draws_); }

 private:
  ColumnDraws draws_;
  std::unordered_map<double, std::size_t> place_;
  std::vector<std::size_t> place_of_step_;
  std::size_t replicates_ = 0;
};

void add_units(const Items& items, std::span<const std::uint64_t> keys, VotesByUnit& out) {
  std::unordered_map<std::uint64_t, ExactSum> sums;
  VoteBlock votes;
  std::vector<double> weight;
  constexpr std::int64_t kStep = 4096;
  for (std::int64_t begin = 0; begin < items.size(); begin += kStep) {
    const std::int64_t end = std::min(items.size(), begin + kStep);
    items.votes.read(begin, end, votes);
    weight.assign(end - begin, 1.0);
    if (!items.weights.empty()) items.weights.read(begin, end, weight);
    for (std::int64_t i = 0; i < end - begin; ++i)
      if (const double w = weight[i] * votes.votes(i); w > 0) sums[keys[begin + i]].add(w);
  }
  for (const auto& [unit, sum] : sums) out.add(unit, sum);
}

/// Adds the counts of a column whose forecast or step i stands at place[i] of the other.
void add_counts(const ColumnDraws& from, std::span<const std::size_t> place, std::size_t replicates,
                ColumnDraws& to) {
  const auto add = [&](const std::vector<std::uint64_t>& source, std::vector<std::uint64_t>& sum) {
    if (sum.empty()) return;
    for (std::size_t i = 0; i < place.size(); ++i)
      for (std::size_t r = 0; r < replicates; ++r)
        sum[place[i] * replicates + r] += source[i * replicates + r];
  };
  add(from.votes, to.votes);
  add(from.hits, to.hits);
  add(from.null_hits, to.null_hits);
}

/// Where each of the keys stands among all; both ascend.
template <class Key>
std::vector<std::size_t> places(const std::vector<Key>& keys, const std::vector<Key>& all) {
  std::vector<std::size_t> out(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i)
    out[i] = static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), keys[i]) - all.begin());
  return out;
}

/// The column on the grid, as if its rows had been added there.
ColumnDraws on_grid(const ColumnDraws& c, std::size_t replicates) {
  if (!c.exact) return c;
  RungFinder finder;
  const std::span<const std::uint32_t> rung = finder.find(c.p);
  ColumnDraws out;
  out.exact = false;
  out.step = steps_of({rung.begin(), rung.end()});
  std::vector<std::size_t> place(c.p.size());
  for (std::size_t i = 0; i < place.size(); ++i) place[i] = places({step_of(rung[i])}, out.step)[0];
  resize_counts(out, replicates, !c.null_hits.empty());
  add_counts(c, place, replicates, out);
  return out;
}

/// Two columns by forecast or step, then replicate.
void merge_columns(ColumnDraws& into, const ColumnDraws& from, std::size_t replicates, bool with_null) {
  if (!into.kept || !from.kept) return drop(into);
  ColumnDraws out;
  if (into.exact && from.exact) {
    std::set_union(into.p.begin(), into.p.end(), from.p.begin(), from.p.end(), std::back_inserter(out.p));
    if (out.p.size() <= ColumnDraws::kMostDistinct) {
      resize_counts(out, replicates, with_null);
      for (const ColumnDraws* c : {static_cast<const ColumnDraws*>(&into), &from})
        add_counts(*c, places(c->p, out.p), replicates, out);
      into = std::move(out);
      return;
    }
    out.p.clear();
  }
  const ColumnDraws a = on_grid(into, replicates), b = on_grid(from, replicates);
  out.exact = false;
  std::set_union(a.step.begin(), a.step.end(), b.step.begin(), b.step.end(), std::back_inserter(out.step));
  resize_counts(out, replicates, with_null);
  for (const ColumnDraws* c : {&a, &b}) add_counts(*c, places(c->step, out.step), replicates, out);
  into = std::move(out);
}

}  // namespace

ProductSet replicate_products(int classes) {
  return classes <= kMostTableClasses
             ? kStreamingProducts
             : ProductSet{Product::event_table, Product::proper_scores, Product::event_log};
}

ProductSet null_products(bool signs, ProductSet boot) {
  return signs ? ProductSet(Product::event_table)
               : boot.both({Product::event_table, Product::class_tables, Product::histogram});
}

}  // namespace detail

using namespace detail;

void add_replicates(const Items& items, const Names& ids, const EvaluateOptions& o, EvaluateState& s) {
  const bool grouped = !items.groups.empty(), several = s.votes.several_votes;
  if (o.null == NullKind::signs && !grouped && !several)
    throw InputError("⟦null⟧ signs needs groups or several votes per item; give ⟦groups⟧ or leave it out");
  StateReplicates r;
  r.count = o.bootstrap;
  r.seed = o.seed;
  r.unit = static_cast<std::int32_t>(grouped ? UnitName::group : ids.empty() ? UnitName::row : UnitName::id);
  r.signs = o.null == NullKind::signs;
  r.has_null = r.signs || !(grouped || several);
  const std::vector<std::uint64_t> keys = unit_keys(items, ids);
  if (grouped) add_units(items, keys, r.units);

  const BinPlan plan = equal_width_plan(o.bins, items.classes());
  const ProductSet products = replicate_products(items.classes()), of_null = null_products(r.signs, products);
  NullModel model;
  model.kind = o.null;
  ColumnCounts column(s.ladder, r.count, r.has_null && !r.signs);
  r.boot.resize(r.count);
  if (r.has_null) r.null.resize(r.count);
  const std::int64_t block = block_rows(items);
  Progress progress(o.progress, o.cancel);
  progress.expect(r.count);
  constexpr std::int64_t kTogether = 16;  // replicates for which a block is read once
  parallel_blocks(r.count, kTogether, o.threads, [&](int, std::int64_t first, std::int64_t last) {
    std::vector<StreamBuilder> boot(last - first, StreamBuilder(plan, products)),
        null(r.has_null ? last - first : 0, StreamBuilder(plan, of_null));
    BlockParts parts;
    std::vector<std::size_t> place;
    RungFinder finder;
    std::vector<std::uint32_t> times;
    std::vector<double> hits;
    NullDraw draw;
    for (std::int64_t begin = 0; begin < items.size(); begin += block) {
      const std::int64_t end = std::min(items.size(), begin + block);
      parts.read(items, begin, end, plan, products, score_options(o));
      if (r.has_null) parts.plan_null(model, of_null);
      const ForecastsView event = parts.event.view();
      if (column.kept()) column.find(event, finder, place);
      const std::span units = std::span(keys).subspan(begin, end - begin);
      times.resize(units.size());
      // Redrawn votes take the room of the observed ones in `parts`: what is drawn from those comes first.
      for (std::int64_t b = first; b < last; ++b) {
        fill_poisson(o.seed, narrow<std::uint32_t>(b), units, times);
        boot[b - first].update(parts, {times});
        if (column.kept()) column.add_drawn(event, place, b, times);
      }
      for (std::int64_t b = first; b < last && r.has_null; ++b) {
        draw.draw(model, o.seed, narrow<std::uint32_t>(b), units, units);
        RowDraw outcomes{{}, &draw};
        if (!r.signs) {
          draw.hits(event, parts.event_votes, hits);
          outcomes.event_hits = hits;
          if (column.kept()) column.add_null(hits, place, b);
        }
        null[b - first].update(parts, outcomes);
      }
      progress.add(static_cast<double>((end - begin) * (last - first)) / static_cast<double>(items.size()));
    }
    for (std::int64_t b = first; b < last; ++b) {
      r.boot[b] = boot[b - first].finish();
      if (r.has_null) r.null[b] = null[b - first].finish();
    }
  });
  r.column = column.take();
  s.replicates = std::move(r);
}

void merge(StateReplicates& into, const StateReplicates& from) {
  check_equal(into.count == from.count, "⟦bootstrap⟧");
  check_equal(into.seed == from.seed, "⟦seed⟧");
  check_equal(into.unit == from.unit, "units of resampling (⟦groups⟧, ⟦ids⟧)");
  check_equal(into.signs == from.signs, "⟦null⟧");
  for (std::size_t b = 0; b < into.boot.size(); ++b) into.boot[b].merge(from.boot[b]);
  const bool has_null = into.has_null && from.has_null;
  if (!has_null) {
    into.null.clear();
    into.column.null_hits.clear();
  } else {
    for (std::size_t b = 0; b < into.null.size(); ++b) into.null[b].merge(from.null[b]);
  }
  into.has_null = has_null;
  merge_columns(into.column, from.column, static_cast<std::size_t>(into.count), has_null && !into.signs);
  into.units.merge(from.units);
}

}  // namespace plumb
