#include "evaluate/case_split.hpp"

#include <algorithm>
#include <utility>

#include "evaluate/case_patterns.hpp"
#include "evaluate/stream.hpp"
#include "plumb/numeric/exact_columns.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

/// Ratings of a block, where they lie if they lie as needed.
class RatingsReader {
 public:
  explicit RatingsReader(const Votes& votes) : votes_(votes) {
    const std::vector<Array>& shards = votes.rows().shards();
    if (shards.size() == 1 && shards[0].dtype == DType::i32 && !shards[0].swapped &&
        shards[0].is_contiguous())
      whole_ = reinterpret_cast<const std::int32_t*>(shards[0].data);
  }
  [[nodiscard]] const std::int32_t* read(std::int64_t begin, std::int64_t end) {
    if (whole_ != nullptr) return whole_ + begin * votes_.raters();
    votes_.read_ratings(begin, end, copy_);
    return copy_.data();
  }

 private:
  const Votes& votes_;
  const std::int32_t* whole_ = nullptr;
  std::vector<std::int32_t> copy_;
};

/// Voxels of a block that all raters gave to one class, by class, and the others.
struct SplitBlock {
  std::vector<PredictionBlock> by_class;
  std::vector<std::int64_t> mixed;  ///< rows of the case

  void split(const PredictionBlock& z, const std::int32_t* votes, std::int64_t begin, int raters) {
    for (PredictionBlock& own : by_class) {
      own.width = z.width;
      own.size = 0;
      own.z.resize(z.size * z.width);
    }
    for (std::int64_t i = 0; i < z.size; ++i) {
      const std::int32_t* const own = votes + i * raters;
      bool same = own[0] >= 0;
      for (int r = 1; r < raters; ++r) same &= own[r] == own[0];
      if (!same) {
        mixed.push_back(begin + i);
        continue;
      }
      PredictionBlock& to = by_class[own[0]];
      for (int k = 0; k < z.width; ++k) to.z[to.size * z.width + k] = z.z[i * z.width + k];
      ++to.size;
    }
    for (PredictionBlock& own : by_class) own.z.resize(own.size * z.width);
  }
};

/// Of voxels that all raters gave to one class.
struct AgreedOverlap {
  std::uint64_t voxels = 0, predicted = 0;
  ExactSum p;  ///< of foreground
};

struct SplitWorker {
  PredictionBlock z;
  SplitBlock parts;
  BlockParts block;
  StreamBuilder one;    ///< a single vote each
  ExactSum nll, brier;  ///< of as many votes as there are raters: a term times three is rounded again
  std::vector<AgreedOverlap> overlap;
  std::vector<double> top;
  std::vector<std::uint32_t> label;
};

void add_overlap(SplitWorker& w, const PredictionBlock& z, AgreedOverlap& to) {
  w.top.resize(z.size);
  w.label.resize(z.size);
  top_labels(z, 0, w.top, w.label);
  for (const std::uint32_t label : w.label) to.predicted += label > 0 ? 1 : 0;
  to.voxels += z.size;
  add_terms(to.p, z.size, [&](std::size_t i) { return z.width == 1 ? z.z[i] : 1 - z.z[i * z.width]; });
}

/// Voxels on which all raters voted for class k.
void add_agreed(SplitWorker& w, PredictionBlock& z, std::uint32_t k, int raters, int classes,
                const BinPlan& plan, ProductSet products, const ScoreOptions& how) {
  if (z.size == 0) return;
  add_overlap(w, z, w.overlap[k]);
  ItemBlock& block = w.block.block;
  block.size = z.size;
  block.classes = classes;
  std::swap(block.z, z);
  block.votes.single = true;
  block.votes.size = block.size;
  block.votes.cls.assign(block.size, k);
  project(block, Event::event, w.block.event);
  if (products.has(Product::proper_scores)) score_terms(block, how, w.block.terms);
  if (products.has(Product::histogram)) histogram_terms(block, plan.by_class, w.block.histogram);
  w.one.update(w.block);
  if (products.has(Product::proper_scores)) {
    const ScoreTerms& t = w.block.terms;
    const double votes = raters;
    add_terms(w.nll, t.nll.size(), [&](std::size_t i) { return votes * t.nll[i]; });
    add_terms(w.brier, t.brier.size(), [&](std::size_t i) { return votes * t.brier[i]; });
  }
  std::swap(block.z, z);
}

ExactSum repeated(const ExactSum& once, std::uint64_t times) {
  ExactSum out = once;
  for (std::uint64_t i = 1; i < times; ++i) out.merge(once);
  return out;
}

// From one vote each to `votes` of the same class.
void multiply_votes(ReliabilityTable& table, std::uint64_t votes) {
  for (Bin& b : table.bins) {
    b.votes *= votes;
    for (ExactSum Bin::*sum : {&Bin::w, &Bin::wp, &Bin::wy}) b.*sum = repeated(b.*sum, votes);
    for (ExactSum Bin::*sum : {&Bin::ww, &Bin::wwyy}) b.*sum = repeated(b.*sum, votes * votes);
  }
}

/// Shares are the same; that two votes agree is certain where the share is 1, and it is 1 or 0.
void multiply_votes(ShareTables& table, std::uint64_t votes) {
  if (votes == 1) return;
  for (ShareBin& b : table.single) {
    b.votes *= votes;
    b.wg = b.wmu;
  }
  table.several = std::exchange(table.single, {});
}

