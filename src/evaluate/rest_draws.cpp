#include "evaluate/rest_draws.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "evaluate/stream.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb::detail {
namespace {

constexpr double kNoRest = std::numeric_limits<double>::quiet_NaN();
double share_of(double a, double b) { return b > 0 ? a / b : kNoRest; }

}  // namespace

RestValues rest_values(const SliceSums& s) {
  const double misses = s.votes - s.hits;
  return {share_of(s.correct, s.items),     share_of(s.agree, s.votes),
          share_of(s.nll, s.votes),         share_of(s.brier, s.votes),
          share_of(s.hits, s.expected),     share_of(s.hits - s.expected, s.votes),
          share_of(s.both, s.hits * misses)};
}

SliceSums rest_of(const SliceSums& all, const SliceSums& s) {
  SliceSums out;
  out.items = all.items - s.items;
  out.correct = all.correct - s.correct;
  out.votes = all.votes - s.votes;
  out.agree = all.agree - s.agree;
  out.nll = all.nll - s.nll;
  out.brier = all.brier - s.brier;
  out.hits = all.hits - s.hits;
  out.expected = all.expected - s.expected;
  out.both = all.both - s.hit_inside - s.miss_inside + s.both;
  return out;
}

RestDraws::RestDraws(const Items& items, std::span<const Names> ways, const EvaluateOptions& options)
    : seed_(options.seed) {
  SortedForecasts sorted = sort_forecasts(collect(items, Event::event, options.threads), options.threads);
  order_ = std::move(sorted.order);
  const std::vector<double>& p = sorted.columns.p;
  std::vector<std::uint32_t> place(order_.size());
  new_p_.resize(order_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    place[order_[i]] = static_cast<std::uint32_t>(i);
    new_p_[i] = i == 0 || p[i] != p[i - 1];
  }
  rows_.resize(order_.size());
  ItemBlock block;
  Forecasts event;
  ScoreTerms terms;
  const std::int64_t step = block_rows(items);
  for (std::int64_t begin = 0; begin < items.size(); begin += step) {
    read_items(items, begin, std::min(items.size(), begin + step), block);
    project(block, Event::event, event);
    score_terms(block, score_options(options), terms);
    for (std::int64_t i = 0; i < block.size; ++i) {
      const double n = terms.votes[i], w = n > 0 ? (terms.weight.empty() ? 1 : terms.weight[i]) : 0;
      if (!(w > 0)) continue;
      const bool unforeseen = options.clip == 0 && terms.zero[i] > 0;
      rows_[place[begin + i]] = {w * (terms.decided.empty() ? 1 : terms.decided[i]),
                                 w * terms.correct[i],
                                 w * n,
                                 w * terms.agree[i],
                                 unforeseen ? kNoRest : w * terms.nll[i],
                                 w * terms.brier[i],
                                 w * event.hits[i],
                                 w * n * event.p[i]};
    }
  }
  for (const Names& way : ways) {
    slices_.push_back(way.distinct().size());
    std::vector<std::uint32_t>& code = code_.emplace_back(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) code[i] = way.code(order_[i]);
  }
  if (items.groups.empty()) {
    unit_.resize(order_.size());
    std::iota(unit_.begin(), unit_.end(), 0);
    return;
  }
  groups_ = &items.groups;
  for (const std::string& name : items.groups.distinct()) unit_.push_back(hash_name(name));
}

/// The sums of a slice and how many hits and misses of it are below.
struct RestDraws::Running {
  SliceSums sums;
  double below = 0, tied = 0;  // misses
};

std::vector<SliceSums> RestDraws::pass(std::span<const std::uint32_t> code, std::size_t slices,
                                       double all_hits, std::span<const std::uint32_t> times) const {
  std::vector<Running> running(slices);
  const auto slice = [&](std::size_t i) -> Running& { return running[code.empty() ? 0 : code[i]]; };
  const auto count = [&](std::size_t i) { return times.empty() ? 1.0 : times[i]; };
  double hits_below = 0, misses_below = 0;
  for (std::size_t first = 0, last = 0; first < rows_.size(); first = last) {
    double hits = 0, misses = 0;
    do {
      const double c = count(last);
      if (c == 0) continue;
      const Row& row = rows_[last];
      Running& s = slice(last);
      s.sums.items += c * row.items;
      s.sums.correct += c * row.correct;
      s.sums.votes += c * row.votes;
      s.sums.agree += c * row.agree;
      s.sums.nll += c * row.nll;
      s.sums.brier += c * row.brier;
      s.sums.hits += c * row.hits;
      s.sums.expected += c * row.expected;
      hits += c * row.hits;
      misses += c * (row.votes - row.hits);
      s.tied += c * (row.votes - row.hits);
    } while (++last < rows_.size() && new_p_[last] == 0);
    for (std::size_t i = first; i < last; ++i) {
      const double c = count(i);
      if (c == 0) continue;
      const double hit = c * rows_[i].hits, miss = c * (rows_[i].votes - rows_[i].hits);
      Running& s = slice(i);
      s.sums.both += hit * (s.below + s.tied / 2);
      s.sums.hit_inside += hit * (misses_below + misses / 2);
      s.sums.miss_inside += miss * (all_hits - hits_below - hits / 2);
    }
    for (std::size_t i = first; i < last; ++i) {
      Running& s = slice(i);
      s.below += s.tied;
      s.tied = 0;
    }
    hits_below += hits;
    misses_below += misses;
  }
  std::vector<SliceSums> out;
  for (const Running& s : running) out.push_back(s.sums);
  return out;
}

RestSums RestDraws::sums(std::span<const std::uint32_t> times) const {
  RestSums out;
  out.all = pass({}, 1, 0, times)[0];
  for (std::size_t w = 0; w < code_.size(); ++w)
    out.slices.push_back(pass(code_[w], slices_[w], out.all.hits, times));
  return out;
}

RestSums RestDraws::observed() const { return sums({}); }

void RestDraws::counts(std::uint32_t replicate, Buffers& buffers, std::span<std::uint32_t> by_row) const {
  buffers.drawn.resize(unit_.size());
  fill_poisson(seed_, replicate, unit_, buffers.drawn);
  for (std::size_t i = 0; i < by_row.size(); ++i)
    by_row[i] = buffers.drawn[groups_ != nullptr ? groups_->code(static_cast<std::int64_t>(i)) : i];
}

RestSums RestDraws::draw(std::uint32_t replicate, Buffers& buffers) const {
  buffers.drawn.resize(unit_.size());
  fill_poisson(seed_, replicate, unit_, buffers.drawn);
  buffers.times.resize(order_.size());
  for (std::size_t i = 0; i < order_.size(); ++i)
    buffers.times[i] = buffers.drawn[groups_ != nullptr ? groups_->code(order_[i]) : order_[i]];
  return sums(buffers.times);
}

}  // namespace plumb::detail
