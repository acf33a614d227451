#include "evaluate/prepared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "evaluate/case_ladders.hpp"
#include "evaluate/decision_tables.hpp"
#include "evaluate/ladder_scores.hpp"
#include "evaluate/omnibus.hpp"
#include "plumb/data/check.hpp"
#include "plumb/metrics/ordered/hosmer_lemeshow.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/resample/event_ratio.hpp"

namespace plumb::detail {
namespace {

constexpr ProductSet kKernel{Product::kde, Product::class_kde, Product::canonical, Product::smooth};
constexpr double kSmallestSmoothing = 1.0 / 1024;  // what smooth sums resolve

/// Kernel metrics stream as long as nothing else asks for the column in memory.
bool needs_columns(ProductSet products, bool will_draw, double bandwidth) {
  if (products.any({Product::event_column, Product::confidence_column})) return true;
  if (products.has(Product::kde) && bandwidth == 0) return true;
  return will_draw && products.any({Product::kde, Product::smooth});
}

/// Bytes per row that the columns take at their height: what is collected, its sort, and what draws need.
double column_bytes(const Items& items, ProductSet products, bool will_draw, const EvaluateOptions& o) {
  const bool single =
      !items.votes.rows().empty() && items.votes.kind() == Votes::Kind::labels && items.weights.empty();
  const double column = 16 + (single ? 0 : 8 + 8 * int{!items.weights.empty()});
  constexpr double kKernelPlaces = 36;
  double bytes = 0;
  if (needs_columns(products, will_draw, o.bandwidth)) {
    constexpr double kPositions = 4, kUnit = 8, kSorting = 36, kDrawn = 44, kLogit = 8;
    bytes = !will_draw && single ? 2 * column
                                 : 2 * (column + kPositions) + std::max(kSorting, will_draw ? 2 * kUnit : 0);
    if (will_draw)
      bytes +=
          resolve_threads(o.threads) * kDrawn + kLogit + (products.has(Product::kde) ? kKernelPlaces : 0);
  }
  if (products.has(Product::class_kde)) bytes += items.classes() * (column + (will_draw ? kKernelPlaces : 0));
  return bytes;
}

/// Whether the event's column may be a ladder: everything that is read off it can be read off its rungs.
bool fits_ladder(const Items& items, ProductSet products, bool will_draw, const EvaluateOptions& o) {
  const bool canonical = products.has(Product::canonical) && !skips_canonical(o, items.size());
  return !will_draw && items.weights.empty() && o.binning == Binning::width && o.thresholds.empty() &&
         !canonical && !(products.any({Product::kde, Product::class_kde}) && o.leave_out == LeaveOut::item);
}

/// The kernel errors of classes from a ladder of each: half a megabyte for each class and thread.
ClassKde classes_by_ladder(const Items& items, const EvaluateOptions& o) {
  constexpr int kLadders = 256;
  const int threads = std::clamp(kLadders / items.classes(), 1, resolve_threads(o.threads));
  return read_class_ladders(case_ladders(items, {.classes = true}, {o.ties, o.seed}, threads).classes, o);
}

/// True: the column does not fit into memory, and a ladder takes its place.
bool check_memory(const Items& items, ProductSet products, bool will_draw, const EvaluateOptions& o) {
  constexpr double kGigabyte = 1e9;
  if (o.memory <= 0) return false;
  const double need = static_cast<double>(items.size()) * column_bytes(items, products, will_draw, o);
  if (need <= static_cast<double>(o.memory)) return false;
  if (fits_ladder(items, products, will_draw, o)) return true;
  throw InputError(fmt::format(
      "{} rows need about {:.1f} GB of memory for their columns, and {:.1f} GB is available; keys of cost linear need no columns: ⟦metrics⟧ accuracy,nll,brier,ece{}",
      items.size(), need / kGigabyte, static_cast<double>(o.memory) / kGigabyte,
      will_draw ? ", or fewer ⟦threads⟧" : ""));
}

}  // namespace

/// Of one item.
static double most_votes(const Forecasts& f) {
  return f.trials.empty() ? 1 : *std::max_element(f.trials.begin(), f.trials.end());
}

std::vector<Draw> numbered_draws(int n, const NullModel* null) {
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
      will_draw_(will_draw),
      plan_(bin_plan(items, products_, options)),
      units_(items) {
  ForecastsView event;
  if (check_memory(items, products_, will_draw, options)) {
    ladder_ = ladder_of(pass_over(items, Event::event, options.threads));
    columns_.emplace().event.columns = ladder_->column();
    event = columns_->event.view();
    kernel_ = kernel_plan(ladder_->kinds(), products_, options, event);
    kernel_.skip_classes = skips_classes(options, items.classes());
    kernel_.skip_canonical = skips_canonical(options, items.size());
    if (products_.has(Product::class_kde) && !kernel_.skip_classes)
      ladder_classes_ = classes_by_ladder(items, options);
    return;
  }
  if (needs_columns(products_, will_draw, options.bandwidth)) {
    columns_.emplace();
    Forecasts column = collect(items, Event::event, options.threads);
    if (!will_draw) {
      columns_->event.columns = sort_in_place(std::move(column), options.threads);
    } else {  // draws go by row
      columns_->event = sort_forecasts(std::move(column), options.threads);
      if (items.binary() && products_.has(Product::confidence_column))
        columns_->confidence = sort_forecasts(collect(items, Event::top, options.threads), options.threads);
    }
    event = columns_->event.view();
  }
  if (products_.any(kKernel)) kernel_ = kernel_plan(items, products_, options, columns_ ? &event : nullptr);
}

void Prepared::key_by(const Names& ids) {
  if (ids.size() != items_.size()) throw std::invalid_argument("one id for each item is needed");
  ids_ = &ids;
  id_hash_.clear();
  for (const std::string& name : ids.distinct()) id_hash_.push_back(hash_name(name));
}

void Prepared::read_keys(std::int64_t begin, std::int64_t end, std::vector<std::uint64_t>& rows,
                         std::vector<std::uint64_t>& units) const {
  rows.resize(end - begin);
  units.resize(end - begin);
  for (std::int64_t row = begin; row < end; ++row) {
    rows[row - begin] = key_of(row);
    units[row - begin] = unit_of(row);
  }
}

ForecastPass Prepared::event_pass() const {
  return columns_ && !ladder_ ? pass_over(columns_->event.view(), options_.threads)
                              : pass_over(items_, Event::event, options_.threads);
}

FinishOptions Prepared::finish_options(int threads) const {
  return {options_.bins,         options_.clip, options_.leave_out, items_.binary(),
          !items_.truth.empty(), threads,       options_.curve,     options_.bandwidth};
}

std::vector<std::pair<double, double>> Prepared::curve() const {
  const ForecastsView f = columns_.value().event.view();
  const CurvePoints points = curve_points(f);
  if (points.size() == 0) return {};
  std::vector<double> at;
  for (const double p : even_grid())
    if (p >= points.p.front() && p <= points.p.back()) at.push_back(p);
  const CurveFit fit = fit_curve(f, points, at, finish_options(options_.threads));
  std::vector<std::pair<double, double>> out;
  for (std::size_t i = 0; i < fit.value.size(); ++i) out.emplace_back(at[i], fit.value[i]);
  return out;
}

Observed Prepared::observe(Progress& progress) const {
  const FinishOptions options = finish_options(options_.threads);
  Observed out;
  out.sums = stream_sums(items_, plan_, products_, options_, progress);
  finish(selection_, Products(out.sums, products_.both(kStreamingProducts), options), out.scores);

  ColumnProducts columns{{}, {}, {}, {}, &items_, &kernel_};
  columns.class_kde = ladder_classes_;
  columns.votes_apart = ladder_.has_value();
  ProductSet rest = products_.both(kColumns | kKernel);
  if (columns_) {
    columns.event = columns.confidence = columns_->event.view();
    std::optional<ConfidenceColumn> stretches;
    if (items_.binary() && products_.has(Product::confidence_column)) {
      if (columns_->confidence.columns.size() > 0) {
        columns.confidence = columns_->confidence.view();
      } else {
        columns.confidence_stretches = &stretches.emplace(columns.event);
      }
    }
    const Products walked(columns, rest, options);
    finish_walks(selection_, walked, options_.threads, out.scores);
    if (selection_.has("ece_mass")) out.mass = walked.mass_table();
    columns.confidence_stretches = nullptr;
    rest = rest.without(Product::confidence_column);
  } else {
    columns.event_pass = event_pass();
  }
  for (const Forecasts& f : kernel_.class_columns) columns.classes.push_back(f.view());
  const Products products(columns, rest, options);
  finish(selection_, products, out.scores);
  if (columns_ && will_draw_) {  // reused, not computed twice
    Selection missing{selection_.binary, {}, {}};
    for (const std::string_view key : kOmnibus) {
      const auto at = out.scores.find(key);
      if (at != out.scores.end())
        out.event_tests.insert(*at);
      else
        missing.add(*find_metric(key));
    }
    finish(missing, products, out.event_tests);
  }
  if (ladder_ && !ladder_->single_votes() && selection_.has("skce"))
    out.scores["skce"] =
        Estimate::undefined("it leaves out pairs within an item, and items do not fit into memory");
  if (ladder_ && !ladder_->exact())
    for (const char* key : {"brier_calibration", "brier_refinement"})
      if (selection_.has(key))
        out.scores[key] =
            Estimate::undefined("it depends on distinct forecasts, which do not fit into memory");
  if (products_.has(Product::class_kde)) out.class_kde = products.class_kde().by_class;
  if (items_.binary() && selection_.has("ece_kde_classwise"))
    out.class_kde.assign(2, products.kde().ece_kde.value);
  if (products_.has(Product::smooth)) {
    out.smooth_sigma = std::max(products.smooth().error.smece.value.value_or(0), kSmallestSmoothing);
    out.smooth_moments = products.smooth().moments;
  }
  if (selection_.has("ece_mass")) out.mass = products.mass_table();
  if (columns_ && !options_.thresholds.empty())
    out.decisions = decisions(columns_->event.view(), decision_thresholds(options_));
  if (columns_ && will_draw_ && has_line(selection_))
    out.line_step = first_step(line_scores(columns_->event.view()));
  if (columns_ && will_draw_ && !units_.grouped()) {  // closed forms for single votes
    const ForecastsView f = columns_->event.view();
    const bool single = f.trials.empty() && f.weight.empty();
    if (single && selection_.has("hosmer_lemeshow"))
      out.hosmer_lemeshow_p = hosmer_lemeshow_p(products.decile_table());
    if (single && has_line(selection_)) out.line_p = calibration_line_p(f, options_.clip, options_.threads);
    if (selection_.has("oe_ratio")) out.event_ratio = event_ratio_bounds(f, options_.level);
  }
  progress.check();
  return out;
}

NullModel Prepared::fit_null(bool several_votes) const {
  NullModel model;
  model.kind = options_.null;
  model.several = several_votes;
  model.grouped = units_.grouped();
  if (model.kind == NullKind::signs) return model;
  if (several_votes) model.vote_correlation = fit_vote_correlation(items_, options_.threads);
  if (!model.grouped) return model;
  const SortedForecasts& f = columns_.value().event;
  VoteCounts votes;
  votes.plan(f.view(), std::span(&model.vote_correlation, 1), model.marks.get());
  std::vector<std::uint32_t> group(f.order.size());
  for (std::size_t i = 0; i < group.size(); ++i) group[i] = items_.groups.code(f.order[i]);
  model.groups = fit_groups(f.view(), votes, group, units_.count(), options_.threads);
  return model;
}

std::optional<double> Prepared::dependence() const {
  if (ladder_ || !columns_) return std::nullopt;
  const SortedForecasts& f = columns_->event;
  if (!units_.grouped()) return vote_dependence(f.view(), {}, 0);
  if (f.order.empty()) return std::nullopt;
  std::vector<std::uint32_t> group(f.order.size());
  for (std::size_t i = 0; i < group.size(); ++i) group[i] = items_.groups.code(f.order[i]);
  return vote_dependence(f.view(), group, items_.groups.distinct().size());
}

double Prepared::passes(const Selection& part) const {
  return int{part.products.any(kStreamingProducts)} + int{columns_ && part.products.any(kColumns)} +
         int{part.products.has(Product::class_kde)};
}

std::vector<Drawn> Prepared::score(const Selection& part, std::span<const Draw> draws, int threads,
                                   Progress& progress, const Bands* bands) const {
  std::vector<Drawn> out(draws.size());
  const bool streams = part.products.any(kStreamingProducts);
  const bool in_columns = columns_ && part.products.any(kColumns);
  const bool shares_hits = in_columns && part.products.has(Product::event_table) && !draws.empty() &&
                           draws[0].null != nullptr && draws[0].null->kind == NullKind::model;
  DrawnHits hits(items_.size(), shares_hits ? std::ssize(draws) : 0,
                 shares_hits ? most_votes(columns_->event.columns) : 0);
  if (streams) score_stream(part, draws, threads, progress, bands != nullptr, hits, out);
  if (in_columns) score_columns(part, draws, threads, progress, bands, hits, out);
  if (part.products.has(Product::class_kde)) score_classes(part, draws, threads, progress, out);
  return out;
}

}  // namespace plumb::detail
