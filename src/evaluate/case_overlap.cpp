#include "evaluate/case_overlap.hpp"

#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

void add_overlap_rows(OverlapSums& sums, const Items& items, std::int64_t begin, std::int64_t end) {
  PredictionBlock z;
  std::vector<std::int32_t> votes;
  const std::int64_t n = end - begin;
  std::vector<double> top(n);
  std::vector<std::uint32_t> label(n);
  items.predictions.read(begin, end, z);
  items.votes.read_ratings(begin, end, votes);
  top_labels(z, 0, top, label);
  const auto raters = std::ssize(sums.raters);
  for (std::int64_t i = 0; i < n; ++i) {
    const double p = z.width == 1 ? z.z[i] : 1 - z.z[i * z.width];
    const bool model = label[i] > 0;
    sums.predicted += model ? 1 : 0;
    sums.expected.add(p);
    for (std::int64_t r = 0; r < raters; ++r) {
      const std::int32_t v = votes[i * raters + r];
      if (v < 0) continue;
      RaterOverlapSums& s = sums.raters[r];
      s.rater += v > 0 ? 1 : 0;
      s.model += model ? 1 : 0;
      s.both += model && v > 0 ? 1 : 0;
      s.p.add(p);
      if (v > 0) s.p_in.add(p);
    }
  }
}

std::optional<double> dice_of(double both, double a, double b) {
  return a + b > 0 ? std::optional<double>(2 * both / (a + b)) : std::nullopt;
}

}  // namespace

void merge(OverlapSums& into, const OverlapSums& from) {
  into.predicted += from.predicted;
  into.expected.merge(from.expected);
  for (std::size_t r = 0; r < into.raters.size(); ++r) {
    RaterOverlapSums& to = into.raters[r];
    const RaterOverlapSums& s = from.raters[r];
    to.rater += s.rater;
    to.model += s.model;
    to.both += s.both;
    to.p.merge(s.p);
    to.p_in.merge(s.p_in);
  }
}

OverlapSums overlap_sums(const Items& items, int threads) {
  OverlapSums none;
  none.raters.resize(items.votes.raters());
  return parallel_reduce_blocks(
      items.size(), block_rows(items), threads, none,
      [&](OverlapSums& s, std::int64_t begin, std::int64_t end) { add_overlap_rows(s, items, begin, end); },
      merge);
}

CaseOverlap finish(const OverlapSums& sums) {
  CaseOverlap out;
  out.predicted = static_cast<double>(sums.predicted);
  out.expected = sums.expected.value();
  for (const RaterOverlapSums& s : sums.raters) {
    const auto rater = static_cast<double>(s.rater);
    out.raters.push_back({rater, dice_of(static_cast<double>(s.both), static_cast<double>(s.model), rater),
                          dice_of(s.p_in.value(), s.p.value(), rater)});
  }
  return out;
}

}  // namespace plumb::detail
