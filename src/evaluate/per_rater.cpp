#include "evaluate/per_rater.hpp"

#include <algorithm>

#include "evaluate/slices.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

constexpr int kMostRaters = 1000;

/// The items that a rater judged, with that rater's votes alone. Of ratings by column nothing is copied: what
/// the rater left out has no vote.
Items rated_by(const Items& items, int rater, const std::vector<std::int64_t>& rows) {
  Items out = items.votes.kind() == Votes::Kind::judgements ? items.gather(rows) : items;
  out.votes = out.votes.of_rater(rater);
  return out;
}

/// The items of each rater, where the votes are judgements one by one; otherwise none.
std::vector<std::vector<std::int64_t>> rows_by_rater(const Votes& votes) {
  std::vector<std::vector<std::int64_t>> out(votes.raters());
  if (votes.kind() != Votes::Kind::judgements) return out;
  constexpr std::int64_t kBlock = 65536;
  Judgements block;
  for (std::int64_t begin = 0; begin < votes.items(); begin += kBlock) {
    votes.read_judgements(begin, std::min(begin + kBlock, votes.items()), block);
    for (std::int64_t i = 0; i + 1 < std::ssize(block.offset); ++i)
      for (std::int64_t j = block.offset[i]; j < block.offset[i + 1]; ++j) {
        auto& rows = out[block.rater[j]];
        if (rows.empty() || rows.back() != begin + i) rows.push_back(begin + i);
      }
  }
  return out;
}

}  // namespace

void add_raters(const Items& items, const EvaluateOptions& options, const Selection& selection,
                Progress& progress, Result& result) {
  const int raters = items.votes.raters();
  if (raters < 2) return;
  if (raters > kMostRaters) {
    result.notes.push_back("there are " + std::to_string(raters) + " raters, too many to score each: above " +
                           std::to_string(kMostRaters) + " raters, per_rater is left out");
    return;
  }
  std::vector<std::vector<std::int64_t>> rows = rows_by_rater(items.votes);
  Items unsliced = items;
  unsliced.by = {};
  const int threads = resolve_threads(options.threads);
  const bool many = raters >= 4 * threads;
  EvaluateOptions o = options;
  o.bootstrap = 0;
  o.memory = 0;  // smaller than the whole, which was checked
  o.threads = many ? 1 : options.threads;
  result.per_rater.resize(raters);
  parallel_blocks(raters, 1, many ? threads : 1, [&](int, std::int64_t r, std::int64_t) {
    Progress quiet({}, options.cancel);
    const int rater = narrow<int>(r);
    result.per_rater[r] =
        scores_of(items.votes.rater_name(rater), rated_by(unsliced, rater, rows[r]), selection, o, quiet);
    progress.check();
    rows[r] = {};
  });
}

}  // namespace plumb::detail
