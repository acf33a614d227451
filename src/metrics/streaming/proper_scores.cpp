#include "plumb/metrics/streaming/proper_scores.hpp"

#include <algorithm>
#include <array>

#include "data/block_kernels.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/elementary.hpp"

namespace plumb {
namespace {

/// One entry for each class that has votes of an item.
struct Vote {
  std::size_t item;
  std::size_t cls;
  double count;
};

template <class Body>
void for_each_vote(const VoteBlock& votes, Body body) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(votes.size); ++i) {
    if (votes.single) {
      body(Vote{i, votes.cls[i], 1.0});
      continue;
    }
    for (std::uint32_t v = votes.offset[i]; v < votes.offset[i + 1]; ++v)
      body(Vote{i, votes.cls[v], static_cast<double>(votes.count[v])});
  }
}

/// Probability of a class; binary blocks hold P(class 1) alone.
struct Probabilities {
  const double* z;
  std::size_t width;
  [[nodiscard]] double of(std::size_t item, std::size_t cls) const {
    if (width > 1) return z[item * width + cls];
    return cls == 1 ? z[item] : 1.0 - z[item];
  }
};

double clipped(double p, double clip) { return std::min(std::max(p, clip), 1.0 - clip); }

/// Sum of squares in eight interleaved lanes, folded in one order: the compiler may use any vectors for it.
double square_sum(const double* z, std::size_t n) {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> lane{};
  std::size_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) lane[l] += z[j + l] * z[j + l];
  }
  for (std::size_t l = 0; j + l < n; ++l) lane[l] += z[j + l] * z[j + l];
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) lane[l] += lane[l + half];
  }
  return lane[0];
}

void hit_terms(const ItemBlock& block, const Probabilities& z, ScoreTerms& out) {
  const auto size = static_cast<std::size_t>(block.size);
  std::vector<std::uint32_t> top(size);
  if (z.width == 1) {
    for (std::size_t i = 0; i < size; ++i) top[i] = z.z[i] > 0.5 ? 1 : 0;
  } else {
    std::vector<double> largest(size);
    detail::row_tops(z.z, block.size, static_cast<std::int64_t>(z.width), largest.data(), top.data());
  }
  for (std::size_t i = 0; i < size; ++i) {
    const auto row = static_cast<std::int64_t>(i);
    out.votes[i] = block.votes.votes(row);
    out.correct[i] = block.votes.majority(row) == static_cast<std::int64_t>(top[i]) ? 1.0 : 0.0;
  }
  for_each_vote(block.votes, [&](const Vote& v) {
    if (v.cls == top[v.item]) out.agree[v.item] = v.count;
  });
}

void log_terms(const ItemBlock& block, const Probabilities& z, double clip, ScoreTerms& out) {
  std::vector<double> logs;
  logs.reserve(block.votes.cls.size());
  for_each_vote(block.votes, [&](const Vote& v) {
    double p = z.of(v.item, v.cls);
    if (p == 0) out.zero[v.item] += v.count;
    if (clip > 0) {
      const double inside = clipped(p, clip);
      if (inside != p) out.clipped[v.item] += v.count;
      p = inside;
    }
    logs.push_back(p == 0 ? 1.0 : p);  // votes on 0 are counted, not summed
  });
  log_block(logs, logs);
  std::size_t next = 0;
  for_each_vote(block.votes, [&](const Vote& v) { out.nll[v.item] -= v.count * logs[next++]; });
}

void brier_terms(const ItemBlock& block, const Probabilities& z, ScoreTerms& out) {
  std::vector<double> squares(z.width > 1 ? static_cast<std::size_t>(block.size) : 0);
  for (std::size_t i = 0; i < squares.size(); ++i) squares[i] = square_sum(z.z + i * z.width, z.width);
  for_each_vote(block.votes, [&](const Vote& v) {
    const double p = z.of(v.item, v.cls);
    const double missing = 1.0 - p;
    // Binary: (p - y)^2 of class 1 alone. Else the squares of all other classes, plus that of the voted one.
    const double others = z.width > 1 ? squares[v.item] - p * p : 0.0;
    out.brier[v.item] += v.count * (others + missing * missing);
  });
}

/// Against the true probability q (Liu 2022, section 3): (p - q)^2 and KL(p, q) = p log(p / q) + (1 - p)
/// log((1 - p) / (1 - q)).
void truth_terms(const ItemBlock& block, double clip, ScoreTerms& out) {
  const auto size = static_cast<std::size_t>(block.size);
  std::vector<double> p(size), q(size), logs(4 * size);
  for (std::size_t i = 0; i < size; ++i) {
    p[i] = block.z.z[i];
    q[i] = block.truth[i];
    out.mse_p[i] = (p[i] - q[i]) * (p[i] - q[i]);
    out.kl_bad[i] = (q[i] == 0 || q[i] == 1) && p[i] != q[i] ? 1.0 : 0.0;
    if (clip > 0) {
      p[i] = clipped(p[i], clip);
      q[i] = clipped(q[i], clip);
    }
    const std::array<double, 4> arguments{p[i], q[i], 1.0 - p[i], 1.0 - q[i]};
    std::copy(arguments.begin(), arguments.end(), logs.begin() + static_cast<std::ptrdiff_t>(4 * i));
  }
  log_block(logs, logs);
  for (std::size_t i = 0; i < size; ++i) {
    if (out.kl_bad[i] != 0 && clip == 0) continue;
    const double* l = logs.data() + 4 * i;
    const double one = p[i] > 0 ? p[i] * (l[0] - l[1]) : 0.0;
    const double zero = p[i] < 1 ? (1.0 - p[i]) * (l[2] - l[3]) : 0.0;
    out.kl_p[i] = std::max(one + zero, 0.0);  // below 0 only by rounding
  }
}

}  // namespace

