#include "plumb/metrics/kernel/item_kinds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
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

/// The same for many, without branches, for the compiler's vectors.
void kind_bins(std::span<const double> p, std::uint32_t* out) {
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double x = p[i], rest = 1.0 - x, near = x > 0.5 ? rest : x;
    const double r = near > 0.0 ? near : 0.0;
    const double at = std::sqrt(r) * detail::kVoteBinsPerRoot;
    const auto c =
        static_cast<std::int32_t>(at < detail::kVoteBinsPerSide - 1.0 ? at : detail::kVoteBinsPerSide - 1.0);
    const std::int32_t bin = x > 0.5 ? static_cast<std::int32_t>(detail::kVoteBins) - c : 1 + c;
    const std::int32_t above = x >= 1.0 ? static_cast<std::int32_t>(kLastKind) : bin;
    out[i] = static_cast<std::uint32_t>(x <= 0.0 ? 0 : above);
  }
}

constexpr std::uint32_t kFewVotes = 8;

/// Where the items with so many votes and hits are among those of few votes.
constexpr std::size_t slot_of(std::uint32_t votes, std::uint32_t hits) {
  return votes * (votes + 1) / 2 - 1 + hits;
}

}  // namespace

/// Their numbers by bin.
std::vector<std::uint64_t>& ItemKinds::few(std::uint32_t votes, std::uint32_t hits) {
  if (few_.empty()) few_.resize(slot_of(kFewVotes, kFewVotes) + 1);
  std::vector<std::uint64_t>& own = few_[slot_of(votes, hits)];
  if (own.empty()) own.resize(kLastKind + 1);
  return own;
}

void ItemKinds::add(std::uint32_t bin, std::uint32_t votes, std::uint32_t hits, std::uint64_t items) {
  if (votes > kFewVotes) {
    items_[{bin, votes, hits}] += items;
  } else {
    few(votes, hits)[bin] += items;
  }
}

void ItemKinds::add(double p, std::uint32_t votes, std::uint32_t hits) {
  if (votes > 0) add(kind_bin(p), votes, hits, 1);
}

void ItemKinds::add(std::span<const double> p, std::uint32_t votes, std::uint32_t hits) {
  if (votes == 0) return;
  if (votes > kFewVotes) {
    for (const double x : p) ++items_[{kind_bin(x), votes, hits}];
    return;
  }
  std::vector<std::uint64_t>& own = few(votes, hits);
  std::array<std::uint32_t, 512> bin{};
  for (std::size_t begin = 0; begin < p.size(); begin += bin.size()) {
    const std::span<const double> now = p.subspan(begin, std::min(bin.size(), p.size() - begin));
    kind_bins(now, bin.data());
    for (std::size_t i = 0; i < now.size(); ++i) ++own[bin[i]];
  }
}

void ItemKinds::add(const ItemKind& k) {
  if (k.bin > kLastKind || k.votes == 0 || k.hits > k.votes || k.items == 0)
    throw std::invalid_argument("these are not items of a kind");
  add(k.bin, k.votes, k.hits, k.items);
}

void ItemKinds::merge(const ItemKinds& other) {
  for (const auto& [key, items] : other.items_) items_[key] += items;
  if (few_.empty()) few_.resize(other.few_.size());
  for (std::size_t slot = 0; slot < other.few_.size(); ++slot) {
    const std::vector<std::uint64_t>& from = other.few_[slot];
    if (from.empty()) continue;
    few_[slot].resize(from.size());
    for (std::size_t bin = 0; bin < from.size(); ++bin) few_[slot][bin] += from[bin];
  }
}

void ItemKinds::add_as(const ItemKinds& misses, std::uint32_t votes, std::uint32_t hits) {
  for (std::size_t slot = 0; slot < misses.few_.size(); ++slot)
    if (slot != slot_of(1, 0) && !misses.few_[slot].empty())
      throw std::invalid_argument("these items have other votes");
  if (!misses.items_.empty()) throw std::invalid_argument("these items have other votes");
  if (misses.few_.empty() || votes == 0) return;
  const std::vector<std::uint64_t>& from = misses.few_[slot_of(1, 0)];
  for (std::uint32_t bin = 0; bin < from.size(); ++bin)
    if (from[bin] > 0) add(bin, votes, hits, from[bin]);
}

std::vector<ItemKind> ItemKinds::sorted() const {
  std::vector<ItemKind> out;
  for (const auto& [key, items] : items_) out.push_back({key.bin, key.votes, key.hits, items});
  if (!few_.empty())
    for (std::uint32_t votes = 1; votes <= kFewVotes; ++votes)
      for (std::uint32_t hits = 0; hits <= votes; ++hits) {
        const std::vector<std::uint64_t>& own = few_[slot_of(votes, hits)];
        for (std::uint32_t bin = 0; bin < own.size(); ++bin)
          if (own[bin] > 0) out.push_back({bin, votes, hits, own[bin]});
      }
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
