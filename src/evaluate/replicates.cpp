#include "evaluate/replicates.hpp"

#include <algorithm>
#include <limits>
#include <mutex>

#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb {
namespace {

/// Counts finished replicates and passes the share on, one caller at a time.
class Progress {
 public:
  Progress(const std::function<void(double)>& report, double total) : report_(report), total_(total) {}
  void add(double done) {
    if (!report_) return;
    const std::lock_guard lock(mutex_);
    report_((done_ += done) / total_);
  }

 private:
  const std::function<void(double)>& report_;
  const double total_;
  double done_ = 0;
  std::mutex mutex_;
};

/// Replicates that one worker carries through the data at once: as many as their tables fit in 64 MB over all
/// workers.
std::int64_t chunk_of(const CellPlan& plan, const Selection& passes, const EvaluateOptions& o) {
  constexpr std::int64_t kBudget = 64 << 20;
  const int threads = resolve_threads(o.threads);
  std::int64_t cells = plan.event.count();
  for (const Cells& c : plan.by_class) cells += c.count() * (int{passes.classes} + 2 * int{passes.histogram});
  for (const Cells& c : plan.disagreement) cells += c.count() * 2 * int{passes.disagreement};
  const std::int64_t fit = kBudget / (threads * cells * static_cast<std::int64_t>(2 * sizeof(Cell)));
  const std::int64_t share = (o.bootstrap + threads - 1) / threads;
  return std::clamp<std::int64_t>(fit, 1, std::max<std::int64_t>(share, 1));
}

/// Streams the data once per chunk of replicates; `add` puts one block into one replicate's builder.
template <class Add, class Done>
void stream_replicates(const ReplicateRun& run, const Selection& passes, Progress& progress, Add add,
                       Done done) {
  const EvaluateOptions& o = run.options;
  const ScoreOptions score_options{o.clip};
  const std::int64_t block = block_rows(run.items);
  parallel_blocks(
      o.bootstrap, chunk_of(run.plan, passes, o), o.threads, [&](int, std::int64_t first, std::int64_t last) {
        std::vector<StreamBuilder> builders(static_cast<std::size_t>(last - first),
                                            StreamBuilder(run.plan, passes));
        BlockParts parts;
        std::vector<std::uint64_t> units;
        for (std::int64_t begin = 0; begin < run.items.size(); begin += block) {
          const std::int64_t end = std::min(run.items.size(), begin + block);
          parts.read(run.items, begin, end, run.plan, passes, score_options);
          units.resize(static_cast<std::size_t>(end - begin));
          run.units.read(begin, end, units);
          for (std::int64_t r = first; r < last; ++r)
            add(builders[static_cast<std::size_t>(r - first)], parts, units, static_cast<std::uint32_t>(r));
          progress.add(static_cast<double>((end - begin) * (last - first)) /
                       static_cast<double>(run.items.size()));
        }
        for (std::int64_t r = first; r < last; ++r)
          done(builders[static_cast<std::size_t>(r - first)].finish(), static_cast<std::size_t>(r));
      });
}

std::vector<std::uint64_t> sorted_units(const Units& units, const std::vector<std::uint32_t>& order) {
  std::vector<std::uint64_t> out(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) out[i] = units.of(order[i]);
  return out;
}

Replicates by_key(const std::vector<Scores>& all) {
  Replicates out;
  for (const Scores& scores : all)
    for (const auto& [key, estimate] : scores)
      if (estimate) out[key].push_back(*estimate.value);
  return out;
}

double total_work(const Selection& passes, const EvaluateOptions& o) {
  return o.bootstrap * (int{passes.streams()} + int{passes.ordered} + int{passes.kde_classwise});
}

std::vector<double> estimates(const std::vector<CurvePoint>& curve) {
  std::vector<double> out;
  for (const CurvePoint& c : curve)
    out.push_back(c.estimate.value_or(std::numeric_limits<double>::quiet_NaN()));
  return out;
}

std::vector<std::uint64_t> row_units(const ReplicateRun& run) {
  std::vector<std::uint64_t> units(static_cast<std::size_t>(run.items.size()));
  run.units.read(0, run.items.size(), units);
  return units;
}

/// ece_kde_classwise under the null: the classes of one draw belong together.
void class_kernel_null(const ReplicateRun& run, NullKind kind, Progress& progress, std::vector<Scores>& all) {
  const EvaluateOptions& o = run.options;
  const auto units = row_units(run);
  const auto& columns = run.kernel.class_columns;
  parallel_blocks(o.bootstrap, 1, o.threads, [&](int, std::int64_t r, std::int64_t) {
    std::vector<std::vector<double>> hits(columns.size(), std::vector<double>(units.size()));
    NullDraw draw;
    if (kind == NullKind::signs) {
      draw.draw(kind, o.seed, static_cast<std::uint32_t>(r), units);
      for (std::size_t k = 0; k < columns.size(); ++k) draw.hits(columns[k].view(), hits[k]);
    } else {
      ItemBlock block;
      VoteBlock drawn;
      for (std::int64_t begin = 0; begin < run.items.size(); begin += block_rows(run.items)) {
        const std::int64_t end = std::min(run.items.size(), begin + block_rows(run.items));
        read_items(run.items, begin, end, block);
        draw.draw(
            kind, o.seed, static_cast<std::uint32_t>(r),
            std::span(units).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
        draw.classes(block, drawn);
        for (std::int64_t i = 0; i < block.size; ++i)
          for (std::size_t k = 0; k < columns.size(); ++k)
            hits[k][static_cast<std::size_t>(begin + i)] = drawn.hits(i, static_cast<std::uint32_t>(k));
      }
    }
    std::vector<ForecastsView> classes;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      classes.push_back(columns[k].view());
      classes.back().hits = hits[k];
      classes.back().whole = kind == NullKind::labels;
    }
    kernel_class_scores(classes, run.kernel, o.leave_out, 1, all[static_cast<std::size_t>(r)]);
    progress.add(1);
  });
}

}  // namespace

