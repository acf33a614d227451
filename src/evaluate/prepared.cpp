#include "evaluate/prepared.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb::detail {
namespace {

constexpr ProductSet kKernel{Product::kde, Product::class_kde, Product::canonical, Product::smooth};
constexpr ProductSet kColumns{Product::event_column, Product::confidence_column, Product::kde,
                              Product::smooth};
constexpr double kSmallestSmoothing = 1.0 / 1024;  // what smooth sums resolve

/// Kernel metrics stream as long as nothing else asks for the column in memory.
bool needs_columns(ProductSet products, bool will_draw, double bandwidth) {
  if (products.any({Product::event_column, Product::confidence_column})) return true;
  if (products.has(Product::kde) && bandwidth == 0) return true;
  return will_draw && products.any({Product::kde, Product::smooth});
}

std::vector<double> estimates(const std::vector<CurvePoint>& curve) {
  std::vector<double> out;
  for (const CurvePoint& c : curve)
    out.push_back(c.estimate.value_or(std::numeric_limits<double>::quiet_NaN()));
  return out;
}

/// The column as a draw has it; `hits` is room for redrawn outcomes.
ForecastsView drawn_view(ForecastsView f, const RowDraw& draw, std::vector<double>& hits) {
  if (draw.outcomes == nullptr) {
    f.times = draw.times;
    return f;
  }
  draw.outcomes->hits(f, hits);
  f.hits = hits;
  f.whole = draw.outcomes->kind() == NullKind::labels;
  return f;
}

}  // namespace

/// A draw on rows that belong to certain units; keeps its room between calls.
struct Prepared::DrawnRows {
  std::vector<std::uint32_t> times;
  NullDraw null;
  RowDraw fill(const Draw& draw, std::uint64_t seed, std::span<const std::uint64_t> units,
               std::span<const std::uint32_t> counts) {
    if (draw.null) {
      null.draw(*draw.null, seed, draw.replicate, units);
      return {{}, &null};
    }
    if (!counts.empty()) return {counts, nullptr};
    times.resize(units.size());
    fill_poisson(seed, draw.replicate, units, times);
    return {times, nullptr};
  }
  /// Rows in another order: counts by row are gathered.
  RowDraw fill_in_order(const Draw& draw, std::uint64_t seed, std::span<const std::uint64_t> units,
                        std::span<const std::uint32_t> order) {
    if (draw.null || draw.counts.empty()) return fill(draw, seed, units, {});
    times.resize(order.size());
    for (std::int64_t i = 0; i < std::ssize(order); ++i) times[i] = draw.counts[order[i]];
    return {times, nullptr};
  }
};

std::vector<Draw> numbered_draws(int n, std::optional<NullKind> null) {
  std::vector<Draw> out(n);
  for (int r = 0; r < n; ++r) out[r] = {narrow<std::uint32_t>(r), {}, null};
  return out;
}

Prepared::Prepared(const Items& items, Selection selection, const EvaluateOptions& options, bool will_draw,
                   ProductSet also)
    : items_(items),
      selection_(std::move(selection)),
      options_(options),
      products_(selection_.products | also),
      cells_(cell_plan(items, products_, options)),
      units_(items) {
  ForecastsView event;
  if (needs_columns(products_, will_draw, options.bandwidth)) {
    columns_.emplace();
    columns_->event = sort_forecasts(collect(items, Event::kEvent, options.threads), options.threads);
    if (items.binary() && products_.has(Product::confidence_column))
      columns_->confidence = sort_forecasts(collect(items, Event::kTop, options.threads), options.threads);
    event = columns_->event.view();
  }
  if (products_.any(kKernel)) kernel_ = kernel_plan(items, products_, options, columns_ ? &event : nullptr);
}

ForecastPass Prepared::event_pass() const {
  return columns_ ? pass_over(columns_->event.view(), options_.threads)
                  : pass_over(items_, Event::kEvent, options_.threads);
}

FinishOptions Prepared::finish_options(int threads) const {
  return {options_.bins, options_.clip, options_.leave_out, items_.binary(), !items_.truth.empty(), threads};
}

