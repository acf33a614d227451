// Scores of bootstrap and null draws: in one streaming pass, on the sorted columns, and class by class.
#include <algorithm>
#include <array>
#include <limits>

#include "evaluate/group_curves.hpp"
#include "evaluate/group_tables.hpp"
#include "evaluate/prepared.hpp"
#include "plumb/metrics/kernel/kde_draws.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb::detail {
namespace {

std::vector<double> estimates(const std::vector<CurvePoint>& curve) {
  std::vector<double> out;
  for (const CurvePoint& c : curve)
    out.push_back(c.estimate.value_or(std::numeric_limits<double>::quiet_NaN()));
  return out;
}

/// The rows that occur in a draw, compacted: a third of the rows is not drawn.
struct DrawnRowsAlone {
  Forecasts columns;
  std::vector<std::uint32_t> times;
  ForecastsView fill(const ForecastsView& f, std::span<const std::uint32_t> drawn) {
    const auto n = f.size() - std::count(drawn.begin(), drawn.end(), 0u);
    times.resize(n + 1);
    keep(drawn, drawn, times);
    times.resize(n);
    for (const auto& [from, to] :
         {std::pair(f.p, &columns.p), std::pair(f.hits, &columns.hits), std::pair(f.trials, &columns.trials),
          std::pair(f.weight, &columns.weight)}) {
      to->resize(from.empty() ? 0 : n + 1);
      if (from.empty()) continue;
      keep(from, drawn, *to);
      to->resize(n);
    }
    ForecastsView out = columns.view();
    out.times = times;
    return out;
  }

 private:
  // Always written, kept by advancing the count: a branch would often be mispredicted. Needs one spare place.
  template <class T>
  static void keep(std::span<const T> from, std::span<const std::uint32_t> drawn, std::vector<T>& to) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
      to[at] = from[i];
      at += drawn[i] != 0;
    }
  }
};

/// The column as a draw has it; `hits` is room for redrawn outcomes.
ForecastsView drawn_view(ForecastsView f, const RowDraw& draw, const VoteCounts& votes,
                         std::vector<double>& hits, DrawnRowsAlone* alone = nullptr) {
  if (draw.outcomes == nullptr) {
    if (alone != nullptr) return alone->fill(f, draw.times);
    f.times = draw.times;
    return f;
  }
  draw.outcomes->hits(f, votes, hits);
  f.hits = hits;
  f.whole_counts = f.whole_counts && draw.outcomes->hits_are_counts();
  return f;
}

}  // namespace

/// A draw on rows that belong to certain units; keeps its room between calls.
struct Prepared::DrawnRows {
  std::vector<std::uint32_t> times;
  NullDraw null;
  RowDraw fill(const Draw& draw, std::uint64_t seed, std::span<const std::uint64_t> rows,
               std::span<const std::uint64_t> units, std::span<const std::uint32_t> counts) {
    if (draw.null != nullptr) {
      null.draw(*draw.null, seed, draw.replicate, rows, units);
      return {{}, &null};
    }
    if (!counts.empty()) return {counts, nullptr};
    times.resize(units.size());
    fill_poisson(seed, draw.replicate, units, times);
    return {times, nullptr};
  }
};

/// Rows and units of a sorted column, and what draws of the null share.
struct Prepared::ColumnRows {
  std::vector<std::uint64_t> rows, units;
  std::vector<std::uint64_t> ids;  // keys of rows, unless they are the rows
  VoteCounts votes;
  ColumnRows(const SortedForecasts& f, const Prepared& all, const NullModel* null)
      : rows(f.order.begin(), f.order.end()), units(rows.size()) {
    for (std::size_t i = 0; i < units.size(); ++i) units[i] = all.unit_of(f.order[i]);
    if (all.ids_ != nullptr)
      for (const std::uint64_t row : rows) ids.push_back(all.key_of(static_cast<std::int64_t>(row)));
    if (null != nullptr) votes.plan(f.view(), std::span(&null->vote_correlation, 1), null->marks.get());
  }
  /// Counts by row are gathered.
  RowDraw fill(const Draw& draw, std::uint64_t seed, DrawnRows& drawn) const {
    if (draw.null != nullptr || draw.counts.empty())
      return drawn.fill(draw, seed, ids.empty() ? rows : ids, units, {});
    drawn.times.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) drawn.times[i] = draw.counts[rows[i]];
    return {drawn.times, nullptr};
  }
};

