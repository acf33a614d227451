// Bootstrap and stability.
#include "bench.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/evaluate/stability.hpp"

namespace plumb::bench {

void resample_cases(Bench& b) {
  const BinaryData data(b.size(1e5));
  const Items items = data.items();
  EvaluateOptions o;
  o.metrics = {"ece"};
  o.bootstrap = 1000;
  b.run(
      "ECE, 1e5, 1000 bootstrap + 1000 null replicates", 0, 3, [&] { (void)evaluate(items, o); }, 1.2,
      "(0.6 s for 1000 replicates)");
  const MulticlassData votes(b.size(1e5), 10, true);
  StabilityOptions s;
  s.raters = {1};
  b.run(
      "stability of ece, 1e5 x 10, 100 repeats, 17 steps", 0, 1, [&] { (void)stability(votes.items(), s); },
      10);
}

}  // namespace plumb::bench