Observed Prepared::observe(Progress& progress) const {
  const FinishOptions options = finish_options(options_.threads);
  Observed out;
  StreamProducts stream{stream_sums(items_, cells_, products_, options_, progress), {}};
  finish(selection_, Products(stream, products_.both(kStreamingProducts), options), out.scores);
  out.sums = std::move(stream.sums);

  ColumnProducts columns{{}, {}, {}, {}, &items_, &kernel_};
  if (columns_) {
    columns.event = columns.confidence = columns_->event.view();
    if (columns_->confidence.columns.size() > 0) columns.confidence = columns_->confidence.view();
  } else {
    columns.event_pass = event_pass();
  }
  for (const Forecasts& f : kernel_.class_columns) columns.classes.push_back(f.view());
  const Products products(columns, products_.both(kColumns | kKernel), options);
  finish(selection_, products, out.scores);
  if (products_.has(Product::class_kde)) out.class_kde = products.class_kde().by_class;
  if (products_.has(Product::smooth))
    out.smooth_sigma = std::max(products.smooth().smece.value.value_or(0), kSmallestSmoothing);
  if (selection_.has("ece_mass")) out.mass = products.mass_table();
  progress.check();
  return out;
}

double Prepared::passes(const Selection& part) const {
  return int{part.products.any(kStreamingProducts)} + int{columns_ && part.products.any(kColumns)} +
         int{part.products.has(Product::class_kde)};
}

std::vector<Drawn> Prepared::score(const Selection& part, std::span<const Draw> draws, int threads,
                                   Progress& progress, const Bands* bands) const {
  std::vector<Drawn> out(draws.size());
  if (part.products.any(kStreamingProducts))
    score_stream(part, draws, threads, progress, bands != nullptr, out);
  if (columns_ && part.products.any(kColumns)) score_columns(part, draws, threads, progress, bands, out);
  if (part.products.has(Product::class_kde)) score_classes(part, draws, threads, progress, out);
  return out;
}

/// As many as their tables fit in 64 MB over all workers.
std::int64_t Prepared::draws_at_once(ProductSet products, std::int64_t draws, int threads) const {
  constexpr std::int64_t kBudget = 64 << 20;
  const int workers = resolve_threads(threads);
  std::int64_t cells = cells_.event.count();
  for (const Cells& c : cells_.by_class)
    cells +=
        c.count() * (int{products.has(Product::class_tables)} + 2 * int{products.has(Product::histogram)});
  for (const Cells& c : cells_.disagreement)
    cells += c.count() * 2 * int{products.has(Product::disagreement)};
  const std::int64_t fit = kBudget / (workers * cells * std::int64_t{2 * sizeof(Cell)});
  const std::int64_t share = (draws + workers - 1) / workers;
  return std::clamp<std::int64_t>(fit, 1, std::max<std::int64_t>(share, 1));
}

/// Streams the data once per chunk of draws.
void Prepared::score_stream(const Selection& part, std::span<const Draw> draws, int threads,
                            Progress& progress, bool bands, std::vector<Drawn>& out) const {
  const ProductSet products = part.products.both(kStreamingProducts);
  const FinishOptions options = finish_options(1);
  const std::int64_t block = block_rows(items_);
  const std::int64_t chunk = draws_at_once(products, std::ssize(draws), threads);
  parallel_blocks(std::ssize(draws), chunk, threads, [&](int, std::int64_t first, std::int64_t last) {
    std::vector<StreamBuilder> builders(last - first, StreamBuilder(cells_, products));
    BlockParts parts;
    DrawnRows rows;
    std::vector<std::uint64_t> units;
    for (std::int64_t begin = 0; begin < items_.size(); begin += block) {
      const std::int64_t end = std::min(items_.size(), begin + block);
      parts.read(items_, begin, end, cells_, products, options_.clip);
      units.resize(end - begin);
      units_.read(begin, end, units);
      for (std::int64_t r = first; r < last; ++r) {
        const auto counts = draws[r].counts.empty() ? std::span<const std::uint32_t>{}
                                                    : draws[r].counts.subspan(begin, end - begin);
        builders[r - first].update(parts, rows.fill(draws[r], options_.seed, units, counts));
      }
      progress.add(static_cast<double>((end - begin) * (last - first)) / static_cast<double>(items_.size()));
    }
    for (std::int64_t r = first; r < last; ++r) {
      const StreamProducts sums = builders[r - first].finish();
      finish(part, Products(sums, products, options), out[r].scores);
      if (!bands) continue;
      if (products.has(Product::event_table)) out[r].event = cell_sums({&sums.sums.event, 1});
      out[r].classes = cell_sums(sums.sums.by_class);
      if (draws[r].null)
        for (const Cell& c : sums.sums.event.cell)
          out[r].event_mean_y.push_back(c.w.is_zero() ? 0 : c.mean_y());
    }
  });
}

