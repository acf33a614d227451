// What ties between raters do to a result: shared labels, p-values without them, two raters, states.
#include <gtest/gtest.h>

#include <cmath>

#include "plumb/data/check.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/evaluate/stability.hpp"
#include "plumb/evaluate/state.hpp"
#include "support/make_items.hpp"

namespace plumb::test {
namespace {

/// Four raters of three classes: many ties.
Simulated task() { return simulate({.n = 400, .classes = 3, .raters = 4, .sharpen = 1.4, .seed = 21}); }

std::vector<int> counts_of(const Simulated& s, std::size_t i) {
  std::vector<int> n(s.classes);
  for (const int v : s.votes[i]) ++n[v];
  return n;
}
std::size_t top_of(const Simulated& s, std::size_t i) {
  const double* row = s.z.data() + i * 3;
  return std::max_element(row, row + 3) - row;
}

/// Share of the top class in the majority, and -log z over its classes, straight from the counts.
struct Naive {
  double accuracy = 0, decided = 0, right_decided = 0, nll = 0, items = 0;
  std::int64_t tied = 0;
};
Naive naive(const Simulated& s) {
  Naive out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const std::vector<int> n = counts_of(s, i);
    const int most = *std::max_element(n.begin(), n.end());
    const auto m = static_cast<double>(std::count(n.begin(), n.end(), most));
    ++out.items;
    out.tied += m > 1;
    const bool among = n[top_of(s, i)] == most;
    out.accuracy += among ? 1 / m : 0;
    if (m == 1) {
      ++out.decided;
      out.right_decided += among;
    }
    for (std::size_t k = 0; k < 3; ++k)
      if (n[k] == most) out.nll -= std::log(s.z[i * 3 + k]) / m;
  }
  return out;
}

TEST(Ties, HalfAgainstTheDefinition) {
  const Simulated s = task();
  const Naive want = naive(s);
  ASSERT_GT(want.tied, 20);
  const Result r = evaluate(to_items(s, VoteForm::counts));
  EXPECT_NEAR(*r["accuracy"].value, want.accuracy / want.items, 1e-12);
  EXPECT_NEAR(*find_result(r.consensus, "accuracy").value, want.accuracy / want.items, 1e-12);
  EXPECT_NEAR(*find_result(r.consensus, "nll").value, want.nll / want.items, 1e-12);
  bool counted = false;
  for (const std::string& note : r.notes)
    counted = counted || note.find("tie on " + std::to_string(want.tied) + " items") != std::string::npos;
  EXPECT_TRUE(counted);
}

TEST(Ties, AbsentLeavesThemOut) {
  const Simulated s = task();
  const Naive want = naive(s);
  const Result r = evaluate(to_items(s, VoteForm::counts), {.ties = Ties::absent});
  EXPECT_NEAR(*r["accuracy"].value, want.right_decided / want.decided, 1e-12);
  EXPECT_NEAR(*find_result(r.consensus, "accuracy").value, want.right_decided / want.decided, 1e-12);
}

TEST(Ties, PValuesOfTheConsensusAreThoseOfTheDecidedItems) {
  const Simulated s = task();
  std::vector<std::size_t> decided;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const std::vector<int> n = counts_of(s, i);
    if (std::count(n.begin(), n.end(), *std::max_element(n.begin(), n.end())) == 1) decided.push_back(i);
  }
  const EvaluateOptions half{.metrics = {"ece", "ks"}, .bootstrap = 60};
  EvaluateOptions absent = half;
  absent.ties = Ties::absent;
  const Result a = evaluate(to_items(s, VoteForm::counts), half),
               b = evaluate(to_items(s, VoteForm::counts), absent);
  for (const char* key : {"ece", "ks"}) {
    EXPECT_EQ(find_result(a.consensus, key).p_value, find_result(b.consensus, key).p_value) << key;
    EXPECT_NE(find_result(a.consensus, key).value, find_result(b.consensus, key).value) << key;
    // The votes themselves know no ties.
    EXPECT_EQ(a[key].value, b[key].value);
    EXPECT_EQ(a[key].p_value, b[key].p_value);
  }
  EXPECT_NEAR(
      *find_result(b.consensus, "ece").value,
      *find_result(evaluate(to_items(take(s, decided), VoteForm::counts), absent).consensus, "ece").value,
      1e-12);
}

