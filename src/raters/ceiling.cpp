#include "plumb/raters/ceiling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "plumb/data/check.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/special.hpp"
#include "plumb/resample/interval.hpp"

namespace plumb {
namespace {

constexpr int kScores = 3;  // agreement, brier, rps
constexpr const char* kScoreKeys[kScores] = {"agreement", "brier", "rps"};

using ItemScores = std::array<double, kScores>;

/// Mean over the votes (shares by class) of the scores of a forecast.
ItemScores score_forecast(std::span<const double> z, std::span<const double> share) {
  const std::size_t k = z.size(), top = std::max_element(z.begin(), z.end()) - z.begin();
  double squares = 0, inner = 0, rps = 0, below = 0, below_votes = 0;
  for (std::size_t c = 0; c < k; ++c) {
    squares += z[c] * z[c];
    inner += z[c] * share[c];
    below += z[c];
    below_votes += share[c];
    // Mean over votes of (F - [vote <= c])^2.
    if (c + 1 < k) rps += below * below - 2 * below * below_votes + below_votes;
  }
  return {share[top], squares - 2 * inner + 1, rps / std::max<double>(1, k - 1.0)};
}

/// Sums over the items of one rater.
struct CeilingSums {
  std::int64_t items = 0;
  std::array<ExactSum, kScores> rater, model;
  std::map<std::uint32_t, std::pair<double, std::array<double, kScores>>>
      units;  // items, sums of differences
};

CeilingRow finish_row(int rater, const CeilingSums& s, bool ordered, bool grouped, double level) {
  CeilingRow out{rater, s.items, {}};
  const double n = static_cast<double>(s.items), units = static_cast<double>(s.units.size());
  for (int j = 0; j < (ordered ? kScores : kScores - 1) && s.items > 0; ++j) {
    CeilingScore score{kScoreKeys[j], s.rater[j].value() / n, s.model[j].value() / n, {}, {}};
    if (s.units.size() > 1) {
      ExactSum squares;
      for (const auto& [unit, sums] : s.units) {
        const double residual = sums.second[j] - score.difference() * sums.first;
        squares.add(residual * residual);
      }
      const double z = normal_quantile((1 + level) / 2);
      const double half = z * std::sqrt(squares.value() * units / (units - 1)) / n *
                          (grouped ? student_factor(z, units - 1) : 1);
      score.low = score.difference() - half;
      score.high = score.difference() + half;
    }
    out.scores.push_back(std::move(score));
  }
  return out;
}

double middle_of(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  const std::size_t n = x.size();
  return n % 2 == 1 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

}  // namespace

std::vector<CeilingSummary> summarise_ceiling(const std::vector<CeilingRow>& rows) {
  std::vector<CeilingSummary> out;
  std::vector<std::vector<double>> raters, model;
  for (const CeilingRow& row : rows)
    for (std::size_t j = 0; j < row.scores.size(); ++j) {
      const CeilingScore& s = row.scores[j];
      if (out.size() <= j) {
        out.push_back({.key = s.key, .best_rater = s.rater, .best = row.rater});
        raters.emplace_back();
        model.emplace_back();
      }
      CeilingSummary& sum = out[j];
      const double sign = s.key == "agreement" ? 1 : -1;  // of brier and rps lower is better
      ++sum.raters;
      sum.farther += sign * s.difference() > 0 ? 1 : 0;
      if (s.low && s.high) {
        sum.surely_farther += (sign > 0 ? *s.low > 0 : *s.high < 0) ? 1 : 0;
        sum.surely_nearer += (sign > 0 ? *s.high < 0 : *s.low > 0) ? 1 : 0;
      }
      if (sign * s.rater > sign * sum.best_rater) {
        sum.best_rater = s.rater;
        sum.best = row.rater;
      }
      raters[j].push_back(s.rater);
      model[j].push_back(s.model);
    }
  for (std::size_t j = 0; j < out.size(); ++j) {
    out[j].median_rater = middle_of(raters[j]);
    out[j].median_model = middle_of(model[j]);
  }
  return out;
}

std::vector<CeilingRow> human_ceiling(const Items& items, bool ordered, double level) {
  check_items(items);
  check_level(level);
  const int raters = items.votes.raters(), classes = items.classes();
  if (raters < 2)
    throw InputError("raters are compared with each other; give the votes of two or more known raters");
  std::vector<CeilingSums> sums(raters);
  std::vector<double> z(classes), label(classes), share(classes);
  PredictionBlock p;
  Judgements votes;
  std::map<std::uint32_t, std::uint32_t> own;
  for (std::int64_t i = 0; i < items.size(); ++i) {
    items.votes.read_judgements(i, i + 1, votes);
    own.clear();
    for (std::size_t v = 0; v < votes.cls.size(); ++v) own[votes.rater[v]] = votes.cls[v];
    if (own.size() < 2) continue;
    items.predictions.read(i, i + 1, p);
    if (p.width == 1) p.z = {1 - p.z[0], p.z[0]};
    const std::uint32_t unit = items.groups.empty() ? static_cast<std::uint32_t>(i) : items.groups.code(i);
    for (const auto& [rater, cls] : own) {
      std::fill(share.begin(), share.end(), 0.0);
      for (const auto& [other, vote] : own)
        if (other != rater) share[vote] += 1.0 / (own.size() - 1.0);
      std::fill(label.begin(), label.end(), 0.0);
      label[cls] = 1;
      const ItemScores human = score_forecast(label, share), model = score_forecast(p.z, share);
      CeilingSums& s = sums[rater];
      s.items += 1;
      auto& at = s.units[unit];
      at.first += 1;
      for (int j = 0; j < kScores; ++j) {
        s.rater[j].add(human[j]);
        s.model[j].add(model[j]);
        at.second[j] += model[j] - human[j];
      }
    }
  }
  std::vector<CeilingRow> out;
  for (int r = 0; r < raters; ++r)
    out.push_back(finish_row(r, sums[r], ordered, !items.groups.empty(), level));
  return out;
}

}  // namespace plumb