void Prepared::score_columns(const Selection& part, std::span<const Draw> draws, int threads,
                             Progress& progress, const Bands* bands, std::vector<Drawn>& out) const {
  const FinishOptions options = finish_options(1);
  const auto units_in = [&](const SortedForecasts& f) {
    std::vector<std::uint64_t> units(f.order.size());
    for (std::int64_t i = 0; i < std::ssize(units); ++i) units[i] = units_.of(f.order[i]);
    return units;
  };
  const auto event_units = units_in(columns_->event), confidence_units = units_in(columns_->confidence);
  const bool own_confidence = !confidence_units.empty() && part.products.has(Product::confidence_column);
  parallel_blocks(std::ssize(draws), 1, threads, [&](int, std::int64_t r, std::int64_t) {
    thread_local DrawnRows event_rows, confidence_rows;
    thread_local std::vector<double> event_hits, confidence_hits;
    const auto view = [&](const SortedForecasts& f, const std::vector<std::uint64_t>& units, DrawnRows& rows,
                          std::vector<double>& hits) {
      return drawn_view(f.view(), rows.fill_in_order(draws[r], options_.seed, units, f.order), hits);
    };
    ColumnProducts columns{{}, {}, {}, {}, &items_, &kernel_};
    columns.event = columns.confidence = view(columns_->event, event_units, event_rows, event_hits);
    if (own_confidence)
      columns.confidence = view(columns_->confidence, confidence_units, confidence_rows, confidence_hits);
    finish(part, Products(columns, part.products.both(kColumns), options), out[r].scores);
    if (bands != nullptr && bands->mass) {
      TableBuilder table(*bands->mass);
      table.update(columns.event);
      const ReliabilityTable drawn = table.finish();
      out[r].mass = cell_sums({&drawn, 1});
    }
    if (bands != nullptr && !draws[r].null) {
      const ForecastPass pass = pass_over(columns.event, 1);
      if (part.products.has(Product::kde)) out[r].kde_curve = estimates(kde_curve(pass, kernel_));
      if (part.products.has(Product::smooth))
        out[r].smooth_curve = estimates(smoothed_curve(pass, bands->smooth_sigma));
    }
    progress.add(1);
  });
}

void Prepared::score_classes(const Selection& part, std::span<const Draw> draws, int threads,
                             Progress& progress, std::vector<Drawn>& out) const {
  const auto& classes = kernel_.class_columns;
  const FinishOptions options = finish_options(1);
  std::vector<std::uint64_t> units(items_.size());
  units_.read(0, items_.size(), units);
  // Labels are drawn for all classes of an item together.
  const auto draw_labels = [&](const Draw& draw, DrawnRows& rows, std::vector<std::vector<double>>& hits) {
    ItemBlock block;
    VoteBlock drawn;
    const std::int64_t step = block_rows(items_);
    for (std::int64_t begin = 0; begin < items_.size(); begin += step) {
      const std::int64_t end = std::min(items_.size(), begin + step);
      read_items(items_, begin, end, block);
      rows.fill(draw, options_.seed, std::span(units).subspan(begin, end - begin), {})
          .outcomes->classes(block, drawn);
      for (std::int64_t i = 0; i < block.size; ++i)
        for (std::int64_t k = 0; k < std::ssize(classes); ++k)
          hits[k][begin + i] = drawn.hits(i, narrow<std::uint32_t>(k));
    }
  };
  parallel_blocks(std::ssize(draws), 1, threads, [&](int, std::int64_t r, std::int64_t) {
    DrawnRows rows;
    std::vector<std::vector<double>> hits(classes.size());
    ColumnProducts columns{{}, {}, {}, {}, &items_, &kernel_};
    if (draws[r].null == NullKind::labels) {
      for (auto& h : hits) h.resize(units.size());
      draw_labels(draws[r], rows, hits);
      for (std::int64_t k = 0; k < std::ssize(classes); ++k) {
        columns.classes.push_back(classes[k].view());
        columns.classes.back().hits = hits[k];
      }
    } else {
      const RowDraw draw = rows.fill(draws[r], options_.seed, units, draws[r].counts);
      for (std::int64_t k = 0; k < std::ssize(classes); ++k)
        columns.classes.push_back(drawn_view(classes[k].view(), draw, hits[k]));
    }
    finish(part, Products(columns, Product::class_kde, options), out[r].scores);
    progress.add(1);
  });
}

}  // namespace plumb::detail
