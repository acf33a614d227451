// Kernel calibration errors.
#include "bench.hpp"
#include "plumb/data/forecasts.hpp"
#include "plumb/metrics/kernel/ece_kde.hpp"
#include "plumb/metrics/kernel/ece_kde_canonical.hpp"
#include "plumb/metrics/kernel/mmce.hpp"
#include "plumb/metrics/kernel/smece.hpp"
#include "plumb/metrics/kernel/vote_bandwidth.hpp"

namespace plumb::bench {

void kernel_cases(Bench& b) {
  const BetaPlan plan(0.02);
  for (const auto& [n, name, target] : {std::tuple{3e4, "3e4", 0.0}, std::tuple{1e5, "1e5", 0.0},
                                        std::tuple{1e6, "1e6", 0.3}, std::tuple{1e7, "1e7", 0.0}}) {
    const BinaryData data(b.size(n));
    const Items items = data.items();
    b.run(
        std::string("ece_kde, h = 0.02, N = ") + name, 0, 3,
        [&] { (void)ece_kde(pass_over(items, Event::event, 0), plan); }, target);
  }
  {
    const BinaryData data(b.size(1e8));
    const Items items = data.items();
    b.run(
        "ece_kde, h = 0.02, N = 1e8, streaming", 0, 1,
        [&] { (void)ece_kde(pass_over(items, Event::event, 0), plan); }, 15);
  }
  const BinaryData data(b.size(1e6));
  const SortedForecasts sorted = sort_forecasts(collect(data.items(), Event::event, 0), 0);
  b.run(
      "bandwidth auto, N = 1e6", 0, 1, [&] { (void)vote_bandwidths(sorted.view()); }, 0.1);
  b.run(
      "mmce, N = 1e6 (sorted)", 0, 3, [&] { (void)mmce(sorted.view()); }, 0.5);
  b.run(
      "smece, N = 1e6", 0, 3, [&] { (void)smece(sorted.view()); }, 0.5);
  const MulticlassData rows(b.size(2e4), 10, false);
  const std::vector<double> z(rows.z.begin(), rows.z.end());
  const std::vector<std::uint32_t> cls(rows.label.begin(), rows.label.end());
  SimplexView view;
  view.items = rows.n;
  view.classes = 10;
  view.z = z;
  view.cls = cls;
  b.run(
      "ece_kde_canonical, 2e4 x 10, h = 0.02", 0, 1, [&] { (void)ece_kde_canonical(view, 0.02); }, 4);
}

}  // namespace plumb::bench
