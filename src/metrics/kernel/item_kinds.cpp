#include "plumb/metrics/kernel/item_kinds.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "metrics/kernel/vote_bins.hpp"

namespace plumb {
namespace {

constexpr std::uint32_t kLastKind = detail::kVoteBins + 1;  // p = 1; the bins of 0 < p < 1 start at 1

std::uint32_t kind_bin(double p) {
  if (p <= 0) return 0;
  return p >= 1 ? kLastKind : static_cast<std::uint32_t>(1 + detail::vote_bin(p));
}

}  // namespace

void ItemKinds::add(double p, std::uint32_t votes, std::uint32_t hits) {
  if (votes > 0) ++items_[{kind_bin(p), votes, hits}];
}

void ItemKinds::add(std::span<const double> p, std::uint32_t votes, std::uint32_t hits) {
  if (votes == 0) return;
  count_.resize(kLastKind + 1);
  for (const double x : p) {
    const std::uint32_t bin = kind_bin(x);
    if (count_[bin]++ == 0) touched_.push_back(bin);
  }
  for (const std::uint32_t bin : touched_) {
    items_[{bin, votes, hits}] += count_[bin];
    count_[bin] = 0;
  }
  touched_.clear();
}

void ItemKinds::add(const ItemKind& k) {
  if (k.bin > kLastKind || k.votes == 0 || k.hits > k.votes || k.items == 0)
    throw std::invalid_argument("these are not items of a kind");
  items_[{k.bin, k.votes, k.hits}] += k.items;
}

void ItemKinds::merge(const ItemKinds& other) {
  for (const auto& [key, items] : other.items_) items_[key] += items;
}

void ItemKinds::add_as(const ItemKinds& misses, std::uint32_t votes, std::uint32_t hits) {
  for (const auto& [key, items] : misses.items_) {
    if (key.votes != 1 || key.hits != 0) throw std::invalid_argument("these items have other votes");
    items_[{key.bin, votes, hits}] += items;
  }
}

std::vector<ItemKind> ItemKinds::sorted() const {
  std::vector<ItemKind> out;
  for (const auto& [key, items] : items_) out.push_back({key.bin, key.votes, key.hits, items});
  const auto order = [](const ItemKind& k) { return std::tuple(k.bin, k.votes, k.hits); };
  std::sort(out.begin(), out.end(),
            [&](const ItemKind& a, const ItemKind& b) { return order(a) < order(b); });
  return out;
}

detail::VoteBins detail::vote_bins(const ItemKinds& kinds) {
  VoteBins out{std::vector<double>(kVoteBins), std::vector<double>(kVoteBins), {}, 0, 0, 0};
  for (const ItemKind& k : kinds.sorted()) {
    const bool end = k.bin == 0 || k.bin == kLastKind;
    const std::size_t bin = std::clamp<std::size_t>(k.bin, 1, kVoteBins) - 1;
    const double items = static_cast<double>(k.items);
    out.w[bin] += items * k.votes;
    out.wy[bin] += items * k.hits;
    out.votes += items * k.votes;
    if (!end) out.kind.push_back({bin, 1.0 * k.votes, 1.0 * k.hits, 1.0, items});
  }
  for (std::size_t c = 0; c < kVoteBins; ++c) out.weight += out.w[c], out.hits += out.wy[c];
  return out;
}

}  // namespace plumb