/// Sets of tables in 64 MB, for each worker.
std::int64_t Prepared::tables_that_fit(ProductSet products, int threads) const {
  constexpr std::int64_t kBudget = 64 << 20;
  const int workers = resolve_threads(threads);
  std::int64_t bins = plan_.event.count();
  for (const BinEdges& c : plan_.by_class)
    bins +=
        c.count() * (int{products.has(Product::class_tables)} + 2 * int{products.has(Product::histogram)});
  for (const BinEdges& c : plan_.disagreement)
    bins += c.count() * 2 * int{products.has(Product::disagreement)};
  return kBudget / (workers * bins * std::int64_t{2 * sizeof(Bin)});
}

std::int64_t Prepared::draws_at_once(ProductSet products, std::int64_t draws, int threads) const {
  const int workers = resolve_threads(threads);
  const std::int64_t share = (draws + workers - 1) / workers;
  return std::clamp<std::int64_t>(tables_that_fit(products, threads), 1, std::max<std::int64_t>(share, 1));
}

/// Of so many columns of outcomes each: as many as fit in 64 MB over all workers, and a kernel plan serves.
std::int64_t Prepared::draws_together(std::int64_t draws, std::int64_t columns, int threads) const {
  constexpr std::int64_t kBudget = 64 << 20, kMost = KdeDraws::kTogether;
  const int workers = resolve_threads(threads);
  const std::int64_t row = workers * columns * std::int64_t{sizeof(double)};
  const std::int64_t fit = kBudget / std::max<std::int64_t>(row * items_.size(), 1);
  return std::clamp<std::int64_t>(std::min(fit, (draws + workers - 1) / workers), 1, kMost);
}

/// Streams the data once per chunk of draws.
void Prepared::score_stream(const Selection& part, std::span<const Draw> draws, int threads,
                            Progress& progress, bool bands, DrawnHits& hits, std::vector<Drawn>& out) const {
  const ProductSet products = part.products.both(kStreamingProducts);
  const FinishOptions options = finish_options(1);
  const std::int64_t block = block_rows(items_);
  const std::int64_t chunk = draws_at_once(products, std::ssize(draws), threads);
  std::optional<GroupTables> groups;
  if (products.any(kGroupProducts) && has_few_groups(products, draws, threads))
    groups.emplace(items_, plan_, products.both(kGroupProducts), units_of_groups(), options_, threads,
                   progress);
  const ProductSet by_row = groups ? products.without(kGroupProducts) : products;
  parallel_blocks(std::ssize(draws), chunk, threads, [&](int, std::int64_t first, std::int64_t last) {
    std::vector<StreamBuilder> builders(last - first, StreamBuilder(plan_, by_row));
    BlockParts parts;
    DrawnRows rows;
    std::vector<std::uint64_t> numbers, units;
    std::vector<double> drawn;
    const NullModel* const null = draws[first].null;
    const std::int64_t end_of_rows = by_row.any(kStreamingProducts) ? items_.size() : 0;
    if (end_of_rows == 0) progress.add(static_cast<double>(last - first));
    for (std::int64_t begin = 0; begin < end_of_rows; begin += block) {
      const std::int64_t end = std::min(items_.size(), begin + block);
      parts.read(items_, begin, end, plan_, by_row, score_options(options_));
      if (null != nullptr) parts.plan_null(*null, products);
      read_keys(begin, end, numbers, units);
      for (std::int64_t r = first; r < last; ++r) {
        const auto counts = draws[r].counts.empty() ? std::span<const std::uint32_t>{}
                                                    : draws[r].counts.subspan(begin, end - begin);
        RowDraw draw = rows.fill(draws[r], options_.seed, numbers, units, counts);
        if (hits.kept()) {
          draw.outcomes->hits(parts.event.view(), parts.event_votes, drawn);
          hits.set(r, begin, drawn);
          draw.event_hits = drawn;
        }
        builders[r - first].update(parts, draw);
      }
      progress.add(static_cast<double>((end - begin) * (last - first)) / static_cast<double>(items_.size()));
    }
    for (std::int64_t r = first; r < last; ++r) {
      StreamSums sums = builders[r - first].finish();
      if (groups) groups->add_tables(options_.seed, draws[r].replicate, sums);
      finish(part, Products(sums, products, options), out[r].scores);
      if (!bands) continue;
      if (products.has(Product::event_table)) out[r].event = bin_sums({&sums.event, 1});
      out[r].classes = bin_sums(sums.by_class);
      if (null != nullptr)
        for (const Bin& c : sums.event.bins) out[r].event_mean_y.push_back(c.w.is_zero() ? 0 : c.mean_y());
    }
  });
}

