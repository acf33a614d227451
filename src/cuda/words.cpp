#include "cuda/words.hpp"

#include "cuda/layout.hpp"
#include "plumb/metrics/raters/disagreement.hpp"
#include "plumb/metrics/raters/label_histogram.hpp"
#include "plumb/numeric/fixed_point.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb::cuda {
namespace {

using Words = std::span<const std::uint64_t>;

int128 joined(std::uint64_t low, std::uint64_t high) {
  return int128{static_cast<std::int64_t>(high)} * (std::int64_t{1} << 32) + low;
}

/// The integers of one bin.
struct WholeBin {
  std::uint64_t count, hits;
  int128 sum, squares, hit_sum;
};
WholeBin bin_at(Words words, std::int64_t table, int bins, int bin) {
  const Words w = words.subspan(word_of(table, bins, bin), kBinWords);
  return {w[kCount], w[kHits], joined(w[kLow], w[kHigh]), joined(w[kSquareLow], w[kSquareHigh]),
          joined(w[kHitLow], w[kHitHigh])};
}

ReliabilityTable table_of(Words words, std::int64_t table, int bins) {
  ReliabilityTable out(BinEdges{bins, true, {}});
  for (int b = 0; b < bins; ++b) {
    const WholeBin from = bin_at(words, table, bins, b);
    Bin& to = out.bins[b];
    to.items = to.votes = from.count;
    for (ExactSum* sum : {&to.w, &to.ww}) sum->add_scaled(from.count, 0);
    for (ExactSum* sum : {&to.wy, &to.wwyy}) sum->add_scaled(from.hits, 0);
    to.wp.add_scaled(from.sum, -kFractionBits);
  }
  return out;
}

/// Single votes: mu is 0 or 1.
void add_share_bin(const WholeBin& from, ShareBin& to) {
  to.items = to.votes = from.count;
  for (ExactSum* sum : {&to.w, &to.ww}) sum->add_scaled(from.count, 0);
  for (ExactSum* sum : {&to.wmu, &to.wmm, &to.wwmm}) sum->add_scaled(from.hits, 0);
  to.wp.add_scaled(from.sum, -kFractionBits);
  to.wsq.add_scaled(from.squares - 2 * from.hit_sum, -kFractionBits);
}

template <class Sum>
ExactSum layered(Words words, int at) {
  ExactSum out;
  out.add_scaled(joined(words[at], words[at + 1]), Sum::kFirstExponent);
  out.add_scaled(joined(words[at + 2], words[at + 3]), Sum::kSecondExponent);
  out.add_scaled(joined(words[at + 4], words[at + 5]), Sum::kLastExponent);
  return out;
}

}  // namespace

StreamSums sums_of_words(Words words, int classes, int bins, Products products) {
  const bool binary = classes == 2;
  const BinEdges edges{bins, true, {}};
  StreamSums out;
  out.event = table_of(words, 0, bins);
  const std::uint64_t rows = out.event.total().items;

  ProperScores& s = out.scores;
  s.items = s.votes = rows;
  for (ExactSum* sum : {&s.item_weight, &s.vote_weight}) sum->add_scaled(rows, 0);
  for (ExactSum* sum : {&s.correct, &s.agree}) sum->add_scaled(words[kCorrect], 0);
  s.brier = layered<SquareSum>(words, kBrier);
  if (products.log_loss) {
    s.zero = words[kZero];
    s.nll = layered<LogSum>(words, kNll);
    out.event_log.votes = rows;
    out.event_log.weight.add_scaled(rows, 0);
    out.event_log.zero = binary ? s.zero : words[kEventZero];
    out.event_log.loss = binary ? s.nll : layered<LogSum>(words, kEventLoss);
  }
  if (!products.by_class) return out;

  out.histogram = ShareTables(classwise_edges(classes, edges));
  if (rows > 0) out.histogram.single.resize(out.histogram.size());
  for (int k = 0; k < classes; ++k) {
    const std::int64_t table = binary ? 1 - k : 1 + k;
    out.by_class.push_back(table_of(words, table, bins));
    for (int b = 0; b < bins && rows > 0; ++b)
      add_share_bin(bin_at(words, table, bins, b), out.histogram.single[out.histogram.first(k) + b]);
  }
  out.disagreement = ShareTables(disagreement_edges(classes, edges));
  out.disagreement.left_out = rows;  // single votes cannot disagree
  out.agreement = Agreement(classes);
  return out;
}

}  // namespace plumb::cuda
