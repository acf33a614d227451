// Prediction sets: they hold a random rater's label of a new item as often as promised, and the interval of a
// measured coverage covers.
#include "plumb/calibrate/sets.hpp"
#include "laws/laws.hpp"
#include "laws/simulated.hpp"
#include "plumb/calibrate/risk_control.hpp"
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

/// Each slice by itself, though the model is far better on one of them.
void by_slice(Book& book) {
  const Setting easy{.n = 60, .classes = 4}, hard{.n = 60, .classes = 4, .slope = 0.2};
  const auto mixed = [&](std::uint64_t seed) {
    Drawn a = draw(easy, seed), b = draw(hard, seed + 13);
    a.votes.z.insert(a.votes.z.end(), b.votes.z.begin(), b.votes.z.end());
    a.votes.votes.insert(a.votes.votes.end(), b.votes.votes.begin(), b.votes.votes.end());
    Items items = items_of(a);
    std::vector<std::string> names(60, "easy");
    names.resize(120, "hard");
    items.by = {Names(Rows(array_of(std::move(names), {120}, "site")))};
    return items;
  };
  SetOptions o;
  o.threads = 1;
  o.by_slice = true;
  const auto held = simulate_sets(book.sets(1000, 60), book.seed() + 43, [&](std::uint64_t seed) {
    CalibrationModel model;
    model.task = "multiclass";
    model.classes = 4;
    model.steps = {fit_sets(mixed(seed), o)};
    const Items items = mixed(seed + 77);
    std::vector<double> out;
    apply_sets(
        model, items.predictions, items.by.front(), 1,
        [&](std::int64_t, std::span<const double> rows) { out.insert(out.end(), rows.begin(), rows.end()); });
    const Rows sets(array_of(std::move(out), {120, 4}, "sets"));
    return *evaluate_sets(sets, items.votes, {}, items.by, {}).by_slice.back().value;
  });
  book.mean("a set of level 0.9 holds the label of a new item of the harder slice",
            "60 items of each of 2 slices, K = 4", {0.9, 0.93}, held);
}

/// Cases of 30 voxels with a level of their own.
Items voxels_of_cases(int cases, std::uint64_t seed) {
  RandomStream rng(seed, Purpose::demo, 66);
  test::Simulated s;
  for (int c = 0; c < cases; ++c) {
    const double own = rng.normal();
    for (int v = 0; v < 30; ++v) {
      const double u = rng.normal() - 1;
      s.z.push_back(sigmoid(u));
      s.votes.push_back({rng.uniform() < sigmoid(u + own) ? 1 : 0, rng.uniform() < sigmoid(u + own) ? 1 : 0});
      s.group.push_back(c);
    }
  }
  return test::to_items(s, test::VoteForm::counts);
}

void masks(Book& book) {
  for (const int cases : {19, 49}) {
    const auto found = simulate_sets(book.sets(2000, 60), book.seed() + 44, [&](std::uint64_t seed) {
      RiskControl control;
      control.add_groups(voxels_of_cases(cases, seed));
      CalibrationModel model;
      model.task = "binary";
      model.classes = 2;
      model.steps = {control.step({0.8})};
      const Items items = voxels_of_cases(20, seed + 7'777'777);
      std::vector<double> out;
      apply_sets(model, items.predictions, {}, 1, [&](std::int64_t, std::span<const double> rows) {
        out.insert(out.end(), rows.begin(), rows.end());
      });
      const Rows sets(array_of(std::move(out), {items.size(), 2}, "masks"));
      return *evaluate_sets(sets, items.votes, items.groups, {}, {}).by_class_of_groups.back().value;
    });
    book.mean("the mask of a new case finds, at level 0.8, of the votes for class 1",
              std::to_string(cases) + " cases of 30 voxels, 2 raters", {0.8, 0.8 + 2.0 / (cases + 1)}, found);
  }
}

void sets(Book& book) {
  by_slice(book);
  masks(book);
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