void multiply_votes(ProperScores& scores, std::uint64_t votes) {
  for (std::uint64_t ProperScores::*count :
       {&ProperScores::votes, &ProperScores::zero, &ProperScores::clipped})
    scores.*count *= votes;
  for (ExactSum ProperScores::*sum : {&ProperScores::vote_weight, &ProperScores::agree})
    scores.*sum = repeated(scores.*sum, votes);
}

OverlapSums agreed_overlap(const std::vector<AgreedOverlap>& agreed, int raters) {
  RaterOverlapSums all;
  OverlapSums out;
  for (std::size_t k = 0; k < agreed.size(); ++k) {
    const AgreedOverlap& a = agreed[k];
    out.predicted += a.predicted;
    out.expected.merge(a.p);
    all.model += a.predicted;
    all.p.merge(a.p);
    if (k == 0) continue;
    all.rater += a.voxels;
    all.both += a.predicted;
    all.p_in.merge(a.p);
  }
  out.raters.assign(raters, all);
  return out;
}

/// What the agreed voxels add up to, one vote each, and the rows of the others.
struct Agreed {
  StreamSums one;
  ExactSum nll, brier;
  std::vector<AgreedOverlap> overlap;
  std::vector<std::int64_t> mixed;
};

Agreed agreed_pass(const Items& items, const BinPlan& plan, ProductSet products, const EvaluateOptions& o) {
  const int raters = items.votes.raters(), classes = items.classes();
  SplitWorker fresh{{}, {}, {}, StreamBuilder(plan, products), {}, {}, {}, {}, {}};
  fresh.parts.by_class.resize(classes);
  fresh.overlap.resize(classes);
  std::vector<SplitWorker> workers(resolve_threads(o.threads), fresh);
  Progress silent({}, o.cancel);
  parallel_blocks(
      items.size(), block_rows(items), o.threads, [&](int worker, std::int64_t begin, std::int64_t end) {
        SplitWorker& w = workers[worker];
        RatingsReader votes(items.votes);
        items.predictions.read(begin, end, w.z);
        w.parts.split(w.z, votes.read(begin, end), begin, raters);
        for (int k = 0; k < classes; ++k)
          add_agreed(w, w.parts.by_class[k], k, raters, classes, plan, products, score_options(o));
        silent.check();
      });
  Agreed out;
  out.one = StreamBuilder(plan, products).finish();
  out.overlap.resize(classes);
  for (SplitWorker& w : workers) {
    out.one.merge(w.one.finish());
    out.nll.merge(w.nll);
    out.brier.merge(w.brier);
    for (int k = 0; k < classes; ++k) {
      out.overlap[k].voxels += w.overlap[k].voxels;
      out.overlap[k].predicted += w.overlap[k].predicted;
      out.overlap[k].p.merge(w.overlap[k].p);
    }
    out.mixed.insert(out.mixed.end(), w.parts.mixed.begin(), w.parts.mixed.end());
  }
  std::sort(out.mixed.begin(), out.mixed.end());
  return out;
}

}  // namespace

void add_item_by_item(const Items& items, const BinPlan& plan, ProductSet products, const EvaluateOptions& o,
                      SplitSums& out) {
  Progress silent({}, o.cancel);
  out.votes.merge(stream_sums(items, plan, products, o, silent));
  const Consensus majority = consensus(items, {o.ties, o.seed}, o.threads);
  out.tied += narrow<std::uint64_t>(majority.tied);
  out.most_votes = std::max(out.most_votes, majority.most_votes);
  out.consensus.merge(stream_sums(majority.items, plan, products, o, silent));
  const ProductSet single =
      products.both({Product::event_table, Product::class_tables, Product::proper_scores});
  for (int r = 0; r < items.votes.raters(); ++r) {
    Items own = items;
    own.votes = items.votes.of_rater(r);
    out.raters[r].merge(stream_sums(own, plan, single, o, silent));
  }
}

SplitSums split_sums(const Items& items, ProductSet products, const EvaluateOptions& o,
                     const SplitExtras& extras) {
  if (fits_patterns(items, o)) return pattern_sums(items, products, o, extras);
  const BinPlan plan = equal_width_plan(o.bins, items.classes());
  const int raters = items.votes.raters();
  const Agreed agreed = agreed_pass(items, plan, products, o);
  SplitSums out;
  out.votes = out.consensus = agreed.one;
  multiply_votes(out.votes.event, raters);
  for (ReliabilityTable& t : out.votes.by_class) multiply_votes(t, raters);
  multiply_votes(out.votes.histogram, raters);
  multiply_votes(out.votes.scores, raters);
  out.votes.scores.nll = agreed.nll;
  out.votes.scores.brier = agreed.brier;
  const bool some = std::ssize(agreed.mixed) < items.size();
  out.votes.several_votes = some && raters > 1;
  out.most_votes = some ? narrow<std::uint32_t>(raters) : 0;
  StreamSums single = agreed.one;
  single.histogram = StreamBuilder(plan, {}).finish().histogram;
  out.raters.assign(raters, single);
  OverlapSums overlap = agreed_overlap(agreed.overlap, raters);
  if (!agreed.mixed.empty()) {
    const Items mixed = items.gather(agreed.mixed);
    add_item_by_item(mixed, plan, products, o, out);
    merge(overlap, overlap_sums(mixed, o.threads));
  }
  out.overlap = finish(overlap);
  return out;
}

}  // namespace plumb::detail
