// Intervals of what `plumb raters` says about raters whose confusion matrices are known.
#include "plumb/raters/raters.hpp"

#include "laws/laws.hpp"
#include "plumb/raters/ceiling.hpp"
#include "unit/raters/simulated_raters.hpp"

namespace plumb::laws {
namespace {

using test::RaterSetting;
using test::SimulatedRaters;

bool covers_truth(const Bounded& b, double truth) { return b.low && *b.low <= truth && truth <= *b.high; }

/// Shares of the intervals of one set that cover.
struct CoveredRaters {
  double accuracy = 0, confusion = 0, bias = 0, prevalence = 0, ordinal = 0, kappa = 0;
};

RatersOptions with_intervals() {
  RatersOptions o;
  o.bootstrap = 100;
  o.ordered = true;
  o.ask = 0;
  o.threads = 1;
  return o;
}

CoveredRaters covered_raters(const SimulatedRaters& s, const RatersResult& r, const RatersResult& large) {
  CoveredRaters out;
  const int k = s.classes;
  for (int c = 0; c < k; ++c) out.prevalence += covers_truth(r.prevalence[c], s.prevalence[c]) / (1.0 * k);
  for (int a = 0; a < s.raters; ++a) {
    double accuracy = 0;
    for (int c = 0; c < k; ++c) {
      const double* row = s.confusion.data() + (a * k + c) * k;
      accuracy += s.prevalence[c] * row[c];
      double votes = 0;
      for (int t = 0; t < k; ++t) votes += s.prevalence[t] * s.confusion[(a * k + t) * k + c];
      out.bias += covers_truth(r.raters[a].bias[c], votes - s.prevalence[c]) / (1.0 * s.raters * k);
      for (int y = 0; y < k; ++y)
        out.confusion += covers_truth(r.raters[a].confusion[c * k + y], row[y]) / (1.0 * s.raters * k * k);
    }
    out.accuracy += covers_truth(r.raters[a].accuracy, accuracy) / (1.0 * s.raters);
  }
  out.ordinal = covers_truth(r.agreement[3].second, *large.agreement[3].second.value);
  for (std::size_t p = 0; p < r.pairs.size(); ++p)
    out.kappa += covers_truth(r.pairs[p].kappa, *large.pairs[p].kappa.value) / (1.0 * r.pairs.size());
  return out;
}

/// Raters whose errors cancel are called biased.
void unbiased_raters(Book& book) {
  const auto found = simulate_sets(book.sets(300, 30), book.seed() + 32, [&](std::uint64_t seed) {
    const SimulatedRaters s =
        test::simulate_raters({.items = 300, .raters = 6, .biased = false, .seed = seed});
    const RatersResult r = describe_raters(test::votes_of(s), {}, with_intervals());
    bool any = false;
    for (const RaterProfile& p : r.raters) any = any || p.too_often;
    return any;
  });
  book.rate("one of several unbiased raters is reported to name a class too often",
            "N = 300, 6 raters, K = 3", {0, 0.06}, found);
}

/// Model and raters draw from the same chances, so that the model is as good as a rater who draws.
void ceiling(Book& book) {
  const auto covers = simulate_sets(book.sets(600, 60), book.seed() + 33, [&](std::uint64_t seed) {
    RandomStream rng(seed, Purpose::demo, 92);
    std::vector<double> z, votes;
    for (int i = 0; i < 150; ++i) {
      const double p = rng.uniform();
      const bool label = rng.uniform() < p;  // the model commits to a draw, as a rater does
      z.push_back(label ? 1 : 0);
      for (int r = 0; r < 4; ++r) votes.push_back(rng.uniform() < p ? 1 : 0);
    }
    Items items;
    items.predictions = Predictions({Rows(array_of(z, {150}, "z"))}, Scale::probability);
    items.votes = Votes::from_ratings(Rows(array_of(votes, {150, 4}, "votes")), 2);
    const CeilingScore s = human_ceiling(items, false, 0.95).front().scores.front();
    return *s.low <= 0 && 0 <= *s.high;
  });
  book.rate("the interval of a model's agreement less a rater's covers", "N = 150, 4 raters, equally good",
            {0.93, 0.97}, covers);
}

void raters(Book& book) {
  unbiased_raters(book);
  ceiling(book);
  for (const RaterSetting& s : {RaterSetting{.items = 300, .classes = 3, .raters = 5},
                                RaterSetting{.items = 600, .classes = 3, .raters = 8, .missing = 0.5}}) {
    RaterSetting many = s;
    many.items = 100000;
    many.seed = 999;
    RatersOptions plain = with_intervals();
    plain.bootstrap = 0;
    const RatersResult large = describe_raters(test::votes_of(test::simulate_raters(many)), {}, plain);
    const auto sets = simulate_sets(book.sets(200, 20), book.seed() + 31, [&](std::uint64_t seed) {
      RaterSetting own = s;
      own.seed = seed;
      const SimulatedRaters drawn = test::simulate_raters(own);
      return covered_raters(drawn, describe_raters(test::votes_of(drawn), {}, with_intervals()), large);
    });
    const std::string setting = "N = " + std::to_string(s.items) + ", " + std::to_string(s.raters) +
                                (s.missing > 0 ? " raters, half of the items each" : " raters of all items");
    const auto enter = [&](const char* what, double CoveredRaters::*share, Wanted wanted) {
      std::vector<double> values;
      for (const CoveredRaters& c : sets) values.push_back(c.*share);
      book.shares(std::string("the interval of ") + what + " covers", setting, wanted, values);
    };
    enter("a rater's accuracy", &CoveredRaters::accuracy, {0.92, 0.98});
    enter("an entry of a rater's confusion matrix", &CoveredRaters::confusion, {0.92, 0.98});
    enter("a rater's bias", &CoveredRaters::bias, {0.92, 0.98});
    enter("a class's prevalence", &CoveredRaters::prevalence, {0.92, 0.98});
    enter("Krippendorff's ordinal alpha", &CoveredRaters::ordinal, {0.92, 0.98});
    enter("weighted kappa of a pair", &CoveredRaters::kappa, {0.92, 0.98});
  }
}
const Topic kRaters{"raters", raters};

}  // namespace
}  // namespace plumb::laws
