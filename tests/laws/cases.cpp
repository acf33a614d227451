// Cases of many voxels with dependent errors: levels of the test by signs of whole cases, and of intervals.
#include "plumb/evaluate/cases.hpp"

#include "laws/laws.hpp"
#include "laws/simulated.hpp"

namespace plumb::laws {
namespace {

constexpr int kVoxels = 200;

Setting cases_of(int cases, double slope) {
  return {.name = std::to_string(cases) + " cases of " + std::to_string(kVoxels) + " voxels, 2 raters" +
                  (slope == 1 ? "" : ", over-confident"),
          .n = cases * kVoxels,
          .votes = 2,
          .groups = cases,
          .slope = slope};
}

Result judged(const Drawn& d, int cases) {
  std::vector<std::string> names;
  std::vector<Items> items;
  for (int c = 0; c < cases; ++c) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < d.votes.size(); ++i)
      if (d.votes.group[i] == c) rows.push_back(i);
    test::Simulated part = test::take(d.votes, rows);
    part.group.clear();
    items.push_back(test::to_items(part, test::VoteForm::counts));
    names.push_back(std::to_string(c));
  }
  const auto read = [&](std::int64_t i) { return Case{names[i], names[i], {}, {}, items[i]}; };
  return evaluate_cases(
      names, read,
      {.evaluate = {.metrics = {"ece", "ece_corrected", "brier", "auroc"}, .bootstrap = 200, .threads = 1}});
}

double true_brier(const Drawn& d) {
  double sum = 0;
  for (std::size_t i = 0; i < d.chance.size(); ++i) {
    const double q = d.chance[i], p = d.votes.z[i];
    sum += q * (1 - q) + (p - q) * (p - q);
  }
  return sum / static_cast<double>(d.chance.size());
}

struct Outcome {
  bool rejected, off, trusted, ece, brier, auroc;
};

void cases(Book& book) {
  for (const int n : {10, 20})
    for (const double slope : {1.0, 0.6}) {
      const Setting s = cases_of(n, slope);
      const auto all = simulate_sets(book.sets(150, 8), book.seed(), [&](std::uint64_t seed) {
        const Drawn d = draw(s, seed);
        const Result r = judged(d, n);
        const Result known = evaluate(truth_of(d), {.metrics = {"ece", "auroc"}, .threads = 1});
        const auto covers = [&](const char* key, double truth) {
          return *r[key].low <= truth && truth <= *r[key].high;
        };
        return Outcome{*r["ece"].p_value <= 0.05,          r.verdict.verdict == "off",
                       r.verdict.verdict == "trustworthy", covers("ece", *known["ece"].value),
                       covers("brier", true_brier(d)),     covers("auroc", *known["auroc"].value)};
      });
      const auto share = [&](bool Outcome::*what) {
        std::vector<char> out;
        for (const Outcome& o : all) out.push_back(o.*what);
        return out;
      };
      if (slope == 1) {
        book.rate("a calibrated segmentation is rejected (ece)", s.name, {0, 0.05},
                  share(&Outcome::rejected));
        book.rate("a calibrated segmentation is called off", s.name, {0, 0.05}, share(&Outcome::off));
      } else {
        book.rate("an over-confident segmentation is called trustworthy", s.name, {0, 0.05},
                  share(&Outcome::trusted));
      }
      book.rate("the interval of ece covers", s.name, {0.93, 1}, share(&Outcome::ece));
      book.rate("the interval of brier covers", s.name, {0.9, 0.98}, share(&Outcome::brier));
      book.rate("the interval of auroc covers", s.name, {0.9, 1}, share(&Outcome::auroc));
    }
}

const Topic kCases{"cases", cases};

}  // namespace
}  // namespace plumb::laws
