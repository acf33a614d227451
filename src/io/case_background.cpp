#include "io/case_background.hpp"

#include <algorithm>

#include "plumb/data/check.hpp"
#include "plumb/data/nothing_left.hpp"

namespace plumb::detail {
namespace {

constexpr std::int64_t kRatedBlock = 1 << 16;

std::vector<std::int64_t> rated_structures(const Items& items) {
  std::vector<std::int64_t> out;
  std::vector<std::int32_t> votes;
  const int raters = items.votes.raters();
  for (std::int64_t begin = 0; begin < items.size(); begin += kRatedBlock) {
    const std::int64_t end = std::min(items.size(), begin + kRatedBlock);
    items.votes.read_ratings(begin, end, votes);
    for (std::int64_t i = begin; i < end; ++i) {
      const auto own = std::span(votes).subspan((i - begin) * raters, raters);
      if (std::any_of(own.begin(), own.end(), [](std::int32_t v) { return v > 0; })) out.push_back(i);
    }
  }
  return out;
}

/// p_k / (1 - p_0) for k > 0; whether there was anything to divide.
bool share_out(std::span<const double> p, std::span<double> out) {
  double sum = 0;
  for (const double x : p.subspan(1)) sum += x;
  for (std::size_t k = 0; k < out.size(); ++k)
    out[k] = sum > 0 ? p[k + 1] / sum : 1.0 / static_cast<double>(out.size());
  return sum > 0;
}

Array structure_shares(const Items& items, std::int64_t& even) {
  const std::int64_t structures = items.classes() - 1;
  std::vector<double> out(items.size() * structures);
  PredictionBlock z;
  for (std::int64_t begin = 0; begin < items.size(); begin += kRatedBlock) {
    const std::int64_t end = std::min(items.size(), begin + kRatedBlock);
    items.predictions.read(begin, end, z);
    for (std::int64_t i = begin; i < end; ++i)
      even += share_out(std::span(z.z).subspan((i - begin) * z.width, z.width),
                        std::span(out).subspan(i * structures, structures))
                  ? 0
                  : 1;
  }
  return array_of(std::move(out), {items.size(), structures}, items.predictions.sources().front().name());
}

Array structure_ratings(const Items& items) {
  std::vector<std::int32_t> votes, out;
  out.reserve(items.size() * items.votes.raters());
  for (std::int64_t begin = 0; begin < items.size(); begin += kRatedBlock) {
    items.votes.read_ratings(begin, std::min(items.size(), begin + kRatedBlock), votes);
    for (const std::int32_t v : votes) out.push_back(v > 0 ? v - 1 : -1);
  }
  return array_of(std::move(out), {items.size(), items.votes.raters()}, items.votes.rows().name());
}

}  // namespace

Items without_background(const Items& items, std::int64_t& even, std::vector<std::int64_t>& rows) {
  if (items.binary())
    throw InputError(
        "⟦exclude_background⟧ needs two structures or more besides the background, and there is one; leave the option out (metrics of two classes are about the foreground already), or use ⟦predicted⟧");
  rows = rated_structures(items);
  if (rows.empty())
    throw NothingLeft(
        "no voxel is left: ⟦exclude_background⟧ leaves out the first class, and no rater chose another");
  const Items kept = items.gather(rows);
  Items out;
  out.predictions = Predictions({Rows(structure_shares(kept, even))}, Scale::probability);
  out.votes = Votes::from_ratings(Rows(structure_ratings(kept)), items.classes() - 1);
  if (!items.class_names.empty())
    out.class_names.assign(items.class_names.begin() + 1, items.class_names.end());
  return out;
}

}  // namespace plumb::detail
