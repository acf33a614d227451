#include "evaluate/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "plumb/metrics/kernel/ece_kde_canonical.hpp"
#include "plumb/metrics/kernel/mmce.hpp"
#include "plumb/metrics/kernel/smece.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/resample/interval.hpp"

namespace plumb {
namespace {

KernelColumn column_bandwidth(const EvaluateOptions& o, const ForecastsView* f) {
  KernelColumn c;
  if (o.bandwidth > 0) {
    c.bandwidth = o.bandwidth;
  } else {
    const Bandwidth b = kde_bandwidth(*f, o.threads);
    c.bandwidth = b.value;
    c.why = b.why;
  }
  return c;
}

/// Columns of one bandwidth share its plan.
void make_plans(KernelPlan& plan) {
  std::map<double, std::shared_ptr<const BetaPlan>> made;
  const auto give = [&](KernelColumn& c) {
    auto& shared = made[c.bandwidth];
    if (!shared) shared = std::make_shared<const BetaPlan>(c.bandwidth);
    c.plan = shared;
  };
  if (plan.event) give(*plan.event);
  for (KernelColumn& c : plan.by_class) give(c);
}

void put(const Selection& s, const char* key, const Estimate& e, Scores& out) {
  if (s.has(key)) out[key] = e;
}

constexpr std::int64_t kCanonicalItems = 50'000;
constexpr int kSearchedClasses = 20;  // each costs a bandwidth search

}  // namespace

KernelPlan kernel_plan(const Items& items, const Selection& s, const EvaluateOptions& o,
                       const ForecastsView* event) {
  KernelPlan plan;
  const bool by_name = std::find(o.metrics.begin(), o.metrics.end(), "ece_kde_classwise") != o.metrics.end();
  plan.skip_classes = items.classes() > kSearchedClasses && o.bandwidth == 0 && !by_name;
  if (s.kde || s.canonical) {
    if (event == nullptr && o.bandwidth == 0) {
      const Forecasts f = collect(items, Event::kEvent, o.threads);
      const ForecastsView view = f.view();
      plan.event = column_bandwidth(o, &view);
    } else {
      plan.event = column_bandwidth(o, event);
    }
  }
  if (s.kde_classwise && !plan.skip_classes) {
    plan.by_class.resize(static_cast<std::size_t>(items.classes()));
    plan.class_columns.resize(plan.by_class.size());
    // Each class searches its own bandwidth: side by side, each on one core.
    EvaluateOptions one = o;
    one.threads = 1;
    parallel_blocks(items.classes(), 1, o.threads, [&](int, std::int64_t k, std::int64_t) {
      const auto at = static_cast<std::size_t>(k);
      plan.class_columns[at] = collect_class(items, static_cast<int>(k), 1);
      const ForecastsView view = plan.class_columns[at].view();
      plan.by_class[at] = column_bandwidth(one, &view);
    });
  }
  make_plans(plan);
  return plan;
}

void kernel_scores(const ForecastsView& ascending, const KernelPlan& plan, const Selection& s,
                   LeaveOut leave_out, int threads, Scores& out) {
  if (s.kde) {
    const KdeErrors e = ece_kde(ascending, *plan.event->plan, leave_out, threads);
    put(s, "ece_kde", e.ece_kde, out);
    put(s, "ece_kde_l2", e.ece_kde_l2, out);
  }
  if (s.smece) out["smece"] = smece(ascending, threads).smece;
  if (s.mmce) out["mmce"] = mmce(ascending);
}

void kernel_stream_scores(const Items& items, const KernelPlan& plan, const Selection& s, LeaveOut leave_out,
                          int threads, Scores& out) {
  const ForecastPass pass = pass_over(items, Event::kEvent, threads);
  if (s.kde) {
    const KdeErrors e = ece_kde(pass, *plan.event->plan, leave_out);
    put(s, "ece_kde", e.ece_kde, out);
    put(s, "ece_kde_l2", e.ece_kde_l2, out);
  }
  if (s.smece) out["smece"] = smece(smooth_sums(pass)).smece;
}

void kernel_class_scores(std::span<const ForecastsView> columns, const KernelPlan& plan, LeaveOut leave_out,
                         int threads, Scores& out, std::vector<std::optional<double>>* per_class) {
  if (plan.skip_classes) {
    out["ece_kde_classwise"] = Estimate::undefined(
        "a bandwidth is searched for each class; above 20 classes ask for it by name, or give --bandwidth");
    return;
  }
  double sum = 0;
  Estimate missing;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Estimate e = ece_kde(columns[k], *plan.by_class[k].plan, leave_out, threads).ece_kde;
    if (per_class != nullptr) per_class->push_back(e.value);
    if (e) {
      sum += *e.value;
    } else {
      missing = e;
    }
  }
  out["ece_kde_classwise"] =
      missing.why.empty() ? Estimate(sum / static_cast<double>(columns.size())) : missing;
}

void kernel_canonical_score(const Items& items, const KernelPlan& plan, const EvaluateOptions& o,
                            Scores& out) {
  const bool by_name = std::find(o.metrics.begin(), o.metrics.end(), "ece_kde_canonical") != o.metrics.end();
  if (items.size() > kCanonicalItems && !by_name) {
    out["ece_kde_canonical"] = Estimate::undefined(
        "its time grows with the square of the items; ask for it by name above 50000 items");
    return;
  }
  std::vector<double> z, count, weight;
  std::vector<std::uint64_t> offset{0};
  std::vector<std::uint32_t> cls;
  ItemBlock block;
  for (std::int64_t begin = 0; begin < items.size(); begin += block_rows(items)) {
    read_items(items, begin, std::min(items.size(), begin + block_rows(items)), block);
    z.insert(z.end(), block.z.z.begin(), block.z.z.begin() + block.size * block.z.width);
    weight.insert(weight.end(), block.weight.begin(), block.weight.end());
    for (std::size_t i = 0; i < static_cast<std::size_t>(block.size); ++i) {
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
  out["ece_kde_canonical"] = ece_kde_canonical(view, plan.event->bandwidth, o.leave_out, o.threads);
}

BetaBoxes kernel_boxes(double bandwidth) { return BetaPlan(bandwidth).boxes(); }

std::vector<CurvePoint> kde_curve(const ForecastPass& pass, const KernelPlan& plan) {
  return reliability_kde(beta_sums(pass, plan.event->plan->boxes()), even_grid());
}

std::vector<CurvePoint> smoothed_curve(const ForecastsView& f, double sigma, int threads) {
  return smooth_curve(smooth_sums(pass_over(f, threads)), sigma, even_grid());
}

Table curve_rows(const std::vector<CurvePoint>& curve, const std::vector<std::vector<double>>& replicates,
                 double level) {
  Table out;
  out.columns = {"p", "estimate", "density"};
  if (!replicates.empty()) out.columns.insert(out.columns.end(), {"band_low", "band_high"});
  for (std::size_t i = 0; i < curve.size(); ++i) {
    std::vector<Value> row{curve[i].p, curve[i].estimate ? Value(*curve[i].estimate) : Value{},
                           curve[i].density};
    if (!replicates.empty()) {
      std::vector<double> at;
      for (const auto& r : replicates)  // one that drew no unit has no curve
        if (i < r.size() && !std::isnan(r[i])) at.push_back(r[i]);
      if (at.size() * 2 < replicates.size() || !curve[i].estimate) {
        row.insert(row.end(), 2, Value{});
      } else {
        const Bounds b = percentile_bounds(std::move(at), level);
        row.insert(row.end(), {b.low, b.high});
      }
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace plumb
