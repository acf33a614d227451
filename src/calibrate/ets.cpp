// Ensemble temperature scaling (Liu 2022, eq. 24):
// a mixture of the temperature-scaled, the untouched and the uniform forecast.
#include <fmt/format.h>

#include <cmath>

#include "calibrate/linear_fit.hpp"
#include "calibrate/mixture.hpp"
#include "calibrate/onnx_flow.hpp"
#include "calibrate/temperature.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

struct Members {
  std::vector<double> scaled, plain;  // probabilities of a block
  void fill(std::span<const double> u, int width, double t) {
    plain.assign(u.begin(), u.end());
    scaled.resize(u.size());
    for (std::int64_t i = 0; i < std::ssize(u); ++i) scaled[i] = u[i] / t;
    probabilities_of(scaled, width, scaled);
    probabilities_of(plain, width, plain);
  }
};

std::vector<MixtureEntry> voted(const Items& items, const Tally& votes, double t, const FitOptions& options) {
  struct State {
    std::vector<MixtureEntry> entries;
    ScoreBlock scores;
    Ballots ballots;
    Members members;
  };
  const double uniform = 1.0 / items.classes();
  const Prior prior = prior_of(options, votes);
  const double total = votes.mass + prior.votes;
  State all = parallel_reduce_blocks(
      items.size(), block_rows(items), options.threads, State{},
      [&](State& s, std::int64_t begin, std::int64_t end) {
        read_scores(items.predictions, begin, end, s.scores);
        read_ballots(items, begin, end, s.ballots);
        s.members.fill(s.scores.u, s.scores.width, t);
        for (std::int64_t i = 0; i < end - begin; ++i) {
          if (s.ballots.mass(i) == 0) continue;
          const auto probability_of = [&](const std::vector<double>& z, std::uint32_t k) {
            if (s.scores.width > 1) return z[(i * s.scores.width) + k];
            const double p = z[i];
            return k == 1 ? p : 1 - p;
          };
          const auto enter = [&](std::uint32_t k, double share) {
            s.entries.push_back(
                {{probability_of(s.members.scaled, k), probability_of(s.members.plain, k), uniform},
                 share / total});
          };
          s.ballots.for_each(i, enter);
          if (!prior.any()) continue;
          const double more = s.ballots.mass(i) * prior.per_vote();
          for (int k = 0; k < items.classes(); ++k)
            enter(k, more * prior.share(probability_of(s.members.plain, k), items.classes()));
        }
      },
      [](State& into, const State& from) {
        into.entries.insert(into.entries.end(), from.entries.begin(), from.entries.end());
      });
  return std::move(all.entries);
}

Step fit_ets(const Items& items, const FitOptions& options) {
  const Tally votes = tally(items, options.threads);
  const TemperatureFit first = fit_temperature(items, votes, options);
  const auto entries = voted(items, votes, first.T, options);
  constexpr std::array<double, 3> kStart = {0.8, 0.1, 0.1};
  MixtureFit fit = fit_mixture(entries, kStart, options.threads);
  fit.minimum.value *= (votes.mass + prior_of(options, votes).votes) / votes.mass;  // per vote
  Step step{"ets"};
  step.add_parameter("T", first.T);
  step.add_parameter("w", std::vector<double>(fit.w.begin(), fit.w.end()));
  describe(votes, items, first.clipped, step.fit);
  describe(fit.minimum, step.fit);
  step.fit.converged = step.fit.converged && first.converged;
  if (!first.warning.empty()) step.fit.warnings.push_back(first.warning);
  step.fit.no_optimum = first.no_optimum;
  return step;
}

MapPtr map_ets(const Step& step, int classes) {
  const double t = positive_temperature(step);
  const auto w = parameter(step, "w", {3});
  constexpr double kSumSlack = 1e-9;
  if (w[0] < 0 || w[1] < 0 || w[2] < 0 || std::fabs(w[0] + w[1] + w[2] - 1) > kSumSlack)
    throw InputError(
        fmt::format("the weights of the model's {} step must be 0 or more and sum to 1", step.method));
  return make_rows_map(Scale::logit, [t, scaled = w[0], plain = w[1], uniform = w[2] / classes](
                                         std::span<const double> in, int width, std::span<double> z) {
    Members m;
    m.fill(in, width, t);
    for (std::int64_t i = 0; i < std::ssize(z); ++i)
      z[i] = scaled * m.scaled[i] + plain * m.plain[i] + uniform;
  });
}

void onnx_ets(OnnxFlow& flow, const Step& step) {
  const auto w = parameter(step, "w", {3});
  const std::string u = flow.logits();
  const std::string scaled = flow.softmax(flow.op("Div", u, scalar_parameter(step, "T"))),
                    plain = flow.softmax(u);
  flow.give_probabilities(flow.op("Add",
                                  flow.op("Add", flow.op("Mul", scaled, w[0]), flow.op("Mul", plain, w[1])),
                                  w[2] / flow.classes()));
}

}  // namespace

constinit const CalibratorRow kEts{
    "ets",
    Tasks::any,
    Complexity::few,
    {"prior_votes"},
    fit_ets,
    map_ets,
    onnx_ets,
    "a mixture of the temperature-scaled, the original and the uniform prediction",
    3};

}  // namespace plumb::detail
