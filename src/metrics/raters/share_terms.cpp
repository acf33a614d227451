// Forecasts and shares as integers, and the sign-flip null.
#include <algorithm>

#include "metrics/raters/share_kernels.hpp"
#include "metrics/raters/share_pass.hpp"
#include "plumb/numeric/fixed_point.hpp"

namespace plumb {
namespace {

// A residual is at most 2^50 in size: 2^13 - 1 of them stay below 2^63.
constexpr std::int64_t kNarrowItems = 8190;

bool same_width(std::span<const Cells> cells) {
  return std::all_of(cells.begin(), cells.end(),
                     [&](const Cells& c) { return c.equal_width && c.bins == cells[0].bins; });
}

}  // namespace

void put_forecasts(std::span<const double> p, std::span<const Cells> cells, ShareTerms& t) {
  const std::size_t columns = cells.size();
  t.columns = columns;
  t.size = columns == 0 ? 0 : p.size() / columns;
  t.cell.resize(p.size());
  t.forecast.resize(p.size());
  if (columns == 0) return;
  if (same_width(cells)) {
    const std::size_t period = columns * detail::kShareLanes;
    thread_local std::vector<std::uint32_t> first;
    first.resize(period);
    for (std::size_t j = 0; j < period; ++j) first[j] = j % columns * cells[0].bins;
    detail::place_shares(p.data(), p.size(), cells[0].bins, first.data(), period, t.cell.data(),
                         t.forecast.data());
    return;
  }
  for (std::size_t j = 0; j < p.size(); ++j) t.forecast[j] = {to_fixed(p[j]), to_fixed(p[j] * p[j])};
  std::uint32_t first = 0;
  for (std::size_t k = 0; k < columns; ++k) {
    for (std::size_t j = k; j < p.size(); j += columns) t.cell[j] = first + cells[k].of(p[j]);
    first += cells[k].count();
  }
}

void detail::begin_shares(std::size_t size, std::size_t most, std::span<const double> weight, ShareTerms& t) {
  t.offset.resize(size + 1);
  t.votes.resize(size);
  t.column.resize(most);
  t.share.resize(most);
  t.weight.assign(weight.begin(), weight.end());
  t.offset[0] = 0;
}

ShareNull::ShareNull(std::vector<Cells> cells) : cells_(std::move(cells)) {
  std::size_t n = 0;
  for (const Cells& c : cells_) n += c.count();
  unit_.resize(n);
  narrow_.resize(n);
}

void ShareNull::update(const ShareTerms& t, std::span<const std::int8_t> signs) {
  if (!t.weight.empty()) return update_weighted(t, signs);
  const std::size_t columns = cells_.size();
  for (std::int64_t i = 0; i < t.size; ++i) {
    if (t.votes[i] == 0) continue;
    if (++pending_ > kNarrowItems) flush();
    const std::int64_t flip = signs[i] < 0 ? -1 : 0;  // (x ^ flip) - flip is x or -x
    const std::uint32_t* const cell = t.cell.data() + i * t.columns;
    const FixedForecast* const f = t.forecast.data() + i * t.columns;
    Narrow* const narrow = narrow_.data();
    for (std::size_t k = 0; k < columns; ++k) {
      narrow[cell[k]].items += 1;
      narrow[cell[k]].r -= (f[k].p ^ flip) - flip;
    }
    for (std::uint32_t e = t.offset[i]; e < t.offset[i + 1]; ++e)
      if (t.column[e] < columns) narrow[cell[t.column[e]]].r += (t.share[e].mu ^ flip) - flip;
  }
  flush();
}

void ShareNull::update_weighted(const ShareTerms& t, std::span<const std::int8_t> signs) {
  if (weighted_.empty()) weighted_.resize(unit_.size());
  for (std::int64_t i = 0; i < t.size; ++i) {
    if (t.votes[i] == 0) continue;
    const double w = t.weight[i], signed_w = w * signs[i];
    const std::uint32_t* const cell = t.cell.data() + i * t.columns;
    const FixedForecast* const f = t.forecast.data() + i * t.columns;
    for (std::size_t k = 0; k < cells_.size(); ++k) {
      weighted_[cell[k]].w.add(w);
      weighted_[cell[k]].wr.add(-signed_w * from_fixed(f[k].p));
    }
    for (std::uint32_t e = t.offset[i]; e < t.offset[i + 1]; ++e)
      if (t.column[e] < cells_.size())
        weighted_[cell[t.column[e]]].wr.add(signed_w * from_fixed(t.share[e].mu));
  }
}

void ShareNull::flush() {
  for (std::size_t i = 0; i < unit_.size(); ++i) {
    unit_[i].r += narrow_[i].r;
    unit_[i].items += narrow_[i].items;
    narrow_[i] = {};
  }
  pending_ = 0;
}

void ShareNull::merge(const ShareNull& other) {
  for (std::size_t i = 0; i < unit_.size(); ++i) {
    unit_[i].r += other.unit_[i].r;
    unit_[i].items += other.unit_[i].items;
  }
  if (weighted_.empty()) weighted_.resize(other.weighted_.size());
  for (std::size_t i = 0; i < other.weighted_.size(); ++i) {
    weighted_[i].w.merge(other.weighted_[i].w);
    weighted_[i].wr.merge(other.weighted_[i].wr);
  }
}

std::vector<double> ShareNull::cl_plugin() const {
  std::vector<double> out;
  std::size_t at = 0;
  for (const Cells& cells : cells_) {
    ExactSum total;
    double sum = 0;
    for (int b = 0; b < cells.count(); ++b, ++at) {
      ExactSum w, r;
      w.add_scaled(unit_[at].items, 0);
      r.add_scaled(unit_[at].r, -kFractionBits);
      if (!weighted_.empty()) {
        w.merge(weighted_[at].w);
        r.merge(weighted_[at].wr);
      }
      total.merge(w);
      if (const double in_cell = w.value(); in_cell > 0) sum += r.value() * r.value() / in_cell;
    }
    out.push_back(total.is_zero() ? 0 : sum / total.value());
  }
  return out;
}

}  // namespace plumb
