#include "plumb/metrics/raters/rater_pairs.hpp"

#include "metrics/shared/merge_members.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb {
namespace {

struct PairSums {
  std::uint64_t items = 0, agree = 0;
  ExactSum w_items, w_agree;  // only with weights
};

struct Worker {
  std::vector<PairSums> pairs;
  Judgements judgements;
  std::vector<double> weight;
};

}  // namespace

std::vector<RaterPair> rater_pairs(const Items& items, int threads) {
  if (items.votes.raters() == 0)
    throw InputError("pairs of raters need the rater of each vote: give ⟦ratings⟧ or ⟦annotations⟧");
  const std::int64_t raters = items.votes.raters();
  const bool weighted = !items.weights.empty();
  std::vector<Worker> workers(resolve_threads(threads));
  for (Worker& w : workers) w.pairs.resize(raters * raters);
  parallel_blocks(items.size(), block_rows(items), threads,
                  [&](int worker, std::int64_t begin, std::int64_t end) {
                    Worker& w = workers[worker];
                    items.votes.read_judgements(begin, end, w.judgements);
                    w.weight.resize(end - begin);
                    if (weighted) items.weights.read(begin, end, w.weight);
                    for (std::size_t i = 0; i < w.weight.size(); ++i) {
                      if (weighted && !(w.weight[i] > 0)) continue;
                      const Judgements& j = w.judgements;
                      for (std::int64_t a = j.offset[i]; a < j.offset[i + 1]; ++a)
                        for (std::int64_t b = a + 1; b < j.offset[i + 1]; ++b) {
                          if (j.rater[a] == j.rater[b]) continue;
                          PairSums& s = w.pairs[j.rater[a] * raters + j.rater[b]];
                          const bool agree = j.cls[a] == j.cls[b];
                          s.items += 1;
                          s.agree += agree;
                          if (!weighted) continue;
                          s.w_items.add(w.weight[i]);
                          if (agree) s.w_agree.add(w.weight[i]);
                        }
                    }
                  });
  std::vector<RaterPair> out;
  for (std::int64_t a = 0; a < raters; ++a)
    for (std::int64_t b = a + 1; b < raters; ++b) {
      PairSums total;
      for (const Worker& w : workers)
        detail::merge_members(total, w.pairs[a * raters + b], &PairSums::items, &PairSums::agree,
                              &PairSums::w_items, &PairSums::w_agree);
      RaterPair p{a, b, total.items, total.agree};
      if (p.items > 0)
        p.share = weighted ? total.w_agree.value() / total.w_items.value() : 1.0 * p.agree / p.items;
      out.push_back(p);
    }
  return out;
}

}  // namespace plumb
