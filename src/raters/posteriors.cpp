#include "raters/posteriors.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

constexpr std::int64_t kMostPartCells = std::int64_t{1} << 27;  // of all workers together

}  // namespace

Posteriors::Posteriors(const DawidSkene& fit)
    : classes_(fit.classes), log_prevalence_(fit.classes), log_chance_(fit.confusion.size()) {
  const std::int64_t k = classes_;
  for (std::int64_t r = 0; r < fit.raters; ++r)
    for (std::int64_t c = 0; c < k; ++c)
      for (std::int64_t y = 0; y < k; ++y)
        log_chance_[(r * k + y) * k + c] = fit.confusion[(r * k + c) * k + y];
  log_block(log_chance_, log_chance_);
  log_block(fit.prevalence, log_prevalence_);
}

void Posteriors::fill(const Judgements& votes, std::int64_t begin, std::int64_t end, std::span<double> out,
                      std::span<double> log_total) const {
  const std::int64_t k = classes_;
  for (std::int64_t i = begin; i < end; ++i) {
    double* row = out.data() + (i - begin) * k;
    std::copy(log_prevalence_.begin(), log_prevalence_.end(), row);
    for (std::int64_t j = votes.offset[i]; j < votes.offset[i + 1]; ++j) {
      const double* add = log_chance_.data() + (std::int64_t{votes.rater[j]} * k + votes.cls[j]) * k;
      for (std::int64_t c = 0; c < k; ++c) row[c] += add[c];
    }
    const double most = *std::max_element(row, row + k);
    if (!log_total.empty()) log_total[i - begin] = most;
    for (std::int64_t c = 0; c < k; ++c) row[c] -= most;
  }
  exp_block(out, out);
  for (std::int64_t i = 0; i < end - begin; ++i) {
    double* row = out.data() + i * k;
    double sum = 0;
    for (std::int64_t c = 0; c < k; ++c) sum += row[c];
    if (!log_total.empty()) log_total[i] += log_portable(sum);
    for (std::int64_t c = 0; c < k; ++c) row[c] /= sum;
  }
}

double Posteriors::log_likelihood(const Judgements& votes, std::span<const std::uint32_t> times,
                                  int threads) const {
  const std::int64_t n = std::ssize(votes.offset) - 1;
  const ExactSum sum = parallel_reduce_blocks(
      n, kItemBlock, threads, ExactSum(),
      [&](ExactSum& total, std::int64_t begin, std::int64_t end) {
        std::vector<double> row((end - begin) * classes_), log_total(end - begin);
        fill(votes, begin, end, row, log_total);
        for (std::int64_t i = begin; i < end; ++i)
          if (votes.offset[i] < votes.offset[i + 1])
            total.add(log_total[i - begin] * (times.empty() ? 1 : times[i]));
      },
      [](ExactSum& into, const ExactSum& from) { into.merge(from); });
  return sum.value();
}

ExpectedVotes::ExpectedVotes(int classes, int raters, std::int64_t votes, int workers)
    : classes_(classes), raters_(raters) {
  const int bits = std::min<int>(50, 62 - std::bit_width(static_cast<std::uint64_t>(votes)));
  unit_ = std::ldexp(1.0, bits);
  const std::int64_t cells = raters_ * classes_ * classes_;
  parts_.resize(std::clamp<std::int64_t>(kMostPartCells / std::max<std::int64_t>(1, cells), 1, workers));
}

void ExpectedVotes::add(Part& part, const Judgements& votes, std::span<const std::uint32_t> times,
                        std::int64_t begin, std::int64_t end) const {
  const std::int64_t k = classes_;
  part.fixed.resize(k);
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t t = times.empty() ? 1 : times[i];
    if (t == 0 || votes.offset[i] == votes.offset[i + 1]) continue;
    const double* q = part.posterior.data() + (i - begin) * k;
    for (std::int64_t c = 0; c < k; ++c) {
      part.fixed[c] = t * static_cast<std::int64_t>(q[c] * unit_ + 0.5);
      part.items[c] += part.fixed[c];
    }
    for (std::int64_t j = votes.offset[i]; j < votes.offset[i + 1]; ++j) {
      std::int64_t* into = part.votes.data() + (std::int64_t{votes.rater[j]} * k + votes.cls[j]) * k;
      for (std::int64_t c = 0; c < k; ++c) into[c] += part.fixed[c];
    }
  }
}

template <class Fill>
void ExpectedVotes::add_blocks(const Judgements& votes, std::span<const std::uint32_t> times, int threads,
                               Fill fill) {
  for (Part& part : parts_) {
    part.votes.assign(raters_ * classes_ * classes_, 0);
    part.items.assign(classes_, 0);
    part.log_likelihood = {};
  }
  const int workers = std::min(resolve_threads(threads), static_cast<int>(parts_.size()));
  parallel_blocks(std::ssize(votes.offset) - 1, kItemBlock, workers,
                  [&](int worker, std::int64_t begin, std::int64_t end) {
                    Part& part = parts_[worker];
                    part.posterior.resize((end - begin) * classes_);
                    fill(begin, end, part);
                    add(part, votes, times, begin, end);
                  });
  for (std::size_t p = 1; p < parts_.size(); ++p) {
    const auto merge = [](std::vector<std::int64_t>& into, const std::vector<std::int64_t>& from) {
      for (std::size_t i = 0; i < into.size(); ++i) into[i] += from[i];
    };
    merge(parts_[0].votes, parts_[p].votes);
    merge(parts_[0].items, parts_[p].items);
    parts_[0].log_likelihood.merge(parts_[p].log_likelihood);
  }
}

double ExpectedVotes::count(const Posteriors& posteriors, const Judgements& votes,
                            std::span<const std::uint32_t> times, int threads) {
  add_blocks(votes, times, threads, [&](std::int64_t begin, std::int64_t end, Part& part) {
    part.log_total.resize(end - begin);
    posteriors.fill(votes, begin, end, part.posterior, part.log_total);
    for (std::int64_t i = begin; i < end; ++i)
      if (votes.offset[i] < votes.offset[i + 1])
        part.log_likelihood.add(part.log_total[i - begin] * (times.empty() ? 1 : times[i]));
  });
  return parts_[0].log_likelihood.value();
}

void ExpectedVotes::count_shares(const Judgements& votes, std::span<const std::uint32_t> times, int threads) {
  add_blocks(votes, times, threads, [&](std::int64_t begin, std::int64_t end, Part& part) {
    std::fill(part.posterior.begin(), part.posterior.end(), 0.0);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = votes.offset[i], last = votes.offset[i + 1];
      double* row = part.posterior.data() + (i - begin) * classes_;
      for (std::int64_t j = first; j < last; ++j) row[votes.cls[j]] += 1;
      for (std::int64_t c = 0; c < classes_; ++c) row[c] /= std::max<std::int64_t>(1, last - first);
    }
  });
}

}  // namespace plumb::detail
