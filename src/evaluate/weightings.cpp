#include "evaluate/weightings.hpp"

#include <algorithm>

namespace plumb {
namespace {

std::vector<std::uint32_t> in_order(const std::vector<std::uint32_t>& by_row,
                                    const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> out(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) out[i] = by_row[order[i]];
  return out;
}

}  // namespace

std::vector<Scores> scores_of_weightings(const Items& items, const CellPlan& plan, const Selection& selection,
                                         const EvaluateOptions& options, const OrderedColumns* columns,
                                         const KernelPlan& kernel,
                                         std::span<const std::vector<std::uint32_t>> times) {
  std::vector<Scores> out(times.size());
  const ScoreOptions score_options{options.clip};
  if (selection.streams()) {
    std::vector<StreamBuilder> builders(times.size(), StreamBuilder(plan, selection));
    BlockParts parts;
    const std::int64_t block = block_rows(items);
    for (std::int64_t begin = 0; begin < items.size(); begin += block) {
      const std::int64_t end = std::min(items.size(), begin + block);
      parts.read(items, begin, end, plan, selection, score_options);
      for (std::size_t w = 0; w < times.size(); ++w)
        builders[w].update(parts, std::span(times[w]).subspan(static_cast<std::size_t>(begin),
                                                              static_cast<std::size_t>(end - begin)));
    }
    for (std::size_t w = 0; w < times.size(); ++w)
      stream_scores(builders[w].finish(), selection, items.binary(), score_options, !items.truth.empty(),
                    out[w]);
  }
  if (columns != nullptr && selection.ordered) {
    for (std::size_t w = 0; w < times.size(); ++w) {
      const auto event_times = in_order(times[w], columns->event.order);
      const auto top_times = in_order(times[w], columns->top.order);
      OrderedViews views{columns->event.view(), columns->event.view()};
      views.event.times = views.top.times = event_times;
      if (selection.top) {
        views.top = columns->top.view();
        views.top.times = top_times;
      }
      ordered_scores(views, selection, options, kernel, 1, out[w]);
    }
  }
  if (selection.kde_classwise) {
    for (std::size_t w = 0; w < times.size(); ++w) {
      std::vector<ForecastsView> classes;
      for (const Forecasts& f : kernel.class_columns) {
        classes.push_back(f.view());
        classes.back().times = times[w];
      }
      kernel_class_scores(classes, kernel, options.leave_out, 1, out[w]);
    }
  }
  return out;
}

}  // namespace plumb
