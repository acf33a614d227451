// Confident errors: the items most likely to be mislabelled or ambiguous (Finlay 2022, section 7.2).
#include <algorithm>

#include "uncertainty/score_column.hpp"

namespace plumb::detail {

std::vector<Suspect> find_suspects(const Items& items, const Outcomes& outcomes,
                                   std::span<const double> values, const Names& ids, int count) {
  std::vector<std::uint32_t> wrong;
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    if (outcomes.wrong[i] != 0) wrong.push_back(i);
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    if (values[a] != values[b]) return values[a] < values[b];
    if (ids.empty()) return a < b;
    const auto x = ids.code(outcomes.row_of(a)), y = ids.code(outcomes.row_of(b));  // in natural order
    return x != y ? x < y : a < b;
  };
  const std::int64_t kept = std::min<std::int64_t>(std::ssize(wrong), count);
  std::partial_sort(wrong.begin(), wrong.begin() + kept, wrong.end(), before);
  wrong.resize(kept);
  std::vector<Suspect> out;
  ItemBlock block;
  for (const std::uint32_t i : wrong) {
    Suspect s;
    s.row = outcomes.row_of(i);
    read_items(items, s.row, s.row + 1, block);
    double p = 0;
    std::uint32_t label = 0;
    top_labels(block.z, 0, {&p, 1}, {&label, 1});
    s.prediction = label;
    s.label = block.votes.single ? block.votes.cls[0] : block.votes.majority(0);
    s.agreement = outcomes.hits[i] / (outcomes.trials.empty() ? 1.0 : outcomes.trials[i]);
    s.score = values[i];
    out.push_back(s);
  }
  return out;
}

}  // namespace plumb::detail
