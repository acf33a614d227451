// Intervals of a proportion.
#include <fmt/format.h>

#include "laws/laws.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "support/make_items.hpp"

namespace plumb::laws {
namespace {

/// Answers that are right with a given chance: does the interval of `accuracy` cover it? And is it ever a
/// single point, as resampling says where all answers are right?
void accuracy(Book& book) {
  struct Case {
    double right;
    int n;
  };
  for (const Case& c : {Case{0.9, 200}, Case{0.99, 100}, Case{0.97, 50}}) {
    struct Seen {
      bool covers, empty;
    };
    const auto seen = simulate_sets(book.sets(2000, 100), book.seed(), [&](std::uint64_t seed) {
      RandomStream rng(seed, Purpose::demo);
      test::Simulated s;
      for (int i = 0; i < c.n; ++i) {
        s.z.push_back(c.right);
        s.votes.push_back({rng.uniform() < c.right ? 1 : 0});
      }
      const MetricResult m = evaluate(test::to_items(s, test::VoteForm::labels),
                                      {.metrics = {"accuracy"}, .bootstrap = 200, .threads = 1})["accuracy"];
      return Seen{*m.low <= c.right && c.right <= *m.high, !(*m.low < *m.high)};
    });
    std::vector<char> covered, empty;
    for (const Seen& s : seen) {
      covered.push_back(s.covers);
      empty.push_back(s.empty);
    }
    const std::string setting = fmt::format("accuracy {:g}, N = {}", c.right, c.n);
    book.rate("the 95% interval of `accuracy` covers", setting, {0.92, 0.99}, covered);
    book.never("the 95% interval of `accuracy` is a single point", setting, empty);
  }
}
const Topic kAccuracy{"accuracy", accuracy};

}  // namespace
}  // namespace plumb::laws
