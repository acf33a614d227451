#include "calibrate/fit_data.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/kernels.hpp"
#include "plumb/calibrate/scores.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/memory.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

constexpr std::int64_t kShareBlock = 4096;

/// Votes of the items that count, in the order of rows; their row numbers are returned.
std::vector<std::int64_t> read_shares(const Items& items, const Tally& tally, FitData& data) {
  std::vector<std::int64_t> rows;
  rows.reserve(tally.items);
  data.offset.push_back(0);
  Ballots ballots;
  for (std::int64_t begin = 0; begin < std::ssize(items); begin += kShareBlock) {
    const std::int64_t end = std::min(items.size(), begin + kShareBlock);
    read_ballots(items, begin, end, ballots);
    for (std::int64_t i = 0; i < end - begin; ++i) {
      const double mass = ballots.mass(i);
      if (mass == 0) continue;
      rows.push_back(begin + i);
      data.mass.push_back(mass / tally.mass);
      ballots.for_each(i, [&](std::uint32_t k, double share) {
        data.cls.push_back(k);
        data.share.push_back(share / tally.mass);
      });
      data.offset.push_back(data.cls.size());
    }
  }
  return rows;
}

// Room for an entry of every class.
void spread_entries(FitData& data, std::int64_t classes, const Prior& prior) {
  FitData dense;
  dense.cls.resize(data.size * classes);
  dense.share.assign(data.size * classes, 0.0);
  for (std::int64_t i = 0; i < data.size; ++i) {
    for (std::int64_t k = 0; k < classes; ++k) dense.cls[i * classes + k] = k;
    for (std::int64_t e = data.offset[i]; e < data.offset[i + 1]; ++e)
      dense.share[i * classes + data.cls[e]] += data.share[e];
  }
  data.cls.swap(dense.cls);
  data.share.swap(dense.share);
  for (std::int64_t i = 0; i < data.size; ++i) {
    data.offset[i + 1] = (i + 1) * classes;
    data.mass[i] += data.mass[i] * prior.per_vote();
  }
}

// The pseudo-votes of one item with scores u; `mass` includes them.
void add_pseudo_votes(std::span<const double> u, double mass, const Prior& prior, std::vector<double>& z,
                      std::span<double> share) {
  const double classes = share.size(), more = mass * prior.per_vote() / (1 + prior.per_vote());
  z.resize(u.size());
  probabilities_of(u, u.size(), z);
  for (std::size_t k = 0; k < share.size(); ++k) {
    const double p = u.size() > 1 ? z[k] : k == 1 ? z[0] : 1 - z[0];
    share[k] += more * prior.share(p, classes);
  }
}

}  // namespace

std::int64_t log_probabilities(std::span<const double> u, int width, double temperature,
                               std::span<double> out) {
  const double floor = log_portable(kScoreClip);
  const std::int64_t k = width;
  std::int64_t clipped = 0;
  for (std::int64_t i = 0; i < std::ssize(u); i += k) {
    const std::span<double> row = out.subspan(i, k);
    for (std::int64_t j = 0; j < k; ++j) row[j] = u[i + j] / temperature;
    const double total = log_sum_exp(row);
    for (double& x : row) {
      x -= total;
      clipped += x < floor ? 1 : 0;
      x = std::max(x, floor);
    }
  }
  return clipped;
}

std::int64_t log_probability_pairs(std::span<const double> u, double temperature, std::span<double> out) {
  const double floor = log_portable(kScoreClip);
  std::int64_t clipped = 0;
  for (std::int64_t i = 0; i < std::ssize(u); ++i) {
    const double x = u[i] / temperature;
    const double soft = log_portable(1.0 + exp_portable(-std::fabs(x)));
    const double pair[2] = {-std::max(x, 0.0) - soft, std::min(x, 0.0) - soft};
    for (std::int64_t k = 0; k < 2; ++k) {
      clipped += pair[k] < floor ? 1 : 0;
      out[2 * i + k] = std::max(pair[k], floor);
    }
  }
  return clipped;
}

FitData load_fit_data(const Items& items, const Tally& tally, ScoreKind kind, double temperature,
                      const FitOptions& options) {
  FitData data;
  const Prior prior = prior_of(options, tally);
  const std::vector<std::int64_t> rows = read_shares(items, tally, data);
  const bool pairs = kind == ScoreKind::log_probabilities && items.binary();
  data.size = rows.size();
  data.width = pairs ? 2 : items.predictions.width();
  data.stride = data.width == 1 ? 1 : padded(data.width);
  resize_large(data.u, rows.size() * data.stride);
  if (prior.any()) spread_entries(data, items.classes(), prior);
  struct State {
    ScoreBlock scores;
    std::vector<double> logs, z;
    std::int64_t clipped = 0;
  };
  const State all = parallel_reduce_blocks(
      items.size(), block_rows(items), options.threads, State{},
      [&](State& s, std::int64_t begin, std::int64_t end) {
        read_scores(items.predictions, begin, end, s.scores);
        s.clipped += s.scores.clipped;
        std::span<const double> from = s.scores.u;
        if (kind == ScoreKind::log_probabilities) {
          s.logs.resize((end - begin) * data.width);
          const std::int64_t clipped = pairs ? log_probability_pairs(from, temperature, s.logs)
                                             : log_probabilities(from, data.width, temperature, s.logs);
          // Probabilities that were clipped before are not counted twice.
          if (items.predictions.scale() == Scale::logit) s.clipped += clipped;
          from = s.logs;
        }
        const std::int64_t width = data.width;
        auto at = std::lower_bound(rows.begin(), rows.end(), begin);
        for (; at != rows.end() && *at < end; ++at) {
          const auto source = from.subspan((*at - begin) * width, width);
          const std::int64_t i = at - rows.begin();
          std::copy(source.begin(), source.end(), data.u.begin() + i * data.stride);
          if (!prior.any()) continue;
          const std::int64_t raw = s.scores.width, classes = items.classes();
          add_pseudo_votes(std::span<const double>(s.scores.u).subspan((*at - begin) * raw, raw),
                           data.mass[i], prior, s.z, std::span(data.share).subspan(i * classes, classes));
        }
      },
      [](State& into, const State& from) { into.clipped += from.clipped; });
  data.clipped = all.clipped;
  return data;
}

}  // namespace plumb::detail