void Prepared::score_columns(const Selection& part, std::span<const Draw> draws, int threads,
                             Progress& progress, const Bands* bands, const DrawnHits& kept_hits,
                             std::vector<Drawn>& out) const {
  const FinishOptions options = finish_options(1);
  const NullModel* const null = draws.empty() ? nullptr : draws[0].null;
  const ColumnRows event_rows(columns_->event, *this, null);
  const ColumnRows confidence_rows(columns_->confidence, *this, null);
  const bool own_confidence = !confidence_rows.rows.empty() && part.products.has(Product::confidence_column);
  // Votes are drawn once: the most probable of two classes hits where the event does or where it does not.
  const bool turned = own_confidence && null != nullptr;
  // Where the row at place i of the confidence column stands in the event's, and whether it turns.
  constexpr std::uint32_t kTurns = 1u << 31;
  std::vector<std::uint32_t> from_event(turned ? items_.size() : 0);
  if (turned) {
    std::vector<std::uint32_t> place(items_.size());
    for (std::size_t i = 0; i < place.size(); ++i)
      place[event_rows.rows[i]] =
          static_cast<std::uint32_t>(i) | (columns_->event.columns.p[i] <= 0.5 ? kTurns : 0);
    for (std::size_t i = 0; i < place.size(); ++i) from_event[i] = place[confidence_rows.rows[i]];
  }
  const auto turn = [&](const ForecastsView& event, ForecastsView& confidence, std::vector<double>& hits) {
    for (std::size_t i = 0; i < hits.size(); ++i) {
      const double h = event.hits[from_event[i] & ~kTurns];
      hits[i] = (from_event[i] & kTurns) != 0 ? confidence.trials_of(i) - h : h;
    }
    confidence.hits = hits;
    confidence.whole_counts = event.whole_counts;
  };
  // A calibrated model's outcomes change the hits alone: several draws share the kernel's work.
  const bool fixed_p = null != nullptr && part.products.has(Product::kde);
  std::optional<KdeDraws> kernel;
  if (fixed_p) kernel.emplace(columns_->event.view(), *kernel_.event->plan, options_.leave_out, threads);
  std::optional<ScoreTests> tests;
  if (null != nullptr && (part.has("cox_score") || part.has("spiegelhalter_z") || has_line(part)))
    tests.emplace(columns_->event.view());
  std::optional<MmceDraws> mmce, mmce_top;
  if (null != nullptr && (part.has("mmce") || part.has("skce"))) mmce.emplace(columns_->event.view());
  if (null != nullptr && part.has("mmce_top"))
    mmce_top.emplace(own_confidence ? columns_->confidence.view() : columns_->event.view());
  std::optional<GroupCurves> curves;
  std::vector<std::uint64_t> group_unit;
  if (bands != nullptr && columns_->event.columns.trials.empty() &&
      part.products.any({Product::kde, Product::smooth}) && has_few_groups(part.products, draws, threads)) {
    group_unit = units_of_groups();
    std::vector<std::uint32_t> group(items_.size());
    for (std::size_t i = 0; i < group.size(); ++i) group[i] = items_.groups.code(columns_->event.order[i]);
    curves.emplace(columns_->event.view(), group, std::ssize(group_unit), kernel_,
                   part.products.has(Product::kde), part.products.has(Product::smooth), threads);
  }
  const auto event_of = [&](std::int64_t r, std::vector<double>& hits) {
    const Draw& draw = draws[r];
    if (kept_hits.kept()) {
      kept_hits.gather(r, event_rows.rows, hits);
      ForecastsView f = columns_->event.view();
      f.hits = hits;
      return f;
    }
    thread_local DrawnRows rows;
    thread_local DrawnRowsAlone alone;
    return drawn_view(columns_->event.view(), event_rows.fill(draw, options_.seed, rows), event_rows.votes,
                      hits, &alone);
  };
  const auto score_one = [&](std::int64_t r, const ForecastsView& event, std::optional<KdeErrors> kde) {
    thread_local DrawnRows confidence_draw;
    thread_local std::vector<double> confidence_hits;
    thread_local DrawnRowsAlone confidence_alone;
    ColumnProducts columns{event,
                           event,
                           {},
                           {},
                           &items_,
                           &kernel_,
                           nullptr,
                           std::move(kde),
                           {},
                           tests ? &*tests : nullptr,
                           mmce ? &*mmce : nullptr,
                           mmce_top ? &*mmce_top : nullptr};
    columns.calibrated = null != nullptr;
    if (turned) {
      columns.confidence = columns_->confidence.view();
      confidence_hits.resize(columns.confidence.size());
      turn(columns.event, columns.confidence, confidence_hits);
    } else if (own_confidence) {
      columns.confidence = drawn_view(columns_->confidence.view(),
                                      confidence_rows.fill(draws[r], options_.seed, confidence_draw),
                                      confidence_rows.votes, confidence_hits, &confidence_alone);
    }
    finish(part, Products(columns, part.products.both(kColumns), options), out[r].scores);
    if (bands != nullptr && bands->mass) {
      TableBuilder table(*bands->mass);
      table.update(columns.event);
      const ReliabilityTable drawn = table.finish();
      out[r].mass = bin_sums({&drawn, 1});
    }
    if (bands != nullptr && draws[r].null != nullptr && !bands->corp.empty())
      out[r].corp_curve = isotonic_at(isotonic_blocks(columns.event), bands->corp);
    if (bands != nullptr && draws[r].null == nullptr && !bands->thresholds.empty())
      out[r].decisions = decisions(columns.event, bands->thresholds);
    if (curves) {
      std::vector<std::uint32_t> times(group_unit.size());
      fill_poisson(options_.seed, draws[r].replicate, group_unit, times);
      if (part.products.has(Product::kde)) out[r].kde_curve = estimates(curves->kde(times));
      if (part.products.has(Product::smooth))
        out[r].smooth_curve = estimates(curves->smooth(times, bands->smooth_sigma));
    } else if (bands != nullptr && draws[r].null == nullptr) {
      const ForecastPass pass = pass_over(columns.event, 1);
      if (part.products.has(Product::kde)) out[r].kde_curve = estimates(kde_curve(pass, kernel_));
      if (part.products.has(Product::smooth))
        out[r].smooth_curve = estimates(smoothed_curve(smooth_values(pass), bands->smooth_sigma));
    }
    progress.add(1);
  };
  const std::int64_t chunk = fixed_p ? draws_together(std::ssize(draws), 1, threads) : 1;
  parallel_blocks(std::ssize(draws), chunk, threads, [&](int, std::int64_t first, std::int64_t last) {
    thread_local std::array<std::vector<double>, KdeDraws::kTogether> hits;
    if (!fixed_p) return score_one(first, event_of(first, hits[0]), {});
    std::vector<ForecastsView> events;
    std::vector<std::span<const double>> drawn;
    for (std::int64_t r = first; r < last; ++r) {
      events.push_back(event_of(r, hits[r - first]));
      drawn.push_back(events.back().hits);
    }
    std::vector<KdeErrors> kde(drawn.size());
    kernel->errors(drawn, kde);
    for (std::int64_t r = first; r < last; ++r) score_one(r, events[r - first], std::move(kde[r - first]));
  });
}

