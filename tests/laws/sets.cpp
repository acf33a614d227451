// Prediction sets: they hold a random rater's label of a new item as often as promised, and the interval of a
// measured coverage covers.
#include "plumb/calibrate/sets.hpp"
#include "laws/laws.hpp"
#include "laws/simulated.hpp"
#include "plumb/evaluate/sets.hpp"

namespace plumb::laws {
namespace {

/// Membership of the sets of one level.
Rows sets_of(const Step& step, const Items& items) {
  CalibrationModel model;
  model.task = items.binary() ? "binary" : "multiclass";
  model.classes = items.classes();
  model.steps = {step};
  std::vector<double> out;
  apply_sets(model, items.predictions, {}, 1, [&](std::int64_t, std::span<const double> rows) {
    out.insert(out.end(), rows.begin(), rows.end());
  });
  return Rows(array_of(std::move(out), {items.size(), items.classes()}, "sets"));
}

double held_share(const Rows& sets, const Items& items) {
  return *evaluate_sets(sets, items.votes, {}, {}, {}).coverage.front().value;
}

void guarantee(Book& book, const Setting& s, SetScore score, bool by_class, Wanted wanted) {
  SetOptions o;
  o.score = score;
  o.by_class = by_class;
  o.threads = 1;
  const auto held = simulate_sets(book.sets(600, 60), book.seed() + 41, [&](std::uint64_t seed) {
    Setting fresh = s;
    fresh.n = 400;
    const Step step = fit_sets(items_of(draw(s, seed)), o);
    const Items items = items_of(draw(fresh, seed + 77));
    const Rows sets = sets_of(step, items);
    if (!by_class) return held_share(sets, items);
    return evaluate_sets(sets, items.votes, {}, {}, {}).by_class.back().value.value_or(1);
  });
  book.mean(std::string("a set of level 0.9 holds ") +
                (by_class      ? "a label of the last class"
                 : s.votes > 1 ? "a random rater's label"
                               : "the label") +
                " of a new " + (s.groups > 0 ? "group's item" : "item") + " (" +
                std::string(kSetScores[static_cast<int>(score)]) + ")",
            s.name, wanted, held);
}

void sets(Book& book) {
  const Setting votes{.name = "n = 200, K = 5, 5 dependent votes, over-confident",
                      .n = 200,
                      .classes = 5,
                      .votes = 5,
                      .slope = 0.6};
  const Setting labels{.name = "n = 99, K = 4, one label", .n = 99, .classes = 4};
  const Setting few{.name = "n = 19, K = 3, one label, a useless model", .n = 19, .classes = 3, .slope = 0};
  // The guarantee is a lower bound; discrete scores and few items give more.
  constexpr Wanted kAtLeast{0.9, 0.94};
  for (const SetScore score : {SetScore::lac, SetScore::aps, SetScore::raps})
    guarantee(book, votes, score, false, kAtLeast);
  guarantee(book, labels, SetScore::lac, false, kAtLeast);
  guarantee(book, few, SetScore::lac, false, {0.9, 0.96});
  const Setting groups{.name = "200 items in 40 groups, K = 3", .n = 200, .classes = 3, .groups = 40};
  guarantee(book, groups, SetScore::lac, false, {0.9, 0.95});
  guarantee(book, labels, SetScore::lac, true, {0.9, 0.97});

  const auto covers = simulate_sets(book.sets(2000, 60), book.seed() + 42, [&](std::uint64_t seed) {
    SetOptions o;
    o.threads = 1;
    const Step step = fit_sets(items_of(draw(votes, 5)), o);  // a fixed model
    Setting test = votes, large = votes;
    test.n = 150;
    large.n = 20000;
    static const double truth = [&] {
      const Items items = items_of(draw(large, 6));
      return held_share(sets_of(step, items), items);
    }();
    const Items items = items_of(draw(test, seed));
    const SetsResult r = evaluate_sets(sets_of(step, items), items.votes, {}, {}, {});
    return *r.coverage.front().low <= truth && truth <= *r.coverage.front().high;
  });
  book.rate("the interval of the coverage of sets covers", "n = 150, 5 dependent votes", {0.93, 0.98},
            covers);
}
const Topic kSets{"sets", sets};

}  // namespace
}  // namespace plumb::laws
