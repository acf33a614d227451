// Intervals of a proportion.
#include "laws/laws.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "support/make_items.hpp"

namespace plumb::laws {
namespace {

/// Answers that are right with chance 0.9: does the interval of `accuracy` cover it?
void accuracy(Book& book) {
  const auto covered = simulate_sets(book.sets(2000, 100), book.seed(), [](std::uint64_t seed) {
    RandomStream rng(seed, Purpose::demo);
    test::Simulated s;
    for (int i = 0; i < 200; ++i) {
      s.z.push_back(0.9);
      s.votes.push_back({rng.uniform() < 0.9 ? 1 : 0});
    }
    const MetricResult m = evaluate(test::to_items(s, test::VoteForm::labels),
                                    {.metrics = {"accuracy"}, .bootstrap = 200, .threads = 1})["accuracy"];
    return *m.low <= 0.9 && 0.9 <= *m.high;
  });
  book.rate("the 95% interval of `accuracy` covers", "accuracy 0.9, N = 200", {0.92, 0.99}, covered);
}
const Topic kAccuracy{"accuracy", accuracy};

}  // namespace
}  // namespace plumb::laws