TEST(Ties, TwoRatersHaveNoMajority) {
  const Simulated s = simulate({.n = 100, .raters = 2, .seed = 4});
  for (const Ties t : {Ties::half, Ties::absent}) {
    const Result r = evaluate(to_items(s, VoteForm::ratings), {.ties = t});
    ASSERT_FALSE(r.consensus.empty());
    for (const auto& [key, m] : r.consensus) {
      EXPECT_FALSE(m.value.has_value()) << key;
      EXPECT_NE(m.why.find("two raters have no majority"), std::string::npos) << key;
    }
    EXPECT_TRUE(r["accuracy"].value.has_value());
  }
  EXPECT_TRUE(find_result(evaluate(to_items(s, VoteForm::ratings), {.ties = Ties::lowest}).consensus, "ece")
                  .value.has_value());
}

TEST(Ties, NothingButTies) {
  Simulated s;
  s.z = {0.2, 0.7};
  s.votes = {{0, 1, 0, 1}, {1, 0, 1, 0}};
  EXPECT_EQ(*evaluate(to_items(s, VoteForm::counts))["accuracy"].value, 0.5);
  const Result r = evaluate(to_items(s, VoteForm::counts), {.ties = Ties::absent});
  EXPECT_FALSE(r["accuracy"].value.has_value());
  EXPECT_FALSE(find_result(r.consensus, "ece").value.has_value());
}

TEST(Ties, StatesAgreeWithOneRunAndOnTheRule) {
  const Simulated s = task();
  std::vector<std::size_t> first, second;
  for (std::size_t i = 0; i < s.size(); ++i) (i % 3 == 0 ? first : second).push_back(i);
  for (const Ties t : {Ties::half, Ties::absent, Ties::lowest}) {
    const EvaluateOptions o{.ties = t};
    EvaluateState a = evaluate_state(to_items(take(s, first), VoteForm::counts), o);
    const EvaluateState b = evaluate_state(to_items(take(s, second), VoteForm::counts), o);
    merge(a, deserialize_state(serialize(b), "b"));
    const Result merged = finish(a, {}), whole = evaluate(to_items(s, VoteForm::counts), o);
    for (const char* key : {"accuracy", "ece", "nll", "brier"}) {
      EXPECT_EQ(merged[key].value, whole[key].value) << key;
      EXPECT_EQ(find_result(merged.consensus, key).value, find_result(whole.consensus, key).value) << key;
    }
    EXPECT_EQ(merged.notes, whole.notes);
    EvaluateState other = evaluate_state(to_items(take(s, first), VoteForm::counts),
                                         {.ties = t == Ties::half ? Ties::lowest : Ties::half});
    EXPECT_THROW(merge(other, b), InputError);
  }
  EXPECT_THROW((void)evaluate_state(to_items(s, VoteForm::counts), {.ties = Ties::random}), InputError);
}

TEST(Ties, StabilityTakesTheRule) {
  const Items items = to_items(task(), VoteForm::counts);
  StabilityOptions o;
  o.estimators = {"accuracy"};
  o.from = o.step = 0.5;
  o.repeats = 40;
  const auto single = [&](Ties t) {
    o.evaluate.ties = t;
    return stability(items, o).estimators.front().single.mean.back();
  };
  // Means over bootstrapped sets of the consensus' own accuracy.
  EXPECT_NEAR(single(Ties::half), *evaluate(items)["accuracy"].value, 0.02);
  EXPECT_NEAR(single(Ties::absent), *evaluate(items, {.ties = Ties::absent})["accuracy"].value, 0.02);
}

}  // namespace
}  // namespace plumb::test
