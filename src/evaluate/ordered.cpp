#include "plumb/evaluate/ordered.hpp"

#include <algorithm>
#include <cmath>

#include "evaluate/bin_plan.hpp"
#include "evaluate/stream.hpp"
#include "evaluate/tables.hpp"
#include "metrics/shared/merge_members.hpp"
#include "plumb/data/check.hpp"
#include "plumb/metrics/streaming/calibration_error.hpp"
#include "plumb/numeric/progress.hpp"
#include "plumb/resample/unit_ratio.hpp"

namespace plumb {
namespace {

constexpr std::int64_t kOrderedBlock = 4096;

/// Losses of one item: of all its votes together, or of the item.
struct ItemDistances {
  double rps = 0;      // sum over votes
  double moved = 0;    // |F - H|, summed over thresholds
  double squared = 0;  // (F - H)^2
  double noise = 0;    // H (1 - H)/(n - 1); of two votes or more
};

ItemDistances distances_of(std::span<const double> z, const VoteBlock& votes, std::int64_t i) {
  const auto classes = static_cast<std::uint32_t>(z.size());
  const double n = votes.votes(i);
  ItemDistances out;
  double below = 0, hits = 0;
  for (std::uint32_t c = 0; c + 1 < classes; ++c) {
    below += z[c];
    hits += votes.hits(i, c);
    const double share = hits / n;
    out.rps += n * below * below - 2 * below * hits + hits;
    out.moved += std::abs(below - share);
    out.squared += (below - share) * (below - share);
    if (n > 1) out.noise += share * (1 - share) / (n - 1);
  }
  out.rps /= classes - 1.0;
  return out;
}

MetricResult ratio_result(const UnitRatio& r, double level, double least, const char* why) {
  MetricResult out;
  if (r.items() == 0) {
    out.why = why;
    return out;
  }
  out.value = r.ratio();
  if (const auto half = r.half_length(level)) {
    out.low = std::max(least, *out.value - *half);
    out.high = *out.value + *half;
    out.interval = "normal";
  }
  return out;
}

/// The binary task "above class c": its probabilities and its votes.
Items above_threshold(const Items& items, int cls) {
  const std::int64_t n = items.size();
  std::vector<double> p(n);
  std::vector<std::int64_t> counts(2 * n);
  ItemBlock block;
  for (std::int64_t begin = 0; begin < n; begin += kOrderedBlock) {
    const std::int64_t end = std::min(n, begin + kOrderedBlock);
    read_items(items, begin, end, block);
    for (std::int64_t i = 0; i < end - begin; ++i) {
      const double* z = block.z.z.data() + i * block.z.width;
      double above = 0;
      for (int k = block.classes - 1; k > cls; --k) above += z[k];
      p[begin + i] = std::clamp(above, 0.0, 1.0);
      for (int k = 0; k < block.classes; ++k)
        counts[2 * (begin + i) + (k > cls ? 1 : 0)] += block.votes.hits(i, static_cast<std::uint32_t>(k));
    }
  }
  Items out;
  const std::string& name = items.predictions.sources().front().name();
  out.predictions = Predictions({Rows(array_of(std::move(p), {n}, name))}, Scale::probability);
  out.votes = Votes::from_counts(Rows(array_of(std::move(counts), {n, 2}, items.votes.rows().name())), 2);
  out.weights = items.weights;
  out.groups = items.groups;
  return out;
}

void set_means(const ReliabilityTable& table, OrderedThreshold& out) {
  const Bin all = table.total();
  if (all.w.is_zero()) return;
  out.forecast = all.wp.value() / all.w.value();
  out.observed = all.wy.value() / all.w.value();
}

OrderedThreshold at_threshold(const Items& items, int cls, const EvaluateOptions& options,
                              OrderedSums* sums) {
  const Items binary = above_threshold(items, cls);
  OrderedThreshold out;
  out.cls = cls;
  Result r = evaluate(binary, options);
  out.metrics = std::move(r.metrics);
  for (auto& [name, table] : r.tables)
    if (name == "reliability") out.reliability = std::move(table);
  Progress quiet({}, options.cancel);
  StreamSums streamed = detail::stream_sums(binary, detail::equal_width_plan(options.bins, 2),
                                            detail::ProductSet(detail::Product::event_table), options, quiet);
  set_means(streamed.event, out);
  if (sums != nullptr) sums->thresholds.push_back(std::move(streamed.event));
  return out;
}

}  // namespace

void merge(OrderedSums& into, const OrderedSums& from) {
  using S = OrderedSums;
  detail::merge_members(into, from, &S::items, &S::votes, &S::rps, &S::emd, &S::plugin, &S::squared,
                        &S::vote_weight, &S::item_weight, &S::pair_weight);
  for (std::size_t c = 0; c < into.thresholds.size(); ++c) into.thresholds[c].merge(from.thresholds[c]);
}

OrderedResult finish(const OrderedSums& s) {
  OrderedResult out;
  out.items = static_cast<std::int64_t>(s.items);
  out.votes = static_cast<std::int64_t>(s.votes);
  const auto ratio = [&](const char* key, const ExactSum& sum, const ExactSum& weight, const char* why) {
    MetricResult m;
    if (weight.is_zero()) {
      m.why = why;
    } else {
      m.value = sum.value() / weight.value();
      m.interval_why = "merged states hold no items to compare";
    }
    out.metrics.emplace_back(key, std::move(m));
  };
  const char* none = "no item has a vote";
  ratio("rps", s.rps, s.vote_weight, none);
  ratio("emd", s.emd, s.item_weight, none);
  ratio("emd_squared_plugin", s.plugin, s.item_weight, none);
  ratio("emd_squared", s.squared, s.pair_weight, "no item has two votes");
  ExactSum sum;
  MetricResult mean;
  for (std::size_t c = 0; c < s.thresholds.size(); ++c) {
    const ReliabilityTable& table = s.thresholds[c];
    OrderedThreshold at;
    at.cls = static_cast<int>(c);
    set_means(table, at);
    for (const auto& [key, estimate] : {std::pair<const char*, Estimate>{"oe_ratio", oe_ratio(table)},
                                        {"ece", ece(table)},
                                        {"ece_l2_debiased", ece_l2_debiased(table)}}) {
      MetricResult m;
      m.value = estimate.value;
      if (!m.value) m.why = estimate.why;
      if (std::string_view(key) == "ece" && m.value) sum.add(*m.value);
      if (std::string_view(key) == "ece" && !m.value) mean.why = m.why;
      at.metrics.emplace_back(key, std::move(m));
    }
    at.reliability = detail::reliability_rows(table);
    out.thresholds.push_back(std::move(at));
  }
  if (mean.why.empty()) mean.value = sum.value() / static_cast<double>(s.thresholds.size());
  out.metrics.emplace_back("ece_thresholds", std::move(mean));
  return out;
}

OrderedResult evaluate_ordered(const Items& items, const EvaluateOptions& asked, OrderedSums* sums) {
  check_items(items);
  check_level(asked.level);
  const int classes = items.classes();
  if (classes < 3)
    throw InputError(
        "⟦ordered⟧ is for three classes or more; with two there is one threshold, which the other metrics are about");
  const std::size_t groups = items.groups.distinct().size();
  UnitRatio rps(groups), moved(groups), plugin(groups), squared(groups);
  OrderedResult out;
  ItemBlock block;
  for (std::int64_t begin = 0; begin < items.size(); begin += kOrderedBlock) {
    read_items(items, begin, std::min(items.size(), begin + kOrderedBlock), block);
    for (std::int64_t i = 0; i < block.size; ++i) {
      const double w = block.weight.empty() ? 1 : block.weight[i];
      const std::uint32_t n = block.votes.votes(i);
      if (n == 0 || !(w > 0)) continue;
      const auto width = static_cast<std::size_t>(block.z.width);
      const ItemDistances d = distances_of({block.z.z.data() + i * width, width}, block.votes, i);
      const std::uint64_t unit = items.groups.empty() ? 0 : items.groups.code(begin + i);
      rps.add(unit, w * d.rps, w * n);
      moved.add(unit, w * d.moved, w);
      plugin.add(unit, w * d.squared, w);
      if (n > 1) squared.add(unit, w * (d.squared - d.noise), w);
      ++out.items;
      out.votes += n;
      if (sums == nullptr) continue;
      sums->rps.add(w * d.rps);
      sums->vote_weight.add(w * n);
      sums->emd.add(w * d.moved);
      sums->plugin.add(w * d.squared);
      sums->item_weight.add(w);
      if (n < 2) continue;
      sums->squared.add(w * (d.squared - d.noise));
      sums->pair_weight.add(w);
    }
  }
  if (sums != nullptr) {
    sums->items = static_cast<std::uint64_t>(out.items);
    sums->votes = static_cast<std::uint64_t>(out.votes);
  }
  const char* none = "no item has a vote";
  out.metrics.emplace_back("rps", ratio_result(rps, asked.level, 0, none));
  out.metrics.emplace_back("emd", ratio_result(moved, asked.level, 0, none));
  out.metrics.emplace_back("emd_squared_plugin", ratio_result(plugin, asked.level, 0, none));
  out.metrics.emplace_back("emd_squared",
                           ratio_result(squared, asked.level, -kUnbounded, "no item has two votes"));

  EvaluateOptions o = asked;
  o.metrics = {"brier", "calibration_slope", "calibration_intercept", "oe_ratio", "ece", "ece_l2_debiased",
               "auroc"};
  o.consensus = false;
  o.thresholds = {};
  o.sample_items = 0;
  o.progress = {};
  ExactSum ece;
  std::string why;
  for (int c = 0; c + 1 < classes; ++c) {
    out.thresholds.push_back(at_threshold(items, c, o, sums));
    const MetricResult& m = find_result(out.thresholds.back().metrics, "ece");
    if (m.value) ece.add(*m.value);
    if (!m.value) why = m.why;
  }
  MetricResult mean;
  mean.why = why;
  if (why.empty()) mean.value = ece.value() / (classes - 1);
  mean.interval_why = "it is a mean over thresholds, which have intervals of their own";
  out.metrics.emplace_back("ece_thresholds", std::move(mean));
  return out;
}

}  // namespace plumb