void score_terms(const ItemBlock& block, const ScoreOptions& options, ScoreTerms& out) {
  const auto size = static_cast<std::size_t>(block.size);
  const Probabilities z{block.z.z.data(), static_cast<std::size_t>(block.z.width)};
  for (auto* column : {&out.votes, &out.correct, &out.agree, &out.nll, &out.brier, &out.zero, &out.clipped})
    column->assign(size, 0.0);
  for (auto* column : {&out.mse_p, &out.kl_p, &out.kl_bad})
    column->assign(block.truth.empty() ? 0 : size, 0.0);
  out.weight = block.weight;
  hit_terms(block, z, out);
  log_terms(block, z, options.clip, out);
  brier_terms(block, z, out);
  if (!block.truth.empty()) truth_terms(block, options.clip, out);
}

void update(ProperScores& s, const ScoreTerms& t, std::span<const std::uint32_t> times) {
  const bool has_truth = !t.mse_p.empty();
  // Whole numbers with unit weights are counted; they enter the exact sums once a block.
  uint128 item_weight = 0, vote_weight = 0, correct = 0, agree = 0;
  for (std::size_t i = 0; i < t.votes.size(); ++i) {
    const std::uint32_t drawn = times.empty() ? 1 : times[i];
    if (drawn == 0) continue;
    const double n = t.votes[i];
    if (n == 0) {
      s.unvoted += 1;
      continue;
    }
    const double w = (t.weight.empty() ? 1.0 : t.weight[i]) * static_cast<double>(drawn);
    if (!(w > 0)) continue;
    s.items += 1;
    s.votes += static_cast<std::uint64_t>(n);
    s.zero += static_cast<std::uint64_t>(t.zero[i]);
    s.clipped += static_cast<std::uint64_t>(t.clipped[i]);
    if (t.weight.empty()) {
      item_weight += drawn;
      vote_weight += static_cast<uint128>(drawn) * static_cast<std::uint64_t>(n);
      correct += drawn * static_cast<std::uint64_t>(t.correct[i]);
      agree += static_cast<uint128>(drawn) * static_cast<std::uint64_t>(t.agree[i]);
    } else {
      s.item_weight.add(w);
      s.vote_weight.add(w * n);
      s.correct.add(w * t.correct[i]);
      s.agree.add(w * t.agree[i]);
    }
    s.nll.add(w * t.nll[i]);
    s.brier.add(w * t.brier[i]);
    if (!has_truth) continue;
    s.kl_bad += static_cast<std::uint64_t>(t.kl_bad[i]);
    s.truth_weight.add(w);
    s.mse_p.add(w * t.mse_p[i]);
    s.kl_p.add(w * t.kl_p[i]);
  }
  s.item_weight.add_scaled(static_cast<int128>(item_weight), 0);
  s.vote_weight.add_scaled(static_cast<int128>(vote_weight), 0);
  s.correct.add_scaled(static_cast<int128>(correct), 0);
  s.agree.add_scaled(static_cast<int128>(agree), 0);
}

void merge(ProperScores& into, const ProperScores& from) {
  into.items += from.items;
  into.unvoted += from.unvoted;
  into.votes += from.votes;
  into.zero += from.zero;
  into.clipped += from.clipped;
  into.kl_bad += from.kl_bad;
  into.item_weight.merge(from.item_weight);
  into.vote_weight.merge(from.vote_weight);
  into.correct.merge(from.correct);
  into.agree.merge(from.agree);
  into.nll.merge(from.nll);
  into.brier.merge(from.brier);
  into.truth_weight.merge(from.truth_weight);
  into.mse_p.merge(from.mse_p);
  into.kl_p.merge(from.kl_p);
}

void finish(const ProperScores& s, const ScoreOptions& options, bool has_truth, Scores& out) {
  const auto mean = [&s](const ExactSum& sum, const ExactSum& weight) {
    return s.items == 0 ? Estimate::undefined(std::string(kNoVotes)) : Estimate(sum.value() / weight.value());
  };
  const bool clips = options.clip > 0;
  out["accuracy"] = mean(s.correct, s.item_weight);
  out["agreement"] = mean(s.agree, s.vote_weight);
  out["brier"] = mean(s.brier, s.vote_weight);
  out["nll"] = mean(s.nll, s.vote_weight);
  if (s.zero > 0 && !clips) {
    out["nll"] = Estimate::undefined(counted(static_cast<std::int64_t>(s.zero), "vote") +
                                     (s.zero == 1 ? " falls" : " fall") +
                                     " on probability 0: give --clip 1e-12, or see which items");
  }
  if (!has_truth) return;
  out["mse_p"] = mean(s.mse_p, s.truth_weight);
  out["kl_p"] = mean(s.kl_p, s.truth_weight);
  if (s.kl_bad > 0 && !clips) {
    out["kl_p"] = Estimate::undefined(
        counted(static_cast<std::int64_t>(s.kl_bad), "item") + (s.kl_bad == 1 ? " has" : " have") +
        " a true probability of 0 or 1 and another forecast: give --clip 1e-12");
  }
}

}  // namespace plumb