BootstrapReplicates bootstrap(const ReplicateRun& run, const Selection& selection) {
  const EvaluateOptions& o = run.options;
  std::vector<Scores> all(static_cast<std::size_t>(o.bootstrap));
  BootstrapReplicates out;
  if (selection.kde) out.kde_curve.resize(all.size());
  if (selection.smece) out.smooth_curve.resize(all.size());
  Progress progress(run.progress, total_work(selection, o));
  const bool has_truth = !run.items.truth.empty();
  if (selection.streams()) {
    stream_replicates(
        run, selection, progress,
        [&](StreamBuilder& builder, const BlockParts& parts, std::span<const std::uint64_t> units,
            std::uint32_t r) {
          thread_local std::vector<std::uint32_t> times;
          times.resize(units.size());
          fill_poisson(o.seed, r, units, times);
          builder.update(parts, times);
        },
        [&](const StreamSums& sums, std::size_t r) {
          stream_scores(sums, selection, run.items.binary(), ScoreOptions{o.clip}, has_truth, all[r]);
        });
  }
  if (run.columns != nullptr) {
    const OrderedColumns& c = *run.columns;
    const auto event_units = sorted_units(run.units, c.event.order);
    const auto top_units = sorted_units(run.units, c.top.order);
    parallel_blocks(o.bootstrap, 1, o.threads, [&](int, std::int64_t r, std::int64_t) {
      thread_local std::vector<std::uint32_t> event_times, top_times;
      OrderedViews views{c.event.view(), c.event.view()};
      event_times.resize(event_units.size());
      fill_poisson(o.seed, static_cast<std::uint32_t>(r), event_units, event_times);
      views.event.times = views.top.times = event_times;
      if (!top_units.empty()) {
        top_times.resize(top_units.size());
        fill_poisson(o.seed, static_cast<std::uint32_t>(r), top_units, top_times);
        views.top = c.top.view();
        views.top.times = top_times;
      }
      const auto at = static_cast<std::size_t>(r);
      ordered_scores(views, selection, o, run.kernel, 1, all[at]);
      if (selection.kde) out.kde_curve[at] = estimates(kde_curve(pass_over(views.event, 1), run.kernel));
      if (selection.smece)
        out.smooth_curve[at] = estimates(smoothed_curve(views.event, run.kernel.smooth_sigma, 1));
      progress.add(1);
    });
  }
  if (selection.kde_classwise) {
    const auto units = row_units(run);
    parallel_blocks(o.bootstrap, 1, o.threads, [&](int, std::int64_t r, std::int64_t) {
      thread_local std::vector<std::uint32_t> times;
      times.resize(units.size());
      fill_poisson(o.seed, static_cast<std::uint32_t>(r), units, times);
      std::vector<ForecastsView> classes;
      for (const Forecasts& f : run.kernel.class_columns) {
        classes.push_back(f.view());
        classes.back().times = times;
      }
      kernel_class_scores(classes, run.kernel, o.leave_out, 1, all[static_cast<std::size_t>(r)]);
      progress.add(1);
    });
  }
  out.keys = by_key(all);
  return out;
}

