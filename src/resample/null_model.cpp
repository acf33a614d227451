#include "plumb/resample/null_model.hpp"

#include <algorithm>

#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/parallel.hpp"
#include "resample/many_votes.hpp"

namespace plumb {
namespace {

/// The derivative of the log-likelihood of one item's votes in d = 1/(1 + s), where
/// L = prod_k prod_{j < y_k} ((1 - d) z_k + j d) / prod_{j < n} ((1 - d) + j d).
double slope_of_item(const ItemBlock& block, std::int64_t i, double d) {
  const VoteBlock& v = block.votes;
  // The sum of (j - z) / ((1 - d) z + j d) over j = 1, ..., n - 1. With a = (1 - d) z a term is
  // (1 - z / (a + j d)) / d.
  const auto many = [d](double z, std::uint32_t n) {
    return ((n - 1.0) - z / d * detail::reciprocal_sum((1 - d) / d * z, n - 1)) / d;
  };
  const std::uint32_t n = v.votes(i);
  double slope = 0;
  for (std::uint32_t e = v.offset[i]; e < v.offset[i + 1]; ++e) {
    const double z = !block.binary() ? block.z.z[i * block.z.width + v.cls[e]]
                     : v.cls[e] == 1 ? block.z.z[i]
                                     : 1 - block.z.z[i];
    if (v.count[e] > detail::kOneByOne) {
      slope += many(z, v.count[e]);
    } else {
      for (std::uint32_t j = 1; j < v.count[e]; ++j) slope += (j - z) / ((1 - d) * z + j * d);
    }
  }
  if (n > detail::kOneByOne) {
    slope -= many(1, n);
  } else {
    for (std::uint32_t j = 1; j < n; ++j) slope -= (j - 1.0) / ((1 - d) + j * d);
  }
  const double kinds = v.offset[i + 1] - v.offset[i];
  return slope - (kinds - 1) / (1 - d);
}

/// Over all items; the sum does not depend on their order.
double slope_at(const Items& items, double d, int threads) {
  return parallel_reduce_blocks(
             items.size(), block_rows(items), threads, ExactSum{},
             [&](ExactSum& sum, std::int64_t begin, std::int64_t end) {
               thread_local ItemBlock block;
               read_items(items, begin, end, block);
               if (block.votes.single) return;
               for (std::int64_t i = 0; i < block.size; ++i)
                 if (block.votes.votes(i) > 1 && (block.weight.empty() || block.weight[i] > 0))
                   sum.add(slope_of_item(block, i, d));
             },
             [](ExactSum& into, const ExactSum& from) { into.merge(from); })
      .value();
}

}  // namespace

double fit_vote_correlation(const Items& items, int threads) {
  // At 0 and 1 some terms are undefined; values close to them are used.
  constexpr double kLeast = 1e-6, kMost = 1 - 1e-6, kWidth = 1e-5;
  double low = kLeast, high = kMost;
  double at_low = slope_at(items, low, threads), at_high = slope_at(items, high, threads);
  if (at_low <= 0) return 0;
  if (at_high >= 0) return kMost;
  // The slope falls through 0 once. Regula falsi with the weight of an end that stays halved (Illinois), and
  // halves in between, since near the ends the slope is steep.
  for (int step = 0; high - low > kWidth && step < 60; ++step) {
    double mid = step % 3 == 2 ? 0.5 * (low + high) : (low * at_high - high * at_low) / (at_high - at_low);
    mid = std::clamp(mid, low + 0.1 * kWidth, high - 0.1 * kWidth);
    const double at_mid = slope_at(items, mid, threads);
    if (at_mid > 0) {
      low = mid, at_low = at_mid, at_high *= 0.5;
    } else {
      high = mid, at_high = at_mid, at_low *= 0.5;
    }
  }
  return 0.5 * (low + high);
}

std::string NullModel::name() const {
  if (kind == NullKind::signs)
    return grouped ? "residuals of each group with a random sign"
                   : "residuals of each item with a random sign";
  const std::string votes = several
                                ? "votes drawn from a Dirichlet-multinomial model with the forecasts as means"
                                : "labels drawn from the forecasts";
  return grouped ? votes + ", items of a group tied by a Gaussian copula" : votes;
}

}  // namespace plumb
