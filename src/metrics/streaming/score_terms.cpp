// Each item's share of the proper scores.
#include <algorithm>
#include <array>

#include "data/shared/block_kernels.hpp"
#include "plumb/metrics/streaming/proper_scores.hpp"
#include "plumb/numeric/elementary.hpp"

namespace plumb {
namespace {

double clipped_inside(double p, double clip) { return std::min(std::max(p, clip), 1.0 - clip); }

/// Each class that has votes of an item, in the order of the block:
/// the item, how many votes, and the class's probability.
struct Voted {
  std::vector<std::uint32_t> item;  ///< empty: entry i is the only vote of item i
  std::vector<double> count;        ///< empty likewise
  std::vector<double> p;
  [[nodiscard]] std::size_t item_of(std::size_t v) const { return item.empty() ? v : item[v]; }
  [[nodiscard]] double count_of(std::size_t v) const { return count.empty() ? 1.0 : count[v]; }
};

Voted voted_classes(const ItemBlock& block) {
  const VoteBlock& votes = block.votes;
  const double* z = block.z.z.data();
  const std::size_t width = block.z.width;
  Voted out;
  out.p.resize(votes.single ? block.size : std::ssize(votes.cls));
  if (!votes.single) {
    out.item.resize(out.p.size());
    out.count.assign(votes.count.begin(), votes.count.end());
    for (std::int64_t i = 0; i < block.size; ++i)
      for (std::uint32_t v = votes.offset[i]; v < votes.offset[i + 1]; ++v) out.item[v] = i;
  }
  if (width > 1) {
    for (std::size_t v = 0; v < out.p.size(); ++v) out.p[v] = z[out.item_of(v) * width + votes.cls[v]];
  } else {
    // Binary blocks hold P(class 1) alone. Two products, instead of a branch that is often mispredicted.
    for (std::size_t v = 0; v < out.p.size(); ++v) {
      const double p = z[out.item_of(v)], y = votes.cls[v];
      out.p[v] = y * p + (1.0 - y) * (1.0 - p);
    }
  }
  return out;
}

/// Sum of squares in eight interleaved lanes, folded in one order: the compiler may use any vectors for it.
double square_sum(const double* z, std::size_t n) {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> lane{};
  std::size_t j = 0;
  for (; j + kLanes <= n; j += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l) lane[l] += z[j + l] * z[j + l];
  for (std::size_t l = 0; j + l < n; ++l) lane[l] += z[j + l] * z[j + l];
  for (std::size_t half = kLanes / 2; half > 0; half /= 2)
    for (std::size_t l = 0; l < half; ++l) lane[l] += lane[l + half];
  return lane[0];
}

void hit_terms(const ItemBlock& block, const Voted& voted, const TiesRule& rule, ScoreTerms& out) {
  const std::size_t size = block.size;
  std::vector<std::uint32_t> top(size);
  if (block.z.width == 1) {
    for (std::size_t i = 0; i < size; ++i) top[i] = block.z.z[i] > 0.5;
  } else {
    std::vector<double> largest(size);
    detail::row_tops(block.z.z.data(), block.size, block.z.width, largest.data(), top.data());
  }
  if (block.votes.single) {
    out.votes.assign(size, 1.0);
    for (std::size_t i = 0; i < size; ++i) out.correct[i] = block.votes.cls[i] == top[i];
    out.agree = out.correct;
    return;
  }
  std::vector<std::uint32_t> classes;
  for (std::size_t i = 0; i < size; ++i) {
    out.votes[i] = block.votes.votes(i);
    block.votes.majority_classes(i, classes);
    const double share = majority_share(classes, top[i], rule, block.begin + i);
    out.correct[i] = std::max(share, 0.0);
    out.shared = out.shared || (share > 0 && share < 1);
    if (share >= 0 || classes.empty()) continue;
    if (out.decided.empty()) out.decided.assign(size, 1.0);
    out.decided[i] = 0;
  }
  for (std::size_t v = 0; v < voted.p.size(); ++v) {
    const std::size_t i = voted.item_of(v);
    out.agree[i] += block.votes.cls[v] == top[i] ? voted.count_of(v) : 0.0;
  }
}

/// Overwrites the probabilities with their logarithms.
void log_terms(Voted voted, double clip, ScoreTerms& out) {
  for (std::size_t v = 0; v < voted.p.size(); ++v) {
    double& p = voted.p[v];
    if (p == 0) out.zero[voted.item_of(v)] += voted.count_of(v);
    if (clip > 0) {
      const double inside = clipped_inside(p, clip);
      if (inside != p) out.clipped[voted.item_of(v)] += voted.count_of(v);
      p = inside;
    } else if (p == 0) {
      p = 1.0;  // votes on 0 are counted, not summed
    }
  }
  log_block(voted.p, voted.p);
  for (std::size_t v = 0; v < voted.p.size(); ++v)
    out.nll[voted.item_of(v)] -= voted.count_of(v) * voted.p[v];
}

void brier_terms(const ItemBlock& block, const Voted& voted, ScoreTerms& out) {
  const std::size_t width = block.z.width;
  std::vector<double> squares(width > 1 ? block.size : 0);
  for (std::size_t i = 0; i < squares.size(); ++i)
    squares[i] = square_sum(block.z.z.data() + i * width, width);
  for (std::size_t v = 0; v < voted.p.size(); ++v) {
    const std::size_t i = voted.item_of(v);
    const double p = voted.p[v], missing = 1.0 - p;
    // Binary: (p - y)^2 of class 1 alone. Otherwise the squares of all other classes, plus that of the
    // voted one.
    const double others = width > 1 ? squares[i] - p * p : 0.0;
    out.brier[i] += voted.count_of(v) * (others + missing * missing);
  }
}

/// Against the true probability q (Liu 2022, section 3): (p - q)^2 and KL(p, q) = p log(p / q) + (1 - p)
/// log((1 - p) / (1 - q)).
void truth_terms(const ItemBlock& block, double clip, ScoreTerms& out) {
  const std::size_t size = block.size;
  std::vector<double> p(size), q(size), logs(4 * size);
  for (std::size_t i = 0; i < size; ++i) {
    p[i] = block.z.z[i];
    q[i] = block.truth[i];
    out.mse_p[i] = (p[i] - q[i]) * (p[i] - q[i]);
    out.kl_bad[i] = (q[i] == 0 || q[i] == 1) && p[i] != q[i] ? 1.0 : 0.0;
    if (clip > 0) {
      p[i] = clipped_inside(p[i], clip);
      q[i] = clipped_inside(q[i], clip);
    }
    const std::array<double, 4> arguments{p[i], q[i], 1.0 - p[i], 1.0 - q[i]};
    std::copy(arguments.begin(), arguments.end(), logs.begin() + 4 * i);
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
  const std::size_t size = block.size;
  for (auto* column : {&out.votes, &out.correct, &out.agree, &out.nll, &out.brier, &out.zero, &out.clipped})
    column->assign(size, 0.0);
  for (auto* column : {&out.mse_p, &out.kl_p, &out.kl_bad})
    column->assign(block.truth.empty() ? 0 : size, 0.0);
  out.weight = block.weight;
  Voted voted = voted_classes(block);
  out.decided.clear();
  out.shared = false;
  hit_terms(block, voted, options.ties, out);
  brier_terms(block, voted, out);
  log_terms(std::move(voted), options.clip, out);
  if (!block.truth.empty()) truth_terms(block, options.clip, out);
}

}  // namespace plumb
