// Items counted by narrow bin of p, votes and hits: all that the automatic bandwidth depends on.
// Counts merge.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "plumb/metrics/kernel/vote_bandwidth.hpp"

namespace plumb {

/// Items with as many votes and hits in one of the bins that the search for a bandwidth uses. Items at p = 0
/// and 1 are in bins of their own, the first and the last.
struct ItemKind {
  std::uint32_t bin = 0, votes = 0, hits = 0;
  std::uint64_t items = 0;
  friend bool operator==(const ItemKind&, const ItemKind&) = default;
};

class ItemKinds {
 public:
  void add(double p, std::uint32_t votes, std::uint32_t hits);
  void add(std::span<const double> p, std::uint32_t votes, std::uint32_t hits);  ///< many of a kind
  void add(
      const ItemKind& kind);  ///< std::invalid_argument when there is no such bin, or more hits than votes
  void merge(const ItemKinds& other);
  /// Items with a single vote against the event each, as if they had these; std::invalid_argument for others.
  void add_as(const ItemKinds& misses, std::uint32_t votes, std::uint32_t hits);
  [[nodiscard]] std::vector<ItemKind> sorted() const;  ///< by bin, votes, hits

 private:
  struct Key {
    std::uint32_t bin, votes, hits;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& k) const {
      constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
      return ((std::uint64_t{k.votes} << 32 | k.hits) * kMix ^ k.bin) * kMix >> 20;
    }
  };
  [[nodiscard]] std::vector<std::uint64_t>& few(std::uint32_t votes, std::uint32_t hits);
  void add(std::uint32_t bin, std::uint32_t votes, std::uint32_t hits, std::uint64_t items);

  std::vector<std::vector<std::uint64_t>> few_;         // items of few votes, by votes and hits, then by bin
  std::unordered_map<Key, std::uint64_t, Hash> items_;  // of more votes
};

/// As of the items themselves, bit for bit.
[[nodiscard]] VoteBandwidths vote_bandwidths(const ItemKinds& kinds);

}  // namespace plumb
