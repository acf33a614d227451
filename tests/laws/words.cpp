// Sentences about results: false claims are rare. That none contradicts another is measured in agreement.cpp.
#include <cmath>

#include "laws/laws.hpp"
#include "laws/simulated.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "report/sentence.hpp"
#include "report/verdict_words.hpp"
#include "report/words.hpp"

namespace plumb::laws {
namespace {

using detail::Claim;

Result judged(const Setting& s, std::uint64_t seed, bool weighted = false) {
  Drawn d = draw(s, seed);
  if (weighted) {
    RandomStream rng(seed, Purpose::demo, 9);
    for (int i = 0; i < s.n; ++i) d.votes.weight.push_back(std::exp(1.2 * rng.normal()));
  }
  std::vector<std::string> keys{"ece", "ece_corrected", "mean_gap", "accuracy"};
  if (s.classes == 2) keys.insert(keys.end(), {"calibration_slope", "oe_ratio"});
  return evaluate(items_of(d), {.metrics = keys, .bootstrap = 100, .threads = 1, .consensus = false});
}

std::vector<Claim> claims_about(const Result& r) {
  std::vector<detail::Sentence> all = detail::result_sentences(r);
  all.push_back(detail::verdict_words(r));
  return detail::claims_of(all);
}

bool claims(const std::vector<Claim>& made, std::initializer_list<Claim> any) {
  return std::any_of(any.begin(), any.end(),
                     [&](Claim c) { return std::find(made.begin(), made.end(), c) != made.end(); });
}

/// About one event in 1,000, forecast five times too often: far within the tolerance of 0.05.
void rare_events(Book& book) {
  const Setting calibrated{.n = 20'000, .mean = -7.2, .spread = 0.8};
  Setting fivefold = calibrated;
  fivefold.mean += std::log(5.0);
  fivefold.shift = -std::log(5.0);
  const int sets = book.sets(60, 4);
  struct Said {
    bool trusted, warned, too_high, excludes;
  };
  const auto said = [&](const Setting& s) {
    return simulate_sets(sets, book.seed() + 11, [&](std::uint64_t seed) {
      const Result r = judged(s, seed);
      const MetricResult& ratio = r["oe_ratio"];
      return Said{r.verdict.verdict == "trustworthy",
                  detail::verdict_words(r).text.find("says little about it") != std::string::npos,
                  claims(claims_about(r), {Claim::too_high}),
                  ratio.low && (*ratio.low > 1 || *ratio.high < 1)};
    });
  };
  std::vector<char> unwarned, high, excluded, false_high;
  for (const Said& s : said(fivefold)) {
    unwarned.push_back(s.trusted && !s.warned);
    high.push_back(s.too_high);
    excluded.push_back(s.excludes);
  }
  for (const Said& s : said(calibrated)) false_high.push_back(s.too_high);
  const char* setting = "1 event in 1,000, N = 20,000";
  book.never("forecasts five times too high are trusted without a word on the tolerance", setting, unwarned);
  book.rate("forecasts five times too high are called too high", setting, {0.95, 1}, high);
  book.rate("the interval of `oe_ratio` shows that forecasts are five times too high", setting, {0.95, 1},
            excluded);
  book.rate("a calibrated model is called too high", setting, {0, 0.05}, false_high);
}

void words(Book& book) {
  const int sets = book.sets(120, 20);
  struct Calibrated {
    Setting setting;
    bool weighted;
  };
  for (const Calibrated& c :
       {Calibrated{{.name = "N = 400", .n = 400}, false},
        Calibrated{{.name = "10 groups of 40", .n = 400, .groups = 10}, false},
        Calibrated{{.name = "weights, N = 400", .n = 400}, true},
        Calibrated{{.name = "prevalence 2%, N = 600", .n = 600, .mean = -4.3, .spread = 0.8}, false}}) {
    const auto made = simulate_sets(sets, book.seed(), [&](std::uint64_t seed) {
      return claims_about(judged(c.setting, seed, c.weighted));
    });
    std::vector<char> mean, slope;
    for (const auto& m : made) {
      mean.push_back(claims(m, {Claim::too_high, Claim::too_low}));
      slope.push_back(claims(m, {Claim::too_extreme, Claim::too_timid}));
    }
    book.rate("a calibrated model is called too high or too low on average", c.setting.name, {0, 0.07}, mean);
    book.rate("a calibrated model is called too extreme or too timid", c.setting.name, {0, 0.07}, slope);
  }
  for (const Setting& s :
       {Setting{.name = "11 events of 1,000", .n = 1000, .shift = -1.6, .mean = -3.4, .spread = 1},
        Setting{.name = "40 events of 1,000", .n = 1000, .shift = -1.6, .mean = -2, .spread = 1}}) {
    const auto extreme = simulate_sets(sets, book.seed(), [&](std::uint64_t seed) {
      return static_cast<char>(claims(claims_about(judged(s, seed)), {Claim::too_extreme, Claim::too_timid}));
    });
    book.rate("a model that is shifted, of slope 1, is called too extreme or too timid", s.name, {0, 0.07},
              extreme);
  }
  rare_events(book);
}

const Topic kWords{"words", words};

}  // namespace
}  // namespace plumb::laws
