// Label histograms and disagreement beside one class-wise pass; Dawid-Skene, prediction sets, votes
// taken together.
#include "bench.hpp"
#include "plumb/calibrate/sets.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/raters/dawid_skene.hpp"
#include "plumb/raters/orders.hpp"
#include "unit/metrics/passes.hpp"

namespace plumb::bench {
namespace {

/// Five votes on each item, from raters of accuracy 0.4 to 0.95.
Judgements judged(std::int64_t items, int classes, int raters) {
  RandomStream rng(1, Purpose::demo, 3);
  Judgements out;
  for (std::int64_t i = 0; i < items; ++i) {
    const auto truth = static_cast<std::uint32_t>(rng.below(classes));
    const auto first = rng.below(raters - 5);
    for (std::uint32_t r = 0; r < 5; ++r) {
      const auto rater = static_cast<std::uint32_t>(first + r);
      const bool right = rng.uniform() < 0.4 + 0.55 * rater / raters;
      out.rater.push_back(rater);
      out.cls.push_back(right ? truth : static_cast<std::uint32_t>(rng.below(classes)));
    }
    out.offset.push_back(std::ssize(out.cls));
  }
  return out;
}

void dawid_skene_cases(Bench& b) {
  const Judgements votes = judged(b.size(2e5), 10, 500);
  DawidSkeneOptions o;
  o.threads = 2;
  b.run(
      "Dawid-Skene, 1e6 votes of 500 raters, 10 classes", 0, 3,
      [&] { (void)fit_dawid_skene(votes, 10, 500, o); }, 2);
}

void set_cases(Bench& b) {
  const MulticlassData data(b.size(1e6), 10, false);
  const Items items = data.items();
  SetOptions o;
  o.threads = 2;
  CalibrationModel model;
  model.task = "multiclass";
  model.classes = 10;
  model.steps = {fit_sets(items, o)};
  b.run(
      "sets, 1e6 x 10: fit", 0, 5, [&] { (void)fit_sets(items, o); }, 0.5);
  b.run(
      "sets, 1e6 x 10: apply", 0, 5,
      [&] { apply_sets(model, items.predictions, {}, 2, [](std::int64_t, std::span<const double>) {}); },
      0.5);
}

/// Per multiset, five votes cost no more than twice what two do.
void order_cases(Bench& b) {
  const MulticlassData data(b.size(4e4), 10, true);
  const Items items = data.items();
  OrdersOptions o;
  o.threads = 2;
  o.orders = {2};
  b.run("order 2, 4e4 x 10 (55 multisets)", 0, 5, [&] { (void)evaluate_orders(items, o); });
  const double each = b.cases().back().seconds / 55;
  o.orders = {5};
  b.run(
      "order 5, 4e4 x 10 (2002 multisets)", 0, 2, [&] { (void)evaluate_orders(items, o); }, 2 * 2002 * each);
}

}  // namespace

void rater_cases(Bench& b) {
  const MulticlassData data(b.size(1e6), 10, true);
  const Items items = data.items();
  const BinEdges edges;
  b.run("class-wise, 1e6 x 10, counts", 0, 5, [&] { (void)classwise_tables(items, edges, 2); });
  const double pass = b.cases().back().seconds;
  const auto histogram_bins = classwise_edges(10, edges);
  const auto pair_bins = disagreement_edges(10, edges);
  b.run(
      "all of the histogram and disagreement losses", 0, 5,
      [&] {
        (void)label_histogram(items, histogram_bins, 2);
        (void)disagreement(items, {}, pair_bins, 2);
      },
      3 * pass);
  dawid_skene_cases(b);
  set_cases(b);
  order_cases(b);
}

}  // namespace plumb::bench
