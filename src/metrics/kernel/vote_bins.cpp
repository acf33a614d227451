#include "metrics/kernel/vote_bins.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <tuple>

#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

constexpr std::int64_t kBinBlock = 1 << 16;

bool at_end(double p) { return p <= 0.0 || p >= 1.0; }

// Single votes of weight one: misses and hits by bin, and at 0 and 1.
struct SingleCounts {
  std::vector<std::array<std::int64_t, 2>> inside = std::vector<std::array<std::int64_t, 2>>(kVoteBins);
  std::array<std::array<std::int64_t, 2>, 2> end{};
};

VoteBins from_single(const SingleCounts& counts) {
  VoteBins out{std::vector<double>(kVoteBins), std::vector<double>(kVoteBins), {}, 0, 0, 0};
  for (std::size_t c = 0; c < kVoteBins; ++c) {
    const auto [misses, hits] = counts.inside[c];
    out.w[c] = misses + hits;
    out.wy[c] = hits;
    if (misses > 0) out.kind.push_back({c, 1, 0, 1, 1.0 * misses});
    if (hits > 0) out.kind.push_back({c, 1, 1, 1, 1.0 * hits});
  }
  for (const bool upper : {false, true}) {
    const std::size_t c = upper ? kVoteBins - 1 : 0;
    out.w[c] += counts.end[upper][0] + counts.end[upper][1];
    out.wy[c] += counts.end[upper][1];
  }
  for (std::size_t c = 0; c < kVoteBins; ++c) out.weight += out.w[c], out.hits += out.wy[c];
  out.votes = out.weight;
  return out;
}

VoteBins count_single(const ForecastsView& f, int threads) {
  return from_single(parallel_reduce_blocks(
      std::ssize(f), kBinBlock, threads, SingleCounts{},
      [&](SingleCounts& s, std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const double p = f.p[i];
          auto& at = at_end(p) ? s.end[p > 0.5] : s.inside[vote_bin(p)];
          ++at[f.hits[i] != 0.0];
        }
      },
      [](SingleCounts& into, const SingleCounts& from) {
        const auto add = [](auto& a, const auto& b) { a[0] += b[0], a[1] += b[1]; };
        for (std::size_t c = 0; c < kVoteBins; ++c) add(into.inside[c], from.inside[c]);
        for (std::size_t e = 0; e < 2; ++e) add(into.end[e], from.end[e]);
      }));
}

// A kind while it is counted; items at 0 and 1 are kinds of their own.
struct CountedKind {
  std::size_t bin;
  bool end;
  double trials, hits;
  ExactSum weight;  // of one vote, over the items
  std::int64_t items;
  [[nodiscard]] auto key() const { return std::tuple(bin, end, trials, hits); }
};
using CountedKinds = std::vector<CountedKind>;

// Equal neighbours become one.
void join_equal(CountedKinds& kinds) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kept > 0 && kinds[kept - 1].key() == kinds[i].key()) {
      kinds[kept - 1].weight.merge(kinds[i].weight);
      kinds[kept - 1].items += kinds[i].items;
    } else {
      kinds[kept++] = kinds[i];
    }
  }
  kinds.resize(kept);
}

bool by_key(const CountedKind& a, const CountedKind& b) { return a.key() < b.key(); }

void merge_kinds(CountedKinds& into, const CountedKinds& from) {
  const auto middle = std::ssize(into);
  into.insert(into.end(), from.begin(), from.end());
  std::inplace_merge(into.begin(), into.begin() + middle, into.end(), by_key);
  join_equal(into);
}

CountedKinds count_kinds(const ForecastsView& f, int threads) {
  return parallel_reduce_blocks(
      std::ssize(f), kBinBlock, threads, CountedKinds{},
      [&](CountedKinds& s, std::int64_t begin, std::int64_t end) {
        CountedKinds block;
        for (std::int64_t i = begin; i < end; ++i) {
          const double w = f.weight_of(i), n = f.trials_of(i);
          if (!(w * n > 0.0)) continue;
          block.push_back({vote_bin(f.p[i]), at_end(f.p[i]), n, f.hits[i], ExactSum(w), 1});
        }
        std::sort(block.begin(), block.end(), by_key);
        join_equal(block);
        merge_kinds(s, block);
      },
      merge_kinds);
}

}  // namespace

std::size_t vote_bin(double p) {
  const bool upper = p > 0.5;
  const double r = std::max(0.0, upper ? 1.0 - p : p);
  const std::size_t c =
      std::min(static_cast<std::size_t>(std::sqrt(r) * kVoteBinsPerRoot), kVoteBinsPerSide - 1);
  return upper ? kVoteBins - 1 - c : c;
}

VoteBins vote_bins(const ForecastsView& f, int threads) {
  if (f.trials.empty() && f.weight.empty() && f.times.empty() && f.whole_counts)
    return count_single(f, threads);
  VoteBins out{std::vector<double>(kVoteBins), std::vector<double>(kVoteBins), {}, 0, 0, 0};
  for (const CountedKind& k : count_kinds(f, threads)) {
    const double weight = k.weight.value(), items = k.items;
    out.w[k.bin] += weight * k.trials;
    out.wy[k.bin] += weight * k.hits;
    out.votes += items * k.trials;
    if (!k.end) out.kind.push_back({k.bin, k.trials, k.hits, weight / items, items});
  }
  for (std::size_t c = 0; c < kVoteBins; ++c) out.weight += out.w[c], out.hits += out.wy[c];
  return out;
}

}  // namespace plumb::detail
