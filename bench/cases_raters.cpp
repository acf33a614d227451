// Label histograms and disagreement beside one class-wise pass.
#include "bench.hpp"
#include "unit/metrics/passes.hpp"

namespace plumb::bench {

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
}

}  // namespace plumb::bench
