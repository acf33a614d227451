// Fewer votes per item, drawn without replacement.
#include <algorithm>

#include "plumb/evaluate/stability.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb {
namespace {

/// Takes `keep` of the votes in `pool` (one entry per vote) to its front: Fisher-Yates from the item's
/// own stream.
void choose(std::vector<std::uint32_t>& pool, std::size_t keep, std::uint64_t seed, std::uint32_t repeat,
            std::int64_t row) {
  for (std::size_t j = 0; j < keep && j + 1 < pool.size(); ++j) {
    // 2^20 draws per item are set apart; more votes than that on one item would share numbers with the
    // next row
    const std::uint64_t unit = (static_cast<std::uint64_t>(row) << 20) + j;
    const double u = random_uniform(seed, Purpose::sample, repeat, unit);
    const auto at = j + static_cast<std::size_t>(u * static_cast<double>(pool.size() - j));
    std::swap(pool[j], pool[at]);
  }
}

}  // namespace

Items draw_votes(const Items& items, int votes, std::uint64_t seed, std::uint32_t repeat, int threads) {
  const auto n = static_cast<std::size_t>(items.size());
  const auto classes = static_cast<std::size_t>(items.classes());
  const auto want = static_cast<std::size_t>(votes);
  // Ratings of `votes` imaginary raters, -1 where the item has no more votes: sparse in the
  // number of classes.
  std::vector<std::int64_t> drawn(n * want, -1);
  parallel_blocks(items.size(), 4096, threads, [&](int, std::int64_t begin, std::int64_t end) {
    VoteBlock block;
    std::vector<std::uint32_t> pool;
    items.votes.read(begin, end, block);
    for (std::int64_t i = 0; i < block.size; ++i) {
      pool.clear();
      if (block.single) {
        pool.push_back(block.cls[static_cast<std::size_t>(i)]);
      } else {
        for (std::uint32_t e = block.offset[static_cast<std::size_t>(i)];
             e < block.offset[static_cast<std::size_t>(i) + 1]; ++e)
          pool.insert(pool.end(), block.count[e], block.cls[e]);
      }
      const std::size_t keep = std::min(want, pool.size());
      choose(pool, keep, seed, repeat, begin + i);
      for (std::size_t j = 0; j < keep; ++j) drawn[static_cast<std::size_t>(begin + i) * want + j] = pool[j];
    }
  });
  Items out = items;
  out.votes =
      Votes::from_ratings(Rows(array_of(std::move(drawn), {items.size(), static_cast<std::int64_t>(votes)},
                                        items.votes.rows().name())),
                          static_cast<int>(classes));
  return out;
}

}  // namespace plumb