void Prepared::score_classes(const Selection& part, std::span<const Draw> draws, int threads,
                             Progress& progress, std::vector<Drawn>& out) const {
  const auto& classes = kernel_.class_columns;
  const FinishOptions options = finish_options(1);
  const NullModel* const null = draws.empty() ? nullptr : draws[0].null;
  const std::int64_t step = block_rows(items_);
  std::vector<std::uint64_t> numbers, units;
  read_keys(0, items_.size(), numbers, units);
  const auto part_of = [&](const auto& all, const ItemBlock& block) {
    return std::span(all).subspan(block.begin, block.size);
  };
  // Votes are drawn for all classes of an item together.
  const auto draw_votes = [&](const Draw& draw, DrawnRows& rows, std::vector<std::vector<double>>& hits) {
    BlockParts parts;
    VoteBlock drawn;
    for (std::int64_t begin = 0; begin < items_.size(); begin += step) {
      read_items(items_, begin, std::min(items_.size(), begin + step), parts.block);
      parts.plan_null(*draw.null, {});
      rows.fill(draw, options_.seed, part_of(numbers, parts.block), part_of(units, parts.block), {})
          .outcomes->classes(parts.block, parts.event.view(), parts.event_votes, drawn);
      for (std::int64_t i = 0; i < parts.block.size; ++i)
        for (std::int64_t k = 0; k < std::ssize(classes); ++k)
          hits[k][begin + i] = drawn.hits(i, narrow<std::uint32_t>(k));
    }
  };
  const auto columns_of = [&] {
    ColumnProducts columns{{}, {}, {}, {}, &items_, &kernel_};
    for (const Forecasts& f : classes) columns.classes.push_back(f.view());
    return columns;
  };
  const auto score_one = [&](std::int64_t r, const ColumnProducts& columns) {
    finish(part, Products(columns, Product::class_kde, options), out[r].scores);
    progress.add(1);
  };
  if (null == nullptr || classes.empty()) {
    parallel_blocks(std::ssize(draws), 1, threads, [&](int, std::int64_t r, std::int64_t) {
      DrawnRows rows;
      ColumnProducts columns = columns_of();
      const RowDraw draw =
          classes.empty() ? RowDraw{} : rows.fill(draws[r], options_.seed, numbers, units, draws[r].counts);
      for (ForecastsView& f : columns.classes) f.times = draw.times;
      score_one(r, columns);
    });
    return;
  }
  std::vector<KdeDraws> kernels;
  for (std::int64_t k = 0; k < std::ssize(classes); ++k)
    kernels.emplace_back(classes[k].view(), *kernel_.by_class[k].plan, options_.leave_out, threads);
  const std::int64_t chunk = draws_together(std::ssize(draws), std::ssize(classes), threads);
  parallel_blocks(std::ssize(draws), chunk, threads, [&](int, std::int64_t first, std::int64_t last) {
    DrawnRows rows;
    const std::vector<std::vector<double>> one(classes.size(), std::vector<double>(units.size()));
    std::vector<std::vector<std::vector<double>>> hits(last - first, one);
    for (std::int64_t r = first; r < last; ++r) draw_votes(draws[r], rows, hits[r - first]);
    std::vector<std::vector<Estimate>> by_class(last - first);
    for (std::int64_t k = 0; k < std::ssize(classes); ++k) {
      std::vector<std::span<const double>> drawn;
      for (const auto& h : hits) drawn.emplace_back(h[k]);
      std::vector<KdeErrors> errors(drawn.size());
      kernels[k].errors(drawn, errors);
      for (std::size_t d = 0; d < errors.size(); ++d) by_class[d].push_back(errors[d].ece_kde);
    }
    ColumnProducts columns = columns_of();
    for (std::int64_t r = first; r < last; ++r) {
      columns.class_kde = mean_class_error(by_class[r - first]);
      score_one(r, columns);
    }
  });
}

}  // namespace plumb::detail
