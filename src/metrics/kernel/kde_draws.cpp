#include "plumb/metrics/kernel/kde_draws.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "metrics/kernel/beta_layout.hpp"
#include "metrics/kernel/kde_gaps.hpp"

namespace plumb {
namespace {

using detail::direct_sums;
using detail::Gaps;
using detail::KdeEnds;
using detail::Series;

// Votes of a chunk and of a box until its integers are emptied: see box_moments.cpp.
constexpr std::uint32_t kBoxVotes = 1u << 11, kChunkVotes = 1u << 10;
constexpr std::size_t kBlockOfDraws = 512;

/// Moments of the hits, by box and draw.
class HitMoments {
 public:
  HitMoments(std::size_t boxes, std::size_t draws)
      : draws_(draws), narrow_(boxes * draws * kMoments), spent_(boxes) {}

  /// hits: by item, then draw. Votes of the chunk are at most kChunkVotes together.
  void add(std::span<const std::uint32_t> box, std::span<const double> t,
           std::span<const std::uint32_t> votes, const std::uint32_t* hits) {
    for (std::size_t i = 0; i < box.size(); ++i) {
      if (spent_[box[i]] + votes[i] > kBoxVotes) flush(box[i]);
      spent_[box[i]] += votes[i];
    }
    detail::add_hits(box.data(), t.data(), hits, box.size(), draws_, narrow_.data());
  }
  /// A term that is not a whole multiple of 2^-50.
  void add_real(std::uint32_t box, std::size_t draw, const Series& value, double hits) {
    if (real_.empty()) real_.resize(narrow_.size());
    for (std::size_t k = 0; k < kMoments; ++k) real_[at(box, draw) + k].add(hits * value[k]);
  }
  /// As doubles, rounded once.
  std::vector<Series> finish() {
    if (!wide_.empty())
      for (std::size_t b = 0; b < spent_.size(); ++b) flush(b);
    std::vector<Series> out(narrow_.size() / kMoments);
    for (std::size_t i = 0; i < narrow_.size(); ++i) {
      const int128 whole = wide_.empty() ? int128{narrow_[i]} : wide_[i];
      double& to = out[i / kMoments][i % kMoments];
      if (real_.empty()) {
        to = static_cast<double>(whole) * (1.0 / kFixedOne);
      } else {
        real_[i].add_scaled(whole, -kFractionBits);
        to = real_[i].value();
      }
    }
    return out;
  }

 private:
  [[nodiscard]] std::size_t at(std::size_t box, std::size_t draw) const {
    return (box * draws_ + draw) * kMoments;
  }
  void flush(std::size_t box) {
    if (wide_.empty()) wide_.resize(narrow_.size());
    for (std::size_t i = at(box, 0); i < at(box + 1, 0); ++i) {
      wide_[i] += narrow_[i];
      narrow_[i] = 0;
    }
    spent_[box] = 0;
  }
  std::size_t draws_;
  std::vector<std::int64_t> narrow_;
  std::vector<int128> wide_;    // empty as long as no box overflowed
  std::vector<ExactSum> real_;  // empty without such terms
  std::vector<std::uint32_t> spent_;
};

}  // namespace

struct KdeDraws::Made {
  ForecastsView f;
  const BetaPlan* plan;
  LeaveOut leave_out;
  BetaSums sums;  // its hits mean nothing
  BetaValues values;
  std::vector<std::uint32_t> box, row;   // of each forecast as a source and as a target
  std::vector<double> t, t_target, all;  // its places there; G of all votes
  std::vector<std::uint32_t> at_zero, above_zero, at_one, below_one;

  [[nodiscard]] BetaSums sums_of(const ForecastsView& column, int threads) const {
    return beta_sums(pass_over(column, threads), plan->boxes());
  }
  [[nodiscard]] std::vector<Series> moments(std::span<const std::span<const double>> hits) const;
  [[nodiscard]] KdeEnds ends(std::span<const double> hits) const;
};

/// The sums of MomentBuilder::update, for the hits of all draws at once.
std::vector<Series> KdeDraws::Made::moments(std::span<const std::span<const double>> hits) const {
  const std::size_t draws = hits.size();
  HitMoments out(sums.moments.boxes(), draws);
  std::array<std::uint32_t, kBlockOfDraws> where, votes;
  std::array<double, kBlockOfDraws> at;
  std::array<std::uint32_t, kBlockOfDraws * kTogether> counts;
  std::size_t n = 0;
  std::uint32_t sum = 0;
  const auto empty = [&] {
    out.add({where.data(), n}, {at.data(), n}, {votes.data(), n}, counts.data());
    n = sum = 0;
  };
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double w = f.weight_of(i), mass = w * f.trials_of(i);
    if (!(mass > 0.0)) continue;
    if (!detail::is_narrow(f, w, mass)) {
      Series value = detail::chebyshev(t[i]);
      for (double& v : value) v = from_fixed(to_fixed(v));
      for (std::size_t d = 0; d < draws; ++d)
        if (hits[d][i] != 0.0) out.add_real(box[i], d, value, w * hits[d][i]);
      continue;
    }
    const auto mine = static_cast<std::uint32_t>(mass);
    if (n == kBlockOfDraws || sum + mine > kChunkVotes) empty();
    where[n] = box[i];
    votes[n] = mine;
    at[n] = t[i];
    for (std::size_t d = 0; d < draws; ++d)
      counts[n * draws + d] = static_cast<std::uint32_t>(w * hits[d][i]);
    sum += mine;
    ++n;
  }
  empty();
  return out.finish();
}

