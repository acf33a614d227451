#include "evaluate/case_patterns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "evaluate/stream.hpp"
#include "metrics/shared/vote_patterns.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

constexpr int kMostPatternRaters = 6;
constexpr std::uint8_t kUnrated = 255;  // some rater did not rate the voxel
constexpr int kMostLadders = 256;       // at a time: half a megabyte each

/// Bit r: rater r voted for class 1.
PatternVotes votes_of(std::size_t pattern, int raters) {
  return {static_cast<std::uint32_t>(raters), static_cast<std::uint32_t>(std::popcount(pattern))};
}

/// The patterns of a block of voxels, where they lie if each rater's column lies in one piece.
class PatternReader {
 public:
  explicit PatternReader(const Votes& votes) : votes_(votes) {
    const std::vector<Array>& shards = votes.rows().shards();
    if (shards.size() == 1 && shards[0].dtype == DType::i8 && shards[0].strides[0] == 1) whole_ = &shards[0];
  }
  void read(std::int64_t begin, std::int64_t end, std::vector<std::uint8_t>& out) {
    const int raters = votes_.raters();
    out.assign(end - begin, 0);
    if (whole_ == nullptr) votes_.read_ratings(begin, end, copy_);
    // Through pointers of its own: a byte that is written may be any object, also the vector.
    std::uint8_t* const to = out.data();
    const std::int64_t n = end - begin;
    for (int r = 0; r < raters; ++r) {
      // Bytes without branches, for the compiler's vectors: all bits are set where a vote is negative.
      const auto add = [to, n, r](auto&& vote) {
        for (std::int64_t i = 0; i < n; ++i) {
          const auto v = static_cast<std::int8_t>(vote(i));
          to[i] |= static_cast<std::uint8_t>(v >> 7) | static_cast<std::uint8_t>(v << r);
        }
      };
      if (whole_ == nullptr) {
        add([&](std::int64_t i) { return std::max(copy_[i * raters + r], -1); });
      } else {
        const auto* const plane = reinterpret_cast<const std::int8_t*>(whole_->data) +
                                  r * (raters > 1 ? whole_->strides[1] : 0) + begin;
        add([plane](std::int64_t i) { return plane[i]; });
      }
    }
  }

 private:
  const Votes& votes_;
  const Array* whole_ = nullptr;
  std::vector<std::int32_t> copy_;
};

struct PatternWorker {
  std::vector<PatternBuilder> builders;  ///< by pattern
  std::vector<double> p;                 ///< of the block, room for all of it for each pattern
  std::vector<std::int64_t> count;       ///< of each pattern in the block
  std::vector<std::int64_t> unrated, tied;
  PredictionBlock z;
  std::vector<std::uint8_t> pattern;
  std::vector<std::optional<Ladder>> ladders;  ///< by pattern, of misses; none where there are no voxels
  bool on_grid = false;                        ///< all of them

  void add_block(std::size_t k, std::span<const double> block) {
    builders[k].add(block);
    if (ladders.empty()) return;
    if (!ladders[k]) {
      ladders[k].emplace();
      if (on_grid) ladders[k]->to_grid();
    }
    ladders[k]->add(block, 1, 0);
    if (on_grid || ladders[k]->exact() || builders[k].votes().tied()) return;
    // Every sum of patterns counts this one (majorities may leave out ties): none of them is exact.
    on_grid = true;
    for (std::optional<Ladder>& ladder : ladders)
      if (ladder) ladder->to_grid();
  }
  void add(std::int64_t begin) {
    const std::uint8_t first = pattern[0];
    const bool same = std::memcmp(pattern.data(), pattern.data() + 1, pattern.size() - 1) == 0;
    if (same && first != kUnrated && !builders[first].votes().tied())
      return add_block(first, std::span(z.z).first(z.size));
    const auto n = static_cast<std::int64_t>(z.size);
    p.resize(builders.size() * n);
    count.assign(builders.size(), 0);
    const std::uint8_t* const own = pattern.data();
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint8_t k = own[i];
      if (k == kUnrated) {
        unrated.push_back(begin + i);
      } else {
        p[k * n + count[k]++] = z.z[i];
      }
    }
    for (std::size_t k = 0; k < builders.size(); ++k) {
      if (count[k] == 0) continue;
      add_block(k, std::span<const double>(p).subspan(k * n, count[k]));
      if (!builders[k].votes().tied()) continue;
      for (std::int64_t i = 0; i < n; ++i)
        if (own[i] == k) tied.push_back(begin + i);
    }
  }
};

struct PatternPass {
  std::vector<PatternSums> sums;  ///< by pattern
  std::vector<std::int64_t> unrated, tied;
  std::vector<std::optional<Ladder>> ladders;
};

PatternPass pattern_pass(const Items& items, const EvaluateOptions& o, const SplitExtras& extras) {
  const int raters = items.votes.raters();
  PatternWorker fresh;
  for (std::size_t k = 0; k < std::size_t{1} << raters; ++k)
    fresh.builders.emplace_back(votes_of(k, raters), o.bins, extras.logs);
  if (extras.ladders) fresh.ladders.resize(fresh.builders.size());
  int threads = resolve_threads(o.threads);
  if (extras.ladders) threads = std::clamp(kMostLadders >> raters, 1, threads);
  std::vector<PatternWorker> workers(threads, fresh);
  Progress silent({}, o.cancel);
  parallel_blocks(items.size(), block_rows(items), threads,
                  [&](int worker, std::int64_t begin, std::int64_t end) {
                    PatternWorker& w = workers[worker];
                    items.predictions.read(begin, end, w.z);
                    PatternReader(items.votes).read(begin, end, w.pattern);
                    w.add(begin);
                    silent.check();
                  });
  PatternPass out;
  out.ladders = std::move(workers[0].ladders);
  for (PatternBuilder& b : workers[0].builders) out.sums.push_back(b.finish());
  for (std::size_t i = 0; i < workers.size(); ++i) {
    PatternWorker& w = workers[i];
    if (i > 0) {
      for (std::size_t k = 0; k < out.sums.size(); ++k) out.sums[k].merge(w.builders[k].finish());
      for (std::size_t k = 0; k < out.ladders.size(); ++k) {
        if (!w.ladders[k]) continue;
        if (!out.ladders[k]) out.ladders[k].emplace();
        out.ladders[k]->merge(*w.ladders[k]);
      }
    }
    out.unrated.insert(out.unrated.end(), w.unrated.begin(), w.unrated.end());
    out.tied.insert(out.tied.end(), w.tied.begin(), w.tied.end());
  }
  std::sort(out.unrated.begin(), out.unrated.end());
  std::sort(out.tied.begin(), out.tied.end());
  return out;
}

