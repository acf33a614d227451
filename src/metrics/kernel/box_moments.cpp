#include "plumb/metrics/kernel/box_moments.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "metrics/kernel/box_kernels.hpp"
#include "metrics/kernel/chebyshev.hpp"
#include "plumb/numeric/fixed_point.hpp"

namespace plumb {
namespace {

// A term is at most 2^51 (a real mean y is in [-1, 2], and so is 1 - y). A box is emptied before it
// is charged with more than 2^11 votes, and holds at most the votes of one chunk besides: (2^11 +
// 2^10) 2^51 < 2^63.
constexpr std::uint32_t kMostSpent = 1u << 11;
constexpr std::uint32_t kMostOfChunk = detail::kMostNarrow;
constexpr std::size_t kChunk = 512;

}  // namespace

void BoxMoments::merge(const BoxMoments& other) {
  if (boxes() != other.boxes()) throw std::invalid_argument("moments over different boxes cannot be merged");
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (!other.w[i].is_zero()) w[i].merge(other.w[i]);
    if (!other.wy[i].is_zero()) wy[i].merge(other.wy[i]);
  }
}

MomentValues::MomentValues(const BoxMoments& moments) : MomentValues(moments.boxes()) {
  ExactSum sum;
  for (std::size_t b = 0; b < w.size(); ++b) {
    if (moments.w[b * kMoments].is_zero()) continue;
    sum.merge(moments.w[b * kMoments]);
    for (std::size_t k = 0; k < kMoments; ++k) {
      w[b][k] = moments.w[b * kMoments + k].value();
      wy[b][k] = moments.wy[b * kMoments + k].value();
    }
  }
  weight = sum.value();
}

MomentBuilder::MomentBuilder(std::size_t boxes)
    : narrow_(boxes * detail::kNarrowOfBox), spent_(boxes), wide_place_(boxes) {}

BoxMoments& MomentBuilder::exact_sums() {
  if (sums_.w.empty()) sums_ = BoxMoments(spent_.size());
  return sums_;
}

MomentBuilder::Wide& MomentBuilder::wide_of(std::size_t box) {
  if (wide_place_[box] == 0) {
    wide_.emplace_back();
    wide_place_[box] = static_cast<std::uint32_t>(wide_.size());
  }
  return wide_[wide_place_[box] - 1];
}

void MomentBuilder::flush(std::size_t box) {
  if (spent_[box] == 0) return;
  spent_[box] = 0;
  Wide& wide = wide_of(box);
  std::int64_t* narrow = narrow_.data() + box * detail::kNarrowOfBox;
  for (std::size_t k = 0; k < wide.size(); ++k) wide[k] += narrow[k];
  std::fill(narrow, narrow + detail::kNarrowOfBox, 0);
}

void MomentBuilder::flush_all() {
  for (std::size_t b = 0; b < spent_.size(); ++b) flush(b);
}

// All votes are in wide_ or have been read.
void MomentBuilder::clear() {
  sums_ = {};
  wide_.clear();
  std::fill(wide_place_.begin(), wide_place_.end(), 0);
}

void MomentBuilder::merge(MomentBuilder& other) {
  if (spent_.size() != other.spent_.size())
    throw std::invalid_argument("moments over different boxes cannot be merged");
  other.flush_all();
  for (std::size_t b = 0; b < spent_.size(); ++b) {
    if (other.wide_place_[b] == 0) continue;
    Wide& wide = wide_of(b);
    const Wide& from = other.wide_of(b);
    for (std::size_t k = 0; k < wide.size(); ++k) wide[k] += from[k];
  }
  if (!other.sums_.w.empty()) exact_sums().merge(other.sums_);
  other.clear();
}

// Charges each box with the votes of a chunk that is added afterwards.
void MomentBuilder::reserve(std::span<const std::uint32_t> box, std::span<const std::uint32_t> votes) {
  for (std::size_t i = 0; i < box.size(); ++i) {
    const std::uint32_t n = votes.empty() ? 1u : votes[i];
    if (spent_[box[i]] + n > kMostSpent) flush(box[i]);
    spent_[box[i]] += n;
  }
}

void MomentBuilder::update_single(std::span<const std::uint32_t> box, std::span<const double> t,
                                  std::span<const double> hits) {
  for (std::size_t i = 0; i < box.size(); i += kChunk) {
    const std::size_t n = std::min(kChunk, box.size() - i);
    reserve(box.subspan(i, n), {});
    detail::add_single(box.data() + i, t.data() + i, hits.data() + i, n, narrow_.data());
  }
}