KdeEnds KdeDraws::Made::ends(std::span<const double> hits) const {
  KdeEnds out(sums);
  const auto set = [&](VotesAt& to, const std::vector<std::uint32_t>& rows) {
    to.wy = {};
    for (const std::uint32_t i : rows) to.wy.add(f.weight_of(i) * hits[i]);
  };
  set(out.at_zero, at_zero), set(out.above_zero, above_zero);
  set(out.at_one, at_one), set(out.below_one, below_one);
  return out;
}

KdeDraws::KdeDraws(const ForecastsView& f, const BetaPlan& plan, LeaveOut leave_out, int threads) {
  auto made = std::make_unique<Made>();
  made->f = f;
  made->plan = &plan;
  made->leave_out = leave_out;
  made->sums = made->sums_of(f, threads);
  if (!made->sums.weight().is_zero()) {
    made->values = plan.values(made->sums, threads);
    const auto layout = detail::shared_layout(plan.boxes());
    const std::size_t n = f.size();
    made->box.resize(n), made->t.resize(n), made->row.resize(n), made->t_target.resize(n);
    layout->locate_sources(f.p, made->box, made->t);
    BetaEvaluator evaluator(made->values);
    evaluator.evaluate(f.p);
    made->all.assign(evaluator.all().begin(), evaluator.all().end());
    layout->locate_targets(f.p, made->row, made->t_target);
    for (std::uint32_t& r : made->row) r = made->values.row[r];
    for (std::size_t i = 0; i < n; ++i) {
      if (!(f.weight_of(i) * f.trials_of(i) > 0.0)) continue;
      const auto at = static_cast<std::uint32_t>(i);
      const double p = f.p[i];
      if (p == 0.0) made->at_zero.push_back(at);
      if (p == 1.0) made->at_one.push_back(at);
      if (p == made->sums.above_zero.p) made->above_zero.push_back(at);
      if (p == made->sums.below_one.p) made->below_one.push_back(at);
    }
  }
  made_ = std::move(made);
}
KdeDraws::~KdeDraws() = default;
KdeDraws::KdeDraws(KdeDraws&&) noexcept = default;

void KdeDraws::errors(std::span<const std::span<const double>> hits, std::span<KdeErrors> out) const {
  const Made& m = *made_;
  const std::size_t draws = hits.size();
  for (KdeErrors& e : out)
    e = {Estimate::undefined(kNoVotes), Estimate::undefined(kNoVotes), m.plan->bandwidth(), 0};
  if (m.sums.weight().is_zero()) return;
  const std::vector<double> series = m.plan->series_of_hits(m.sums, m.values, m.moments(hits), draws);
  std::vector<KdeEnds> ends;
  for (const auto& h : hits) ends.push_back(m.ends(h));
  std::vector<Gaps> gaps;
  for (std::size_t d = 0; d < draws; ++d) gaps.emplace_back(ends[d], m.plan->accuracy(), m.leave_out);
  std::array<double, kBlockOfDraws> error;
  std::array<double, kBlockOfDraws * kTogether> sum;
  for (std::size_t begin = 0; begin < m.f.size(); begin += kBlockOfDraws) {
    const std::size_t n = std::min(kBlockOfDraws, m.f.size() - begin);
    detail::evaluate_draws(m.row.data() + begin, m.t_target.data() + begin, series.data(), n, draws,
                           sum.data(), kBlockOfDraws);
    for (std::size_t i = 0; i < n; ++i) error[i] = m.values.error[m.row[begin + i]];
    for (std::size_t d = 0; d < draws; ++d) {
      ForecastsView f = m.f;
      f.hits = hits[d];
      gaps[d].update(f.slice(begin, n), std::span(m.all).subspan(begin, n),
                     {sum.data() + d * kBlockOfDraws, n}, {error.data(), n});
    }
  }
  for (std::size_t d = 0; d < draws; ++d) {
    const std::vector<double> isolated = gaps[d].isolated_p();
    if (!isolated.empty()) {
      ForecastsView f = m.f;
      f.hits = hits[d];
      gaps[d].add_isolated(direct_sums(pass_over(f, 1), isolated, m.plan->bandwidth()));
    }
    out[d] = gaps[d].finish();
    out[d].bandwidth = m.plan->bandwidth();
    out[d].direct = std::ssize(isolated);
  }
}

}  // namespace plumb