/// Every product of a pattern whose voxels have these votes.
void add_pattern_sums(const PatternSums& from, const PatternVotes& votes, ProductSet products,
                      const TiesRule& ties, StreamSums& to) {
  if (products.has(Product::event_table)) add_items(from, 1, votes, to.event);
  for (std::size_t k = 0; k < to.by_class.size(); ++k) add_items(from, k, votes, to.by_class[k]);
  if (products.has(Product::proper_scores)) add_items(from, votes, ties, to.scores);
  if (products.has(Product::histogram)) add_items(from, votes, to.histogram);
  to.several_votes = to.several_votes || (from.items > 0 && votes.n > 1);
}

void add_pattern_overlap(const PatternSums& from, std::size_t pattern, OverlapSums& to) {
  to.predicted += from.predicted;
  to.expected.merge(from.p);
  for (std::size_t r = 0; r < to.raters.size(); ++r) {
    RaterOverlapSums& own = to.raters[r];
    own.model += from.predicted;
    own.p.merge(from.p);
    if ((pattern >> r & 1) == 0) continue;
    own.rater += from.items;
    own.both += from.predicted;
    own.p_in.merge(from.p);
  }
}

CaseLadders ladders_of(const std::vector<std::optional<Ladder>>& by_pattern, int raters, Ties ties) {
  const std::uint32_t unit = majority_unit(2, ties);
  CaseLadders out{Ladder(), Ladder(), std::vector<Ladder>(raters), {}};
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < by_pattern.size(); ++k)
    if (by_pattern[k]) order.push_back(k);
  // Those on the grid first: where one of them counts, the distinct forecasts of others need not be
  // looked up.
  std::stable_partition(order.begin(), order.end(), [&](std::size_t k) { return !by_pattern[k]->exact(); });
  for (const std::size_t k : order) {
    const Ladder& misses = *by_pattern[k];
    const PatternVotes votes = votes_of(k, raters);
    out.votes->add_as(misses, votes.n, votes.hits);
    if (!votes.tied()) {
      out.majority->add_as(misses, unit, 2 * votes.hits > votes.n ? unit : 0);
    } else if (ties != Ties::absent) {
      out.majority->add_as(misses, unit, ties == Ties::half ? unit / 2 : 0);
    }
    for (int r = 0; r < raters; ++r) out.raters[r].add_as(misses, 1, k >> r & 1);
  }
  return out;
}

}  // namespace

bool fits_patterns(const Items& items, const EvaluateOptions& o) {
  return items.binary() && items.votes.raters() <= kMostPatternRaters && o.clip == 0 &&
         o.ties != Ties::random;
}

SplitSums pattern_sums(const Items& items, ProductSet products, const EvaluateOptions& o,
                       const SplitExtras& extras) {
  const BinPlan plan = equal_width_plan(o.bins, items.classes());
  const int raters = items.votes.raters();
  PatternPass pass = pattern_pass(items, o, extras);
  const TiesRule ties{o.ties, o.seed};
  const ProductSet single = products.without(Product::histogram);
  SplitSums out;
  out.votes = out.consensus = StreamBuilder(plan, products).finish();
  out.raters.assign(raters, StreamBuilder(plan, single).finish());
  OverlapSums overlap;
  overlap.raters.resize(raters);
  for (std::size_t k = 0; k < pass.sums.size(); ++k) {
    const PatternSums& sums = pass.sums[k];
    if (sums.items == 0) continue;
    const PatternVotes votes = sums.votes;
    out.most_votes = votes.n;
    add_pattern_sums(sums, votes, products, ties, out.votes);
    if (votes.tied()) {
      out.tied += sums.items;
    } else {
      add_pattern_sums(sums, {1, 2 * votes.hits > votes.n ? 1u : 0u}, products, ties, out.consensus);
    }
    for (int r = 0; r < raters; ++r)
      add_pattern_sums(sums, {1, static_cast<std::uint32_t>(k >> r & 1)}, single, ties, out.raters[r]);
    add_pattern_overlap(sums, k, overlap);
  }
  if (!pass.tied.empty()) {
    Progress silent({}, o.cancel);
    const Consensus shared = consensus(items.gather(pass.tied), ties, o.threads);
    out.consensus.merge(stream_sums(shared.items, plan, products, o, silent));
  }
  if (extras.ladders) out.ladders = ladders_of(pass.ladders, raters, o.ties);
  if (!pass.unrated.empty()) {
    const Items rest = items.gather(pass.unrated);
    add_item_by_item(rest, plan, products, o, out);
    merge(overlap, overlap_sums(rest, o.threads));
    if (out.ladders)
      merge_into(*out.ladders, case_ladders(rest, {.votes = true, .single = true}, ties, o.threads));
  }
  out.overlap = finish(overlap);
  return out;
}

}  // namespace plumb::detail
