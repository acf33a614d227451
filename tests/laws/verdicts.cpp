// How often each verdict is reached, right or wrong.
#include <cmath>

#include <fmt/format.h>

#include "laws/laws.hpp"
#include "laws/simulated.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/numeric/quantile.hpp"

namespace plumb::laws {
namespace {

constexpr double kMany = 1.0;

/// The verdicts on simulated sets.
std::vector<Verdict> reached(const Setting& s, int sets, std::uint64_t seed, double tolerance = 0.05) {
  return simulate_sets(sets, seed, [&](std::uint64_t own) {
    return evaluate(items_of(draw(s, own)), {.metrics = {"ece"},
                                             .bootstrap = 200,
                                             .tolerance = tolerance,
                                             .threads = 1,
                                             .consensus = false})
        .verdict;
  });
}

std::vector<char> share(const std::vector<Verdict>& all, const char* verdict) {
  std::vector<char> out;
  for (const Verdict& v : all) out.push_back(v.verdict == verdict);
  return out;
}

/// The bound as it is defined, by brute force: labels redrawn from the forecasts, t added in the observed
/// directions, and counts of draws that are not above the observed value.
bool trusted_by_definition(const Drawn& d, double tolerance, std::uint64_t seed) {
  constexpr int kBins = 15, kDraws = 1000;
  std::vector<double> size(kBins), gap(kBins), noise(std::size_t{kDraws} * kBins);
  RandomStream rng(seed, Purpose::demo, 6);
  const auto n = static_cast<int>(d.votes.z.size());
  for (int i = 0; i < n; ++i) {
    const double p = d.votes.z[i];
    const int b = std::min(kBins - 1, static_cast<int>(p * kBins));
    ++size[b];
    gap[b] += d.votes.votes[i][0] - p;
    for (int r = 0; r < kDraws; ++r) noise[std::size_t(r) * kBins + b] += (rng.uniform() < p ? 1 : 0) - p;
  }
  double observed = 0;
  for (const double g : gap) observed += std::abs(g);
  const auto up_to = [&](double t) {
    double count = 1;
    for (int r = 0; r < kDraws; ++r) {
      double sum = 0;
      for (int b = 0; b < kBins; ++b)
        sum += std::abs(noise[std::size_t(r) * kBins + b] + (gap[b] < 0 ? -t : t) * size[b]);
      count += sum <= observed * (1 + 1e-12);
    }
    return count;
  };
  return up_to(tolerance) / up_to(0) <= 0.05;  // it falls with t, so this is: the bound is below it
}

/// No power is lost to the number of draws: as often trusted as the definition allows.
void against_definition(Book& book) {
  const Setting s{.name = "N = 1000", .n = 1000};
  const int sets = book.sets(200, 20);
  const auto here = share(reached(s, sets, book.seed()), "trustworthy");
  const auto defined = simulate_sets(sets, book.seed(), [&](std::uint64_t seed) {
    return trusted_by_definition(draw(s, seed), 0.05, seed);
  });
  std::vector<double> gained;
  for (int i = 0; i < sets; ++i) gained.push_back(double(here[i]) - double(defined[i]));
  book.rate("a calibrated model is called trustworthy", s.name, {0.45, kMany}, here);
  book.mean("the same, above the rate of the definition with 1,000 fresh draws", s.name, {-0.02, INFINITY},
            gained);
}

/// True `ece` on the cells, over many items.
double true_error(Setting s) {
  s.n = 20'000;
  s.groups = 0;
  s.votes = 1;
  return *evaluate(truth_of(draw(s, 99)), {.metrics = {"ece"}})["ece"].value;
}

/// The setting with its shift, slope or wave chosen such that the true error is `wanted`.
template <class Set>
Setting with_error(Setting s, double wanted, double low, double high, Set set) {
  for (int step = 0; step < 20; ++step) {
    const double middle = (low + high) / 2;
    set(s, middle);
    (true_error(s) < wanted ? low : high) = middle;
  }
  return s;
}

/// Few items, or an error as large as the tolerance: "not significant" is no reason for trust.
void few_items(Book& book) {
  const auto trusted = [&](Setting s, const std::string& name, double error, double tolerance,
                           Wanted wanted) {
    if (error > 0) s = with_error(s, error, 0, 2, [](Setting& x, double a) { x.shift = a; });
    const auto hits = share(reached(s, book.sets(400, 30), book.seed() + 1, tolerance), "trustworthy");
    const std::string setting = "N = " + std::to_string(s.n);
    if (wanted.high > 0)
      book.rate(name + ", called trustworthy", setting, wanted, hits);
    else
      book.never(name + ", called trustworthy", setting, hits);
  };
  trusted({.n = 5}, "calibrated", 0, 0.05, {0, 0});
  trusted({.n = 10, .slope = 0}, "forecasts that know nothing of the outcomes", 0, 0.05, {0, 0});
  trusted({.n = 30}, "true error 0.12", 0.12, 0.05, {0, 0.05});
  trusted({.n = 100}, "true error 0.068", 0.068, 0.05, {0, 0.05});
  trusted({.n = 400}, "true error 0.044, tolerance 0.04", 0.044, 0.04, {0, 0.05});
}

/// Units needed, from a small and a large set of one model.
void needed(Book& book) {
  const auto agree = [&](const Setting& small, const Setting& large, double tolerance, int whole) {
    const int sets = book.sets(whole, 20);
    const auto few = reached(small, sets, book.seed(), tolerance),
               many = reached(large, sets, book.seed(), tolerance);
    std::vector<char> hits;
    for (int i = 0; i < sets; ++i) {
      if (!few[i].needed || !many[i].needed) continue;
      const double ratio = static_cast<double>(*few[i].needed) / static_cast<double>(*many[i].needed);
      hits.push_back(1 / 1.3 <= ratio && ratio <= 1.3);
    }
    book.rate("`needed` from " + small.name + " and from " + large.name + " agree within 1.3 times",
              fmt::format("calibrated, tolerance {:g}", tolerance), {0.9, 1}, hits);
  };
  agree({.name = "N = 100", .n = 100}, {.name = "N = 3000", .n = 3000}, 0.02, 200);
  if (!book.whole()) return;
  agree({.name = "40 groups of 10", .n = 400, .groups = 40},
        {.name = "400 groups of 10", .n = 4000, .groups = 400}, 0.02, 100);
}

void verdicts(Book& book) {
  const auto calibrated = [&](const Setting& s, const char* verdict, Wanted wanted, int sets) {
    book.rate(std::string("a calibrated model is called ") + verdict, s.name, wanted,
              share(reached(s, book.sets(sets, 30), book.seed()), verdict));
  };
  for (const int n : {30, 100}) {
    const Setting s{.name = "N = " + std::to_string(n), .n = n};
    const auto all = reached(s, book.sets(400, 30), book.seed());
    book.never("a calibrated model is called trustworthy", s.name, share(all, "trustworthy"));
    book.rate("a calibrated model is called off", s.name, {0, 0.05}, share(all, "off"));
  }
  calibrated({.name = "N = 400", .n = 400}, "off", {0, 0.05}, 400);
  against_definition(book);
  calibrated({.name = "N = 1000, log-odds of standard deviation 2", .n = 1000, .spread = 2}, "trustworthy",
             {0.53, kMany}, 200);
  calibrated({.name = "N = 2000", .n = 2000}, "trustworthy", {0.95, kMany}, 200);
  calibrated({.name = "10 groups of 40", .n = 400, .groups = 10}, "off", {0, 0.05}, 400);
  calibrated({.name = "N = 200, 5 votes", .n = 200, .votes = 5}, "off", {0, 0.05}, 400);

  for (const int groups : {2, 3, 5})
    calibrated({.name = std::to_string(groups) + " groups of 40", .n = 40 * groups, .groups = groups}, "off",
               {0, 0.05}, 100);

  const Setting plain{};
  const auto shifted = with_error(plain, 0.055, 0, 1, [](Setting& s, double x) { s.shift = x; });
  const auto over = with_error(plain, 0.055, 0, 0.9, [](Setting& s, double x) { s.slope = 1 - x; });
  const auto wavy = with_error(plain, 0.055, 0, 0.3, [](Setting& s, double x) { s.wave = x; });
  for (const int n : {100, 1000, 2000}) {
    const auto row = [&](Setting s, const char* name) {
      s.n = n;
      book.rate("true error 0.055, called trustworthy", std::string(name) + ", N = " + std::to_string(n),
                {0, 0.05}, share(reached(s, book.sets(200, 20), book.seed()), "trustworthy"));
    };
    row(shifted, "shifted");
    row(over, "over-confident");
    row(wavy, "waving");
  }
  for (const double error : {0.08, 0.12}) {
    Setting s = with_error(plain, error, 0, 2, [](Setting& x, double a) { x.shift = a; });
    for (const int n : {200, 1000}) {
      s.n = n;
      book.rate("a shifted model is called off",
                "true error " + std::to_string(error).substr(0, 4) + ", N = " + std::to_string(n),
                {error > 0.1 ? n > 200 ? 0.95 : 0.7
                 : n > 200   ? 0.8
                             : 0.3,
                 kMany},
                share(reached(s, book.sets(200, 20), book.seed()), "off"));
    }
  }
  few_items(book);
  needed(book);
}
const Topic kVerdicts{"verdicts", verdicts};

}  // namespace
}  // namespace plumb::laws
