#include "plumb/raters/coefficients.hpp"

#include <cmath>

#include "plumb/numeric/exact_sum.hpp"

namespace plumb {
namespace {

constexpr int kPairBits = 60;  // a pair of votes of an item with n weighs 2^60/(n - 1), rounded down

double between(const std::vector<double>& total, int c, int k, Distance distance) {
  if (c == k) return 0;
  if (distance == Distance::nominal) return 1;
  double d = k - c;
  if (distance == Distance::ordinal) {
    d = -(total[c] + total[k]) / 2;
    for (int g = std::min(c, k); g <= std::max(c, k); ++g) d += total[g];
  }
  return d * d;
}

}  // namespace

const char* distance_name(Distance distance) {
  return distance == Distance::nominal ? "nominal" : distance == Distance::ordinal ? "ordinal" : "interval";
}

Coincidences::Coincidences(const Judgements& votes, int classes, std::span<const std::uint32_t> times)
    : classes_(classes), pairs_(std::int64_t{classes} * classes), total_(classes) {
  std::vector<int128> fixed(pairs_.size());
  std::vector<std::int64_t> count(classes), total(classes);
  std::vector<std::uint32_t> used;
  for (std::int64_t i = 0; i + 1 < std::ssize(votes.offset); ++i) {
    const std::int64_t first = votes.offset[i], last = votes.offset[i + 1], n = last - first;
    const std::int64_t t = times.empty() ? 1 : times[i];
    if (n < 2 || t == 0) continue;
    used.clear();
    for (std::int64_t j = first; j < last; ++j)
      if (count[votes.cls[j]]++ == 0) used.push_back(votes.cls[j]);
    const std::int64_t unit = (std::int64_t{1} << kPairBits) / (n - 1);
    for (const std::uint32_t c : used) {
      total[c] += t * count[c];
      for (const std::uint32_t k : used)
        fixed[std::int64_t{c} * classes + k] += int128{unit} * (t * count[c] * (count[k] - (c == k ? 1 : 0)));
    }
    for (const std::uint32_t c : used) count[c] = 0;
  }
  for (std::size_t j = 0; j < fixed.size(); ++j) pairs_[j] = std::ldexp(static_cast<double>(fixed[j]), -60);
  for (int c = 0; c < classes; ++c) {
    total_[c] = total[c];
    votes_ += total_[c];
  }
}

std::optional<double> Coincidences::alpha(Distance distance) const {
  double observed = 0, expected = 0;
  for (int c = 0; c < classes_; ++c)
    for (int k = 0; k < classes_; ++k) {
      const double d = between(total_, c, k, distance);
      observed += pairs_[std::int64_t{c} * classes_ + k] * d;
      expected += total_[c] * total_[k] * d;
    }
  if (!(expected > 0)) return std::nullopt;
  return 1 - (votes_ - 1) * observed / expected;
}

std::optional<double> cohen_kappa(std::span<const std::uint64_t> counts, int classes, bool ordered) {
  std::vector<double> of_a(classes), of_b(classes);
  double n = 0;
  for (int c = 0; c < classes; ++c)
    for (int k = 0; k < classes; ++k) {
      const double x = counts[std::int64_t{c} * classes + k];
      of_a[c] += x;
      of_b[k] += x;
      n += x;
    }
  double observed = 0, expected = 0;
  for (int c = 0; c < classes; ++c)
    for (int k = 0; k < classes; ++k) {
      const double d = c == k ? 0 : ordered ? 1.0 * (c - k) * (c - k) : 1;
      observed += d * counts[std::int64_t{c} * classes + k];
      expected += d * of_a[c] * of_b[k];
    }
  if (!(expected > 0)) return std::nullopt;
  return 1 - n * observed / expected;
}

PairCounts::PairCounts(const Judgements& votes, int classes, int raters, std::span<const std::uint32_t> times)
    : classes_(classes), raters_(raters), counts_(raters_ * raters_ * classes_ * classes_) {
  for (std::int64_t i = 0; i + 1 < std::ssize(votes.offset); ++i) {
    const std::uint32_t t = times.empty() ? 1 : times[i];
    for (std::int64_t a = votes.offset[i]; a < votes.offset[i + 1]; ++a)
      for (std::int64_t b = a + 1; b < votes.offset[i + 1]; ++b) {
        if (votes.rater[a] == votes.rater[b]) continue;
        const std::int64_t pair = std::int64_t{votes.rater[a]} * raters_ + votes.rater[b];
        counts_[(pair * classes_ + votes.cls[a]) * classes_ + votes.cls[b]] += t;
      }
  }
}

std::span<const std::uint64_t> PairCounts::counts(int a, int b) const {
  const std::int64_t cells = classes_ * classes_;
  return {counts_.data() + (a * raters_ + b) * cells, static_cast<std::size_t>(cells)};
}

}  // namespace plumb
