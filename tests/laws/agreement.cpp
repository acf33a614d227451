// No statement about a result contradicts another: verdict, sentences, advice, plots and slices of thousands
// of results, read by their claims and by their text (support/read_words.hpp).
#include <cmath>
#include <cstdio>

#include "laws/laws.hpp"
#include "laws/simulated.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/regression/evaluate.hpp"
#include "plumb/report/json.hpp"
#include "plumb/report/regression.hpp"
#include "plumb/report/terminal.hpp"
#include "report/look_up.hpp"
#include "report/next_step.hpp"
#include "report/plots.hpp"
#include "report/runs.hpp"
#include "report/sentence.hpp"
#include "report/verdict.hpp"
#include "report/verdict_words.hpp"
#include "report/words.hpp"
#include "support/read_words.hpp"

namespace plumb::laws {
namespace {

/// Everything that carries claims: verdict, sentences, advice. The reliability diagram says mean_words.
std::vector<detail::Sentence> all_sentences(const Result& r) {
  std::vector<detail::Sentence> all =
      r.task == "regression" ? detail::regression_sentences(r) : detail::result_sentences(r);
  all.push_back(detail::verdict_words(r));
  const detail::NextStep next = detail::next_step(r);
  all.push_back({next.why, next.claims});
  return all;
}

/// What a page and a terminal show of it.
test::Shown shown(const Result& r, const detail::Plots& plots, const detail::Runs& runs) {
  test::Shown out{.verdict = verdict_sentence(r, kFlag),
                  .words = r.task == "regression" ? regression_words(r) : plain_words(r, kFlag),
                  .next = spell(detail::next_step(r).why, kFlag),
                  .headline = detail::headlines(runs).front().level,
                  .level = detail::setting<double>(r, "level", 0.95)};
  for (const detail::Plot& p : plots) {
    if (p.name == "reliability") out.diagram = p.sentence;
    out.plots.push_back(p.sentence);
    for (const detail::Choice& c : p.choices) out.plots.push_back(c.sentence);
  }
  return out;
}

/// Claims and texts that contradict each other; empty when there are none.
std::string disagreement(Result r, std::int64_t units) {
  r.command = "evaluate";
  r.argv = {"plumb", "evaluate", "--probs", "p.npy", "--labels", "y.npy"};
  const std::vector<NamedResult> saved{{"model", render_json(r)}};
  const detail::Runs runs = detail::read_runs(saved);
  const detail::Plots plots = detail::make_plots(runs);
  std::string out;
  for (const Result& seen : {r, detail::to_result(runs.front())}) {
    for (const std::string& c : detail::contradictions(all_sentences(seen))) out += c + "; ";
    test::Shown text = shown(seen, plots, runs);
    text.units = units;
    for (const std::string& c : test::text_contradictions(text)) out += c + "; ";
  }
  return out;
}

template <class T>
T one_of(RandomStream& rng, std::initializer_list<T> list) {
  return list.begin()[rng.below(list.size())];
}

/// From 1 to 5,000, as many small sets as large ones.
int size_of(RandomStream& rng) {
  return std::max(1, static_cast<int>(std::exp(rng.uniform() * std::log(5000.0))));
}

Names sliced(RandomStream& rng, int n) {
  std::vector<std::int64_t> by(n);
  for (auto& g : by) g = static_cast<std::int64_t>(rng.below(3));
  return Names(Rows(array_of(by, {n}, "by.npy")));
}

std::string of_classes(RandomStream& rng, std::uint64_t seed) {
  Setting s{.n = size_of(rng),
            .classes = one_of(rng, {2, 2, 2, 3, 4, 6}),
            .votes = one_of(rng, {1, 1, 1, 2, 5}),
            .groups = one_of(rng, {0, 0, 0, 1, 4, 20}),
            .slope = one_of(rng, {1.0, 1.0, 0.9, 0.7, 0.4, 1.5, -1.0}),
            .shift = one_of(rng, {0.0, 0.0, 0.1, 0.4, -1.0}),
            .mean = one_of(rng, {0.0, 0.0, -2.5, -4.5, -7.0}),
            .wave = one_of(rng, {0.0, 0.0, 0.0, 0.08}),
            .spread = one_of(rng, {0.0, 0.3, 1.5, 1.5, 4.0, 30.0})};
  if (s.classes > 2) s.slope = std::abs(s.slope);
  Drawn d = draw(s, seed);
  if (rng.below(4) == 0)
    for (int i = 0; i < s.n; ++i) d.votes.weight.push_back(std::exp(1.2 * rng.normal()));
  if (s.classes == 2 && rng.below(6) == 0)  // forecasts of exactly 0 and 1
    for (double& z : d.votes.z) z = z < 0.3 ? 0 : z > 0.7 ? 1 : z;
  Items items = items_of(d);
  if (rng.below(3) == 0) items.by = {sliced(rng, s.n)};
  std::vector<std::string> keys{
      "ece",   "ece_corrected", "mean_gap",          "accuracy",      "agreement",      "nll",
      "brier", "auroc",         "brier_uncertainty", "ece_classwise", "rater_agreement"};
  if (s.classes == 2) keys.insert(keys.end(), {"calibration_slope", "oe_ratio"});
  if (s.n < 300 && rng.below(8) == 0) keys.clear();  // the default ones
  const Result r = evaluate(items, {.metrics = keys,
                                    .bootstrap = one_of(rng, {0, 3, 19, 25, 50, 100}),
                                    .level = one_of(rng, {0.95, 0.95, 0.9, 0.99}),
                                    .tolerance = one_of(rng, {0.05, 0.05, 0.02, 0.1, 0.2}),
                                    .threads = 1,
                                    .consensus = s.n < 500});
  return disagreement(r, s.groups > 0 ? std::min(s.groups, s.n) : s.n);
}

std::string of_a_regression(RandomStream& rng) {
  const int n = size_of(rng);
  std::vector<double> mean(n), variance, target, weight;
  const int groups = one_of(rng, {0, 0, 0, 1, 4, 20});
  const double factor = one_of(rng, {1.0, 1.0, 1.05, 1.12, 0.9, 0.5, 2.0}),
               heavy = one_of(rng, {0.0, 0.0, 2.0}), tilt = one_of(rng, {0.0, 0.0, 0.6, -0.6}),
               spread = one_of(rng, {0.0, 0.7, 2.0});
  std::vector<std::int64_t> group;
  for (int i = 0; i < n; ++i) {
    const double v = std::exp(spread * rng.normal());
    variance.push_back(v);
    target.push_back(factor * std::sqrt(v) * std::pow(v, -tilt / 2) * rng.normal() *
                     std::exp(heavy * rng.normal()));
    group.push_back(i % std::max(1, groups));
  }
  if (rng.below(4) == 0)
    for (int i = 0; i < n; ++i) weight.push_back(std::exp(rng.normal()));
  RegressionItems items;
  items.mean.emplace_back(array_of(mean, {n}, "mean.npy"));
  items.targets = Rows(array_of(target, {n}, "y.npy"));
  items.total = Rows(array_of(variance, {n}, "v.npy"));
  if (!weight.empty()) items.weights = Rows(array_of(weight, {n}, "w.npy"));
  if (groups > 0) items.groups = Names(Rows(array_of(group, {n}, "g.npy")));
  if (rng.below(3) == 0) items.by = {sliced(rng, n)};
  RegressionOptions o;
  o.bootstrap = one_of(rng, {0, 3, 19, 50, 100});
  o.level = one_of(rng, {0.95, 0.95, 0.9, 0.99});
  o.tolerance = one_of(rng, {1.1, 1.1, 1.02, 1.5});
  o.threads = 1;
  return disagreement(evaluate_regression(items, o), groups > 0 ? std::min(groups, n) : n);
}

/// Arbitrary results: no sentence contradicts the verdict.
void agreement(Book& book) {
  struct Kind {
    const char* name;
    bool classes;
    int whole, brief;
  };
  for (const Kind& k :
       {Kind{"classes: N = 1 to 5,000, K = 2 to 6, votes, groups, weights, rare events", true, 1800, 90},
        Kind{"regression: n = 1 to 5,000, groups, weights, heavy tails", false, 600, 30}}) {
    const auto found = simulate_sets(book.sets(k.whole, k.brief), book.seed() + 7, [&](std::uint64_t seed) {
      RandomStream rng(seed, Purpose::demo, 11);
      return k.classes ? of_classes(rng, seed) : of_a_regression(rng);
    });
    std::vector<char> hits;
    for (const std::string& f : found) {
      if (!f.empty()) std::fprintf(stderr, "words: %s\n", f.c_str());
      hits.push_back(!f.empty());
    }
    book.never("verdict, sentences, next step, plots or slices contradict each other", k.name, hits);
  }
}
const Topic kAgreement{"words", agreement};

}  // namespace
}  // namespace plumb::laws
