#include "evaluate/sample_size.hpp"

#include <algorithm>

#include "plumb/numeric/exact_sum.hpp"

namespace plumb::detail {

SampleSize sample_size(const Items& items) {
  SampleSize out;
  out.grouped = !items.groups.empty();
  out.weighted = !items.weights.empty();
  std::vector<ExactSum> by_group(out.grouped ? items.groups.distinct().size() : 0);
  ExactSum sum, squares;
  const auto count = [&](double weight) {
    if (!(weight > 0)) return;
    ++out.units;
    sum.add(weight);
    squares.add(weight * weight);
  };
  VoteBlock votes;
  std::vector<double> weight;
  constexpr std::int64_t kStep = 4096;
  for (std::int64_t begin = 0; begin < items.size(); begin += kStep) {
    const std::int64_t end = std::min(items.size(), begin + kStep);
    items.votes.read(begin, end, votes);
    weight.assign(end - begin, 1.0);
    if (out.weighted) items.weights.read(begin, end, weight);
    for (std::int64_t i = 0; i < end - begin; ++i) {
      const std::uint32_t n = votes.votes(i);
      out.several_votes = out.several_votes || n > 1;
      if (out.grouped) {
        by_group[items.groups.code(begin + i)].add(weight[i] * n);
      } else {
        count(weight[i] * n);
      }
    }
  }
  for (const ExactSum& g : by_group) count(g.value());
  if (out.units > 0) out.effective = sum.value() * sum.value() / squares.value();
  return out;
}

}  // namespace plumb::detail
