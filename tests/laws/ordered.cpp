// Ordered classes, uncertainty in two parts and alpha_0: unbiased, and covered by their intervals.
#include "plumb/evaluate/ordered.hpp"

#include "laws/laws.hpp"
#include "laws/simulated.hpp"
#include "plumb/calibrate/fit.hpp"
#include "plumb/raters/decomposition.hpp"

namespace plumb::laws {
namespace {

EvaluateOptions no_draws() {
  EvaluateOptions o;
  o.threads = 1;
  return o;
}

bool holds_value(const std::optional<double>& low, const std::optional<double>& high, double truth) {
  return low && high && *low <= truth && truth <= *high;
}

void scores_of_grades(Book& book, const Setting& s) {
  Setting many = s;
  many.n = 200000;
  many.groups = 0;
  const OrderedResult truth = evaluate_ordered(items_of(draw(many, 9)), no_draws());
  struct Found {
    double squared = 0;
    bool rps = false, squared_holds = false;
  };
  const double rps = *find_result(truth.metrics, "rps").value,
               squared = *find_result(truth.metrics, "emd_squared").value;
  const auto found = simulate_sets(book.sets(1000, 40), book.seed() + 61, [&](std::uint64_t seed) {
    const OrderedResult r = evaluate_ordered(items_of(draw(s, seed)), no_draws());
    const MetricResult &a = find_result(r.metrics, "rps"), &b = find_result(r.metrics, "emd_squared");
    return Found{*b.value - squared, holds_value(a.low, a.high, rps), holds_value(b.low, b.high, squared)};
  });
  std::vector<double> off;
  std::vector<char> covers_rps, covers_squared;
  for (const Found& f : found) {
    off.push_back(f.squared);
    covers_rps.push_back(f.rps);
    covers_squared.push_back(f.squared_holds);
  }
  book.mean("`emd_squared` less its value for many items", s.name, {-0.002, 0.002}, off);
  book.rate("the interval of `rps` covers", s.name, {0.92, 0.98}, covers_rps);
  book.rate("the interval of `emd_squared` covers", s.name, {0.92, 0.98}, covers_squared);
}

/// Votes of an item share a Dirichlet draw of concentration 4 around the true chances.
Items with_concentration(const Setting& s, std::uint64_t seed, double alpha_0) {
  Drawn d = draw(s, seed);
  d.votes.concentration.assign(d.votes.size(), alpha_0);
  return items_of(d);
}

void two_parts(Book& book) {
  const Setting s{.name = "N = 200, K = 3, 4 votes", .n = 200, .classes = 3, .votes = 4};
  const auto covers = simulate_sets(book.sets(2000, 60), book.seed() + 62, [&](std::uint64_t seed) {
    const Decomposition d = decompose_uncertainty(with_concentration(s, seed, 4), 0.95);
    return (holds_value(d.aleatoric_gap.low, d.aleatoric_gap.high, 0) +
            holds_value(d.epistemic_gap.low, d.epistemic_gap.high, 0)) /
           2.0;
  });
  book.shares("the interval of the gap of an uncertainty that is forecast rightly covers 0", s.name,
              {0.93, 0.97}, covers);
  const Setting wrong{
      .name = "N = 200, K = 3, 4 votes, over-confident", .n = 200, .classes = 3, .votes = 4, .slope = 0.6};
  Setting many = wrong;
  many.n = 200000;
  const double truth = *decompose_uncertainty(with_concentration(many, 8, 2), 0.95).epistemic_gap.value;
  const auto covered = simulate_sets(book.sets(2000, 60), book.seed() + 63, [&](std::uint64_t seed) {
    const Decomposition d = decompose_uncertainty(with_concentration(wrong, seed, 2), 0.95);
    return holds_value(d.epistemic_gap.low, d.epistemic_gap.high, truth);
  });
  book.rate("the interval of the gap of the epistemic part covers", wrong.name, {0.93, 0.97}, covered);
}

void concentration(Book& book) {
  for (const int n : {100, 400}) {
    const Setting s{
        .name = "N = " + std::to_string(n) + ", K = 3, 5 votes", .n = n, .classes = 3, .votes = 5};
    const auto covers = simulate_sets(book.sets(1000, 40), book.seed() + 64, [&](std::uint64_t seed) {
      FitOptions o;
      o.threads = 1;
      const Step step = fit_calibrator("alpha", items_of(draw(s, seed)), o).front();
      std::optional<double> low, high;
      for (const auto& [key, value] : step.fit.options) {
        if (key == "alpha_0_low") low = std::get<double>(value);
        if (key == "alpha_0_high") high = std::get<double>(value);
      }
      return holds_value(low, high, 4);
    });
    book.rate("the interval of alpha_0 covers", s.name, {0.92, 0.98}, covers);
  }
}

void ordered(Book& book) {
  scores_of_grades(book, {.name = "N = 300, K = 5, 4 dependent votes, over-confident",
                          .n = 300,
                          .classes = 5,
                          .votes = 4,
                          .slope = 0.6});
  two_parts(book);
  concentration(book);
}
const Topic kOrdered{"ordered", ordered};

}  // namespace
}  // namespace plumb::laws
