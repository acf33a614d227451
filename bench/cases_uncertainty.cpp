// Five measures of 1e7 items scored: sorted, binned, ranked, cut.
#include "bench.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/uncertainty/uncertainty.hpp"

namespace plumb::bench {

void uncertainty_cases(Bench& b) {
  const MulticlassData data(b.size(1e7), 10, false);
  const Items items = data.items();
  std::vector<float> own(static_cast<std::size_t>(items.size()));
  for (std::size_t i = 0; i < own.size(); ++i)
    own[i] = static_cast<float>(random_uniform(5, Purpose::demo, 0, i));
  const Rows column(view_of(std::span<const float>(own), {items.size()}, "own"));
  UncertaintyOptions o;
  b.run(
      "uncertainty, 1e7 x 10, five measures", 0, 1,
      [&] {
        (void)uncertainty(items, {{"own", column}}, {}, o);
      },
      6);
}

}  // namespace plumb::bench
