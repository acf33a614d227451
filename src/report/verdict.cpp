#include "report/verdict.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/plots.hpp"

namespace plumb::detail {
namespace {

constexpr double kSmallError =
    0.02;  // of probabilities, beyond chance: small for most uses; docs/report.md says so
constexpr double kGoodCoverage = 0.02,
                 kFairCoverage = 0.05;  // distance of a 95% interval's coverage from 0.95

struct Judged {
  std::string name, level, fact, advice, brief;  // brief: of the others, after their name
  double error = 0;
};

std::optional<Judged> judge_probabilities(const Run& run) {
  const Json* m = look(run.json, {"metrics", "ece"});
  const auto ece = m != nullptr ? number(*m, "value") : std::nullopt;
  if (!ece) return std::nullopt;
  Judged j{run.name,
           "open",
           fmt::format("they miss by {} on average", points(*ece)),
           "",
           "misses by " + points(*ece),
           *ece};
  const auto null_mean = number(*m, "null_mean"), p = number(*m, "p_value");
  const Json* settings = look(run.json, {"settings"});
  const double level = settings != nullptr ? number(*settings, "level").value_or(0.95) : 0.95;
  if (!null_mean || !p) {
    j.advice = "; ⟦bootstrap⟧ 200 would tell how much of that is chance";
    return j;
  }
  if (*p > 1 - level) {
    j.level = "good";
    j.fact += fmt::format(", no more than chance gives a calibrated model ({})", points(*null_mean));
  } else {
    j.level = *ece - *null_mean <= kSmallError ? "fair" : "poor";
    j.fact += fmt::format(", and chance explains only {} of that", points(*null_mean));
  }
  return j;
}

std::optional<Judged> judge_intervals(const Run& run) {
  const auto coverage = metric(run, "coverage_95");
  if (!coverage) return std::nullopt;
  // Half of the story lies in the middle: intervals of 50% that hold 85% are not nearly right.
  const auto half = metric(run, "coverage_50");
  const double off = std::max(std::abs(*coverage - 0.95), half ? std::abs(*half - 0.5) / 2 : 0.0);
  Judged j{run.name,
           off <= kGoodCoverage   ? "good"
           : off <= kFairCoverage ? "fair"
                                  : "poor",
           "",
           "",
           fmt::format("covers {}", percent(*coverage)),
           off};
  j.fact = fmt::format("its 95% intervals hold {} of the targets", percent(*coverage));
  if (half && std::abs(*half - 0.5) > 2 * kGoodCoverage)
    j.fact += fmt::format(" and its 50% intervals {}", percent(*half));
  if (off > kGoodCoverage)
    j.fact += (half && off > std::abs(*coverage - 0.95) ? *half < 0.5 : *coverage < 0.95)
                  ? ", so they are too narrow"
                  : ", so they are too wide";
  return j;
}

const char* opening(const std::string& level, bool regression) {
  if (level == "good")
    return regression ? "Its uncertainties can be taken at their word"
                      : "Its probabilities can be taken at their word";
  if (level == "fair")
    return regression ? "Its uncertainties are nearly right" : "Its probabilities are nearly right";
  if (level == "poor")
    return regression ? "Do not take its uncertainties at their word"
                      : "Do not take its probabilities at their word";
  return "Its probabilities have been measured";
}

}  // namespace

Verdict verdict(const Runs& runs) {
  std::vector<Judged> all;
  bool regression = false;
  for (const Run& run : runs) {
    regression = text(run.json, "task") == "regression";
    if (auto j = regression ? judge_intervals(run) : judge_probabilities(run)) all.push_back(std::move(*j));
  }
  if (all.empty()) {
    const Plots plots = make_plots(runs);
    return {"open",
            plots.empty() ? "These results hold nothing to judge a model by." : plots.front().sentence};
  }
  const Judged& best = *std::min_element(all.begin(), all.end(),
                                         [](const auto& a, const auto& b) { return a.error < b.error; });
  std::string text = opening(best.level, regression);
  if (all.size() > 1) {  // "Of raw and calibrated, calibrated is the one to use"
    const Judged& first = all.front();
    if (&best != &first)
      return {best.level, fmt::format("{} after {}: {}; {} {}{}.", text, best.name, best.fact, first.name,
                                      first.brief, best.advice)};
    return {best.level, fmt::format("{}: for {}, the best of {}, {}{}.", text, best.name, all.size(),
                                    best.fact, best.advice)};
  }
  return {best.level, fmt::format("{}: {}{}.", text, best.fact, best.advice)};
}

}  // namespace plumb::detail