NullReplicates null_replicates(const ReplicateRun& run, const Selection& selection, NullKind kind) {
  const EvaluateOptions& o = run.options;
  std::vector<Scores> all(static_cast<std::size_t>(o.bootstrap));
  std::vector<std::vector<double>> mean_y(all.size());  // by replicate; NaN never leaves this function
  Progress progress(run.progress, total_work(selection, o));
  const bool signs = kind == NullKind::signs;
  std::vector<ShareNull> histogram(signs && selection.histogram ? all.size() : 0,
                                   ShareNull(run.plan.by_class));
  std::vector<ShareNull> disagreement(signs && selection.disagreement ? all.size() : 0,
                                      ShareNull({run.plan.disagreement.front()}));
  if (selection.streams()) {
    stream_replicates(
        run, selection, progress,
        [&](StreamBuilder& builder, BlockParts& parts, std::span<const std::uint64_t> units,
            std::uint32_t r) {
          thread_local NullDraw draw;
          thread_local std::vector<double> hits;
          draw.draw(kind, o.seed, r, units);
          if (selection.event) {
            ForecastsView f = parts.event.view();
            draw.hits(f, hits);
            f.hits = hits;
            f.whole = !signs;
            builder.event().update(f);
          }
          if (signs) {
            if (selection.classes) builder.by_class()->update_flipped(parts.block, draw.signs());
            if (selection.histogram) histogram[r].update(parts.histogram, draw.signs());
            if (selection.disagreement) disagreement[r].update(parts.disagreement, draw.signs());
          } else if (selection.classes || selection.histogram) {
            thread_local VoteBlock drawn;
            draw.classes(parts.block, drawn);
            std::swap(parts.block.votes, drawn);
            if (selection.classes) builder.by_class()->update(parts.block);
            if (selection.histogram) {
              histogram_terms(parts.block, run.plan.by_class, parts.histogram);
              builder.histogram().update(parts.histogram);
            }
            std::swap(parts.block.votes, drawn);
          }
        },
        [&](const StreamSums& sums, std::size_t r) {
          stream_scores(sums, selection, run.items.binary(), ScoreOptions{o.clip}, false, all[r]);
          for (const Cell& c : sums.event.cell) mean_y[r].push_back(c.w.is_zero() ? 0 : c.mean_y());
          if (!histogram.empty()) {
            double total = 0;
            for (const double cl : histogram[r].cl_plugin()) total += cl;
            all[r]["cl_plugin"] = total;
          }
          if (!disagreement.empty()) all[r]["disagreement_cl_plugin"] = disagreement[r].cl_plugin().front();
        });
  }
  if (run.columns != nullptr && selection.ordered) {
    const OrderedColumns& c = *run.columns;
    const auto units = sorted_units(run.units, c.event.order);
    parallel_blocks(o.bootstrap, 1, o.threads, [&](int, std::int64_t r, std::int64_t) {
      thread_local NullDraw draw;
      thread_local std::vector<double> hits;
      draw.draw(kind, o.seed, static_cast<std::uint32_t>(r), units);
      OrderedViews views{c.event.view(), {}};
      draw.hits(views.event, hits);
      views.event.hits = hits;
      views.event.whole = !signs;
      ordered_scores(views, selection, o, run.kernel, 1, all[static_cast<std::size_t>(r)]);
      progress.add(1);
    });
  }
  if (selection.kde_classwise) class_kernel_null(run, kind, progress, all);
  NullReplicates out{by_key(all), {}};
  if (selection.event && !mean_y.empty()) {
    out.event_mean_y.assign(mean_y[0].size(), {});
    for (const auto& row : mean_y)
      for (std::size_t b = 0; b < row.size(); ++b) out.event_mean_y[b].push_back(row[b]);
  }
  return out;
}

}  // namespace plumb