void MomentBuilder::update_exact(std::uint32_t box, double t, double mass, double hits) {
  const detail::Series v = detail::chebyshev(t);
  BoxMoments& sums = exact_sums();
  for (std::size_t k = 0; k < kMoments; ++k) {
    const double value = from_fixed(to_fixed(v[k]));
    sums.w[box * kMoments + k].add(mass * value);
    if (hits != 0.0) sums.wy[box * kMoments + k].add(hits * value);
  }
}

void MomentBuilder::update(std::span<const std::uint32_t> box, std::span<const double> t,
                           const ForecastsView& f) {
  if (f.trials.empty() && f.weight.empty() && f.times.empty() && f.whole_counts)
    return update_single(box, t, f.hits);
  std::array<std::uint32_t, kChunk> votes, a, where;
  std::array<double, kChunk> y, at;
  for (std::size_t begin = 0; begin < f.size(); begin += kChunk) {
    const std::size_t end = std::min(begin + kChunk, f.size());
    std::size_t n = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double trials = f.trials_of(i);
      const double w = f.weight_of(i);
      const double mass = w * trials;
      if (!(mass > 0.0)) continue;
      const double mean = f.hits[i] / trials;
      const bool narrow = detail::is_narrow(f, w, mass) && mean >= -1.0 && mean <= 2.0;
      if (!narrow) {
        update_exact(box[i], t[i], mass, w * f.hits[i]);
        continue;
      }
      votes[n] = static_cast<std::uint32_t>(mass);
      if (f.whole_counts) {
        a[n] = static_cast<std::uint32_t>(w * f.hits[i]);
      } else {
        y[n] = mean;
      }
      where[n] = box[i];
      at[n] = t[i];
      ++n;
    }
    std::size_t from = 0;
    while (from < n) {
      std::size_t to = from;
      std::uint32_t sum = 0;
      while (to < n && sum + votes[to] <= kMostOfChunk) sum += votes[to++];
      const std::size_t m = to - from;
      reserve({where.data() + from, m}, {votes.data() + from, m});
      if (f.whole_counts) {
        for (std::size_t i = from; i < to; ++i) votes[i] -= a[i];
        detail::add_whole(where.data() + from, at.data() + from, votes.data() + from, a.data() + from, m,
                          narrow_.data());
      } else {
        detail::add_real(where.data() + from, at.data() + from, y.data() + from, votes.data() + from, m,
                         narrow_.data());
      }
      from = to;
    }
  }
}

BoxMoments MomentBuilder::finish() {
  flush_all();
  BoxMoments out = std::move(exact_sums());
  for (std::size_t b = 0; b < spent_.size(); ++b) {
    if (wide_place_[b] == 0) continue;
    const Wide& wide = wide_of(b);
    for (std::size_t k = 0; k < kMoments; ++k) {
      const int128 hits = wide[kMoments + k];
      out.w[b * kMoments + k].add_scaled(hits + wide[k], -kFractionBits);
      out.wy[b * kMoments + k].add_scaled(hits, -kFractionBits);
    }
  }
  clear();
  return out;
}

MomentValues MomentBuilder::finish_values() {
  if (!sums_.w.empty()) return MomentValues(finish());
  MomentValues out(spent_.size());
  int128 total = 0;
  for (std::size_t b = 0; b < spent_.size(); ++b) {
    if (spent_[b] == 0 && wide_place_[b] == 0) continue;
    std::int64_t* narrow = narrow_.data() + b * detail::kNarrowOfBox;
    const auto read = [&](const auto& sum) {
      for (std::size_t k = 0; k < kMoments; ++k) {
        out.w[b][k] = static_cast<double>(sum(kMoments + k) + sum(k)) * (1.0 / kFixedOne);
        out.wy[b][k] = static_cast<double>(sum(kMoments + k)) * (1.0 / kFixedOne);
      }
      total += sum(kMoments) + sum(0);
    };
    if (wide_place_[b] == 0) {
      read([&](std::size_t k) { return narrow[k]; });
    } else {
      const Wide& wide = wide_of(b);
      read([&](std::size_t k) { return wide[k] + narrow[k]; });
    }
    std::fill(narrow, narrow + detail::kNarrowOfBox, 0);
    spent_[b] = 0;
  }
  out.weight = static_cast<double>(total) * (1.0 / kFixedOne);
  clear();
  return out;
}

}  // namespace plumb
