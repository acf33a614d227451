#include "evaluate/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "evaluate/selection.hpp"
#include "plumb/metrics/kernel/ece_kde_canonical.hpp"
#include "plumb/metrics/kernel/smece.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/resample/interval.hpp"

namespace plumb::detail {
namespace {

constexpr std::size_t kMostPlans = 24;  // 2 to 10 MB each when all their rows are in use

/// Columns, classes and slices of one bandwidth share its plan; `auto` has few different ones.
std::shared_ptr<const BetaPlan> shared_plan(double bandwidth) {
  static std::mutex mutex;
  struct Kept {
    std::shared_ptr<const BetaPlan> plan;
    std::uint64_t used = 0;
  };
  static std::map<double, Kept> made;
  static std::uint64_t uses = 0;
  const std::scoped_lock lock(mutex);
  if (made.size() >= kMostPlans && !made.contains(bandwidth))  // the one that was asked for longest ago goes
    made.erase(std::min_element(made.begin(), made.end(),
                                [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
  Kept& kept = made[bandwidth];
  if (!kept.plan) kept.plan = std::make_shared<const BetaPlan>(bandwidth);
  kept.used = ++uses;
  return kept.plan;
}

VoteBandwidths both(const Bandwidth& b) { return {b, b}; }

/// `kinds`: the items of the column, where it has rungs in their place.
KernelColumn column_bandwidth(const EvaluateOptions& o, const ForecastsView* f,
                              const ItemKinds* kinds = nullptr) {
  KernelColumn c;
  if (o.bandwidth > 0) {
    c.bandwidth = c.curve_bandwidth = o.bandwidth;
  } else {
    const VoteBandwidths b = o.bandwidth_rule == BandwidthRule::likelihood
                                 ? both(kde_bandwidth(*f, o.threads))
                             : kinds != nullptr ? vote_bandwidths(*kinds)
                                                : vote_bandwidths(*f, o.threads);
    c.bandwidth = b.error.value;
    c.curve_bandwidth = b.curve.value;
    c.why = b.error.why;
    c.bound = b.error.bound;
  }
  c.plan = shared_plan(c.bandwidth);
  return c;
}

constexpr std::int64_t kCanonicalItems = 50'000;
constexpr int kSearchedClasses = 20;  // each costs a bandwidth search

}  // namespace

bool skips_classes(const EvaluateOptions& o, int classes) {
  return classes > kSearchedClasses && o.bandwidth == 0 && !asked_by_name(o, "ece_kde_classwise");
}

bool skips_canonical(const EvaluateOptions& o, std::int64_t items) {
  return items > kCanonicalItems && !asked_by_name(o, "ece_kde_canonical");
}

KernelPlan kernel_plan(const ItemKinds& kinds, ProductSet products, const EvaluateOptions& o,
                       const ForecastsView& column) {
  KernelPlan plan;
  if (products.has(Product::kde)) plan.event = column_bandwidth(o, &column, &kinds);
  return plan;
}

KernelPlan kernel_plan(const Items& items, ProductSet products, const EvaluateOptions& o,
                       const ForecastsView* event) {
  KernelPlan plan;
  plan.skip_classes = skips_classes(o, items.classes());
  plan.skip_canonical = skips_canonical(o, items.size());
  if (products.any({Product::kde, Product::canonical})) {
    if (event == nullptr && o.bandwidth == 0) {
      const Forecasts f = collect(items, Event::event, o.threads);
      const ForecastsView view = f.view();
      plan.event = column_bandwidth(o, &view);
    } else {
      plan.event = column_bandwidth(o, event);
    }
  }
  if (products.has(Product::class_kde) && !plan.skip_classes) {
    plan.by_class.resize(items.classes());
    plan.class_columns.resize(items.classes());
    // Each class searches its own bandwidth: side by side, each on one core.
    EvaluateOptions one = o;
    one.threads = 1;
    parallel_blocks(items.classes(), 1, o.threads, [&](int, std::int64_t k, std::int64_t) {
      plan.class_columns[k] = collect_class(items, narrow<int>(k), 1);
      const ForecastsView view = plan.class_columns[k].view();
      plan.by_class[k] = column_bandwidth(one, &view);
    });
  }
  return plan;
}

ClassKde kernel_class_errors(std::span<const ForecastsView> columns, const KernelPlan& plan,
                             LeaveOut leave_out, int threads) {
  ClassKde out;
  if (plan.skip_classes) {
    out.mean = Estimate::undefined(
        "it needs a bandwidth search for each class; above 20 classes ask for it by name, or give ⟦bandwidth⟧");
    return out;
  }
  std::vector<Estimate> by_class;
  for (std::int64_t k = 0; k < std::ssize(columns); ++k)
    by_class.push_back(ece_kde(columns[k], *plan.by_class[k].plan, leave_out, threads).ece_kde);
  return mean_class_error(by_class);
}

ClassKde mean_class_error(std::span<const Estimate> by_class) {
  ClassKde out;
  double sum = 0;
  for (const Estimate& e : by_class) {
    out.by_class.push_back(e.value);
    if (e) {
      sum += *e.value;
    } else {
      out.mean = e;
    }
  }
  if (out.mean.why.empty()) out.mean = sum / static_cast<double>(by_class.size());
  return out;
}

Estimate kernel_canonical_error(const Items& items, const KernelPlan& plan, LeaveOut leave_out, int threads) {
  if (plan.skip_canonical)
    return Estimate::undefined(
        "its time grows with the square of the number of items; above 50000 items, ask for it by name");
  std::vector<double> z, count, weight;
  std::vector<std::uint64_t> offset{0};
  std::vector<std::uint32_t> cls;
  ItemBlock block;
  for (std::int64_t begin = 0; begin < items.size(); begin += block_rows(items)) {
    read_items(items, begin, std::min(items.size(), begin + block_rows(items)), block);
    z.insert(z.end(), block.z.z.begin(), block.z.z.begin() + block.size * block.z.width);
    weight.insert(weight.end(), block.weight.begin(), block.weight.end());
    for (std::int64_t i = 0; i < block.size; ++i) {
      if (block.votes.single) {
        cls.push_back(block.votes.cls[i]);
        count.push_back(1);
      } else {
        for (std::uint32_t e = block.votes.offset[i]; e < block.votes.offset[i + 1]; ++e) {
          cls.push_back(block.votes.cls[e]);
          count.push_back(block.votes.count[e]);
        }
      }
      offset.push_back(cls.size());
    }
  }
  const SimplexView view{items.size(), items.classes(), z, offset, cls, count, weight, {}};
  return ece_kde_canonical(view, plan.event->bandwidth, leave_out, threads);
}

BetaBoxes kernel_boxes(double bandwidth) { return {bandwidth, kKernelAccuracy}; }

std::vector<CurvePoint> kde_curve(const ForecastPass& pass, const KernelPlan& plan) {
  return reliability_kde(beta_sums(pass, kernel_boxes(plan.event->curve_bandwidth)), even_grid());
}

std::vector<CurvePoint> smoothed_curve(const MomentValues& moments, double sigma) {
  return smooth_curve(moments, sigma, even_grid());
}

Table curve_rows(const std::vector<CurvePoint>& curve, const std::vector<std::vector<double>>& replicates,
                 double level) {
  Table out;
  out.columns = {"p", "estimate", "density"};
  if (!replicates.empty()) out.columns.insert(out.columns.end(), {"band_low", "band_high"});
  for (std::int64_t i = 0; i < std::ssize(curve); ++i) {
    const bool known = curve[i].estimate && curve[i].density > 0;  // no forecast is near this p
    std::vector<Value> row{curve[i].p, known ? Value(*curve[i].estimate) : Value{}, curve[i].density};
    if (!replicates.empty()) {
      std::vector<double> at;
      for (const auto& r : replicates)  // one that drew no unit has no curve
        if (i < std::ssize(r) && !std::isnan(r[i])) at.push_back(r[i]);
      if (at.size() * 2 < replicates.size() || !known) {
        row.insert(row.end(), 2, Value{});
      } else {
        const Bounds b = percentile_bounds(std::move(at), level);
        row.insert(row.end(), {std::clamp(b.low, 0.0, 1.0), std::clamp(b.high, 0.0, 1.0)});
      }
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace plumb::detail
