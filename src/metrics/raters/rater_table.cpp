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

/// The votes of one item, class by class, and those of one rater taken away from them.
class Ballot {
 public:
  explicit Ballot(int classes) : counts_(classes) {}

  void set(std::span<const std::uint32_t> cls) {
    std::fill(counts_.begin(), counts_.end(), 0);
    for (const std::uint32_t k : cls) ++counts_[k];
  }
  void take(std::span<const std::uint32_t> own) {
    for (const std::uint32_t k : own) --counts_[k];
  }
  void give_back(std::span<const std::uint32_t> own) {
    for (const std::uint32_t k : own) ++counts_[k];
  }
  [[nodiscard]] std::uint32_t count(std::uint32_t cls) const { return counts_[cls]; }
  /// Ties: lowest class.
  [[nodiscard]] std::uint32_t majority() const {
    return std::max_element(counts_.begin(), counts_.end()) - counts_.begin();
  }

 private:
  std::vector<std::uint32_t> counts_;
};

}  // namespace

void update(RaterTable& t, const ItemBlock& block, const Judgements& judgements) {
  Ballot ballot(block.classes);
  for (std::int64_t i = 0; i < block.size; ++i) {
    const double w = block.weight.empty() ? 1 : block.weight[i];
    if (!(w > 0)) continue;
    const std::int64_t first = judgements.offset[i], n = judgements.offset[i + 1] - first;
    const auto who = std::span(judgements.rater).subspan(first, n);
    const auto cls = std::span(judgements.cls).subspan(first, n);
    ballot.set(cls);
    const auto model = static_cast<std::uint32_t>(model_class(block, i));
    for (std::int64_t begin = 0, end = 0; begin < n; begin = end) {
      while (end < n && who[end] == who[begin]) ++end;
      const auto own = cls.subspan(begin, end - begin);
      ballot.take(own);
      const auto others = static_cast<std::uint32_t>(n - std::ssize(own));
      const std::uint32_t most = ballot.majority();
      RaterSums& s = t.rater[who[begin]];
      for (const std::uint32_t k : own) {
        const bool with_model = k == model, with_most = others > 0 && most == k;
        const std::uint32_t agree = ballot.count(k);
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
      ballot.give_back(own);
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
    const auto share = [](std::uint64_t part, std::uint64_t total, const ExactSum& w_part,
                          const ExactSum& w_whole) -> std::optional<double> {
      if (total == 0) return std::nullopt;
      if (!w_whole.is_zero()) return w_part.value() / w_whole.value();
      return 1.0 * part / total;
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
  if (items.votes.raters() == 0)
    throw InputError("a table of raters needs the rater of each vote: give ⟦ratings⟧ or ⟦annotations⟧");
  struct Worker {
    RaterTable table;
    ItemBlock block;
    Judgements judgements;
  };
  RaterTable total;
  total.rater.resize(items.votes.raters());
  std::vector<Worker> workers(resolve_threads(threads), Worker{total, {}, {}});
  const auto read = [&](int worker, std::int64_t begin, std::int64_t end) {
    Worker& w = workers[worker];
    read_items(items, begin, end, w.block);
    items.votes.read_judgements(begin, end, w.judgements);
    update(w.table, w.block, w.judgements);
  };
  parallel_blocks(items.size(), block_rows(items), threads, read);
  for (const Worker& w : workers) merge(total, w.table);
  return total;
}

}  // namespace plumb
