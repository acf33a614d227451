// The majority label of each item, and what becomes of ties.
#include <algorithm>
#include <atomic>

#include "plumb/data/items.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb {
namespace {

constexpr std::uint32_t kTieReplicate = 0x7135;  // apart from the other samples of the purpose

std::uint32_t drawn_class(std::span<const std::uint32_t> classes, std::uint64_t seed, std::int64_t row) {
  const double u = random_uniform(seed, Purpose::sample, kTieReplicate, row);
  return classes[static_cast<std::size_t>(u * std::ssize(classes))];
}

/// `rows` with some of them once more at the end.
Rows append(const Rows& rows, std::span<const std::int64_t> again) {
  if (rows.empty()) return {};
  std::vector<Array> shards = rows.shards();
  const Rows more = rows.gather(again);
  for (const Array& a : more.shards()) shards.push_back(a);
  return Rows(std::move(shards));
}

Votes label_votes(std::vector<std::int32_t> label, int classes, const std::string& name) {
  constexpr int kByteClasses = 256;
  const std::int64_t n = std::ssize(label);
  const bool all = std::find(label.begin(), label.end(), -1) == label.end();
  if (all && classes <= kByteClasses) {
    std::vector<std::uint8_t> bytes(label.begin(), label.end());
    return Votes::from_labels(Rows(array_of(std::move(bytes), {n}, name)), classes);
  }
  Rows rows(array_of(std::move(label), {n}, name));
  return all ? Votes::from_labels(std::move(rows), classes) : Votes::from_ratings(std::move(rows), classes);
}

/// The tied items of a block, and the votes of the item that has most.
struct Found {
  std::vector<std::pair<std::int64_t, std::vector<std::uint32_t>>> ties;  // row, classes
  std::uint32_t most_votes = 0;
};

/// A row more for each further class of a tie, and weights.
void share_ties(const std::vector<Found>& found, std::vector<std::int32_t>& label, Items& out) {
  const std::int64_t n = out.size();
  std::vector<double> weight(n, 1.0);
  if (!out.weights.empty()) out.weights.read(0, n, weight);
  for (const Found& f : found)
    for (const auto& [row, classes] : f.ties) {
      weight[row] /= static_cast<double>(classes.size());
      for (std::size_t c = 1; c < classes.size(); ++c) {
        out.repeats.push_back(row);
        label.push_back(narrow<std::int32_t>(classes[c]));
        weight.push_back(weight[row]);
      }
    }
  std::vector<Rows> sources;
  for (const Rows& s : out.predictions.sources()) sources.push_back(append(s, out.repeats));
  out.predictions = Predictions(std::move(sources), out.predictions.scale(), {out.predictions.normalizes()});
  out.weights = Rows(array_of(std::move(weight), {std::ssize(label)}, "weights"));
  out.truth = append(out.truth, out.repeats);
  for (Rows& c : out.concentration) c = append(c, out.repeats);
  std::vector<std::int64_t> rows(n);
  for (std::int64_t i = 0; i < n; ++i) rows[i] = i;
  rows.insert(rows.end(), out.repeats.begin(), out.repeats.end());
  if (!out.groups.empty()) out.groups = out.groups.gather(rows);
  for (Names& by : out.by) by = by.gather(rows);
}

}  // namespace

double majority_share(std::span<const std::uint32_t> classes, std::uint32_t cls, const TiesRule& rule,
                      std::int64_t row) {
  if (classes.empty()) return -1;
  const bool among = std::find(classes.begin(), classes.end(), cls) != classes.end();
  if (classes.size() == 1) return among;
  switch (rule.ties) {
    case Ties::half:
      return among ? 1.0 / static_cast<double>(classes.size()) : 0.0;
    case Ties::absent:
      return -1;
    case Ties::lowest:
      return classes.front() == cls;
    case Ties::random:
      return drawn_class(classes, rule.seed, row) == cls;
  }
  return -1;
}

Consensus consensus(const Items& items, const TiesRule& rule, int threads) {
  Consensus out;
  out.items = items;
  const Votes& votes = items.votes;
  if (votes.kind() == Votes::Kind::labels) {
    out.most_votes = items.size() > 0 ? 1 : 0;
    return out;
  }
  constexpr std::int64_t kBlock = 4096;
  std::vector<std::int32_t> label(items.size());
  std::vector<VoteBlock> blocks(resolve_threads(threads));
  std::vector<Found> found((items.size() + kBlock - 1) / kBlock);  // by block: rows stay in order
  parallel_blocks(items.size(), kBlock, threads, [&](int worker, std::int64_t begin, std::int64_t end) {
    VoteBlock& block = blocks[worker];
    Found& here = found[begin / kBlock];
    std::vector<std::uint32_t> classes;
    votes.read(begin, end, block);
    for (std::int64_t i = begin; i < end; ++i) {
      here.most_votes = std::max(here.most_votes, block.votes(i - begin));
      block.majority_classes(i - begin, classes);
      label[i] = classes.empty() ? -1 : narrow<std::int32_t>(classes.front());
      if (classes.size() < 2) continue;
      here.ties.emplace_back(i, classes);
      if (rule.ties == Ties::absent) label[i] = -1;
      if (rule.ties == Ties::random) label[i] = narrow<std::int32_t>(drawn_class(classes, rule.seed, i));
    }
  });
  for (const Found& f : found) {
    out.tied += std::ssize(f.ties);
    out.most_votes = std::max(out.most_votes, f.most_votes);
  }
  if (rule.ties == Ties::half && out.tied > 0) share_ties(found, label, out.items);
  out.items.votes = label_votes(std::move(label), votes.classes(), "majority of " + votes.rows().name());
  return out;
}

}  // namespace plumb
