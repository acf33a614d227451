#include "plumb/metrics/raters/rater_table.hpp"

#include <algorithm>

#include "metrics/shared/merge_members.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb {
namespace {

int model_class(const ItemBlock& block, std::int64_t i) {
  if (block.binary()) return block.z.z[i] > 0.5 ? 1 : 0;
  return argmax(std::span<const double>(block.z.z).subspan(i * block.classes, block.classes));
}

/// The class with most votes once one vote for `own` is taken away; ties: lowest class.
int majority_of_others(const std::vector<std::uint32_t>& counts, int own) {
  int best = -1;
  std::uint32_t most = 0;
  for (int k = 0; k < std::ssize(counts); ++k) {
    const std::uint32_t c = counts[k] - (k == own ? 1 : 0);
    if (c > most) {
      most = c;
      best = k;
    }
  }
  return best;
}

}  // namespace

void update(RaterTable& t, const ItemBlock& block, std::span<const std::int32_t> ratings) {
  const std::size_t raters = t.rater.size();
  std::vector<std::uint32_t> counts(block.classes);
  for (std::int64_t i = 0; i < block.size; ++i) {
    const double w = block.weight.empty() ? 1 : block.weight[i];
    if (!(w > 0)) continue;
    const std::span<const std::int32_t> row = ratings.subspan(i * raters, raters);
    std::fill(counts.begin(), counts.end(), 0);
    std::uint32_t n = 0;
    for (const std::int32_t c : row)
      if (c >= 0) ++counts[c], ++n;
    const int model = model_class(block, i);
    for (std::size_t r = 0; r < raters; ++r) {
      if (row[r] < 0) continue;
      RaterSums& s = t.rater[r];
      const bool with_model = row[r] == model;
      const std::uint32_t others = n - 1, agree = counts[row[r]] - 1;
      const bool with_most = others > 0 && majority_of_others(counts, row[r]) == row[r];
      s.items += 1;
      s.shared += others > 0;
      s.pairs += others;
      s.pairs_agree += agree;
      s.majority_agree += with_most;
      s.model_agree += with_model;
      if (block.weight.empty()) continue;
      s.w_items.add(w);
      s.w_pairs.add(w * others);
      s.w_pairs_agree.add(w * agree);
      if (others > 0) s.w_shared.add(w);
      if (with_most) s.w_majority_agree.add(w);
      if (with_model) s.w_model_agree.add(w);
    }
  }
}

void merge(RaterTable& into, const RaterTable& from) {
  if (into.rater.empty()) into.rater.resize(from.rater.size());
  using S = RaterSums;
  for (std::size_t r = 0; r < from.rater.size(); ++r)
    detail::merge_members(into.rater[r], from.rater[r], &S::items, &S::shared, &S::pairs, &S::pairs_agree,
                          &S::majority_agree, &S::model_agree, &S::w_items, &S::w_pairs, &S::w_pairs_agree,
                          &S::w_shared, &S::w_majority_agree, &S::w_model_agree);
}

std::vector<RaterRow> rater_rows(const RaterTable& t) {
  std::vector<RaterRow> out;
  for (const RaterSums& s : t.rater) {
    // Without weights the exact sums stay empty and the counts tell the shares.
    const auto share = [](std::uint64_t part, std::uint64_t whole, const ExactSum& w_part,
                          const ExactSum& w_whole) -> std::optional<double> {
      if (whole == 0) return std::nullopt;
      if (!w_whole.is_zero()) return w_part.value() / w_whole.value();
      return 1.0 * part / whole;
    };
    RaterRow& r = out.emplace_back(RaterRow{std::ssize(out),
                                            s.items,
                                            s.shared,
                                            s.pairs,
                                            s.pairs_agree,
                                            s.majority_agree,
                                            s.model_agree,
                                            {},
                                            {},
                                            {}});
    r.others = share(s.pairs_agree, s.pairs, s.w_pairs_agree, s.w_pairs);
    r.majority = share(s.majority_agree, s.shared, s.w_majority_agree, s.w_shared);
    r.model = share(s.model_agree, s.items, s.w_model_agree, s.w_items);
  }
  return out;
}

RaterTable rater_table(const Items& items, int threads) {
  if (items.votes.kind() != Votes::Kind::ratings)
    throw InputError("a table of raters needs the rater of each vote: give ⟦ratings⟧");
  struct Worker {
    RaterTable table;
    ItemBlock block;
    std::vector<std::int32_t> ratings;
  };
  RaterTable total;
  total.rater.resize(items.votes.raters());
  std::vector<Worker> workers(resolve_threads(threads), Worker{total, {}, {}});
  const auto read = [&](int worker, std::int64_t begin, std::int64_t end) {
    Worker& w = workers[worker];
    read_items(items, begin, end, w.block);
    items.votes.read_ratings(begin, end, w.ratings);
    update(w.table, w.block, w.ratings);
  };
  parallel_blocks(items.size(), block_rows(items), threads, read);
  for (const Worker& w : workers) merge(total, w.table);
  return total;
}

}  // namespace plumb
