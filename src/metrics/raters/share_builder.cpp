#include "plumb/metrics/raters/share_builder.hpp"

#include <stdexcept>
#include <utility>

#include "plumb/numeric/fixed_point.hpp"

namespace plumb {
namespace {

constexpr int kUnitExponent = -kFractionBits;
// |p|, |p^2 - 2 p mu|, ... are at most 2^50 each: 2^13 - 1 of them stay below 2^63.
constexpr std::int64_t kUnitFlush = 8191;
// t <= 2^24, so t^2 mu^2 is below 2^98; 2^28 of them stay below 2^127.
constexpr std::uint32_t kMostTimes = 1u << 24;
constexpr std::int64_t kDrawnFlush = std::int64_t{1} << 28;

/// Integer bins enter the exact ones and are then empty.
template <class Whole>
void move_into(std::vector<ShareBin>& to, std::vector<Whole>& from) {
  if (to.empty()) to.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    Whole& u = from[i];
    if (u.items == 0) continue;
    ShareBin& c = to[i];
    c.items += u.items;
    c.votes += u.votes;
    c.w.add_scaled(u.w(), 0);
    c.ww.add_scaled(u.ww(), 0);
    c.wp.add_scaled(u.p, kUnitExponent);
    c.wsq.add_scaled(u.sq, kUnitExponent);
    c.wmu.add_scaled(u.mu, kUnitExponent);
    c.wmm.add_scaled(u.mm, kUnitExponent);
    c.wwmm.add_scaled(u.wwmm(), kUnitExponent);
    c.wg.add_scaled(u.g, kUnitExponent);
    u = {};
  }
}

}  // namespace

ShareBuilder::ShareBuilder(std::vector<BinEdges> edges) : table_(std::move(edges)) {}

void ShareBuilder::update(const ShareTerms& t, std::span<const std::uint32_t> times) {
  if (times.empty() && t.weight.empty()) return update_unit(t);
  for (std::int64_t at = 0; at < t.size; ++at) {
    const std::uint32_t drawn = times.empty() ? 1 : times[at];
    if (t.votes[at] == 0) {
      ++table_.left_out;
    } else if (t.weight.empty()) {
      add_drawn(t, at, drawn);
    } else {
      // With counts of up to two no product of a double is rounded: the sums are the same to the bit.
      const double w = t.weight[at] * drawn;
      if (w == 1 || w == 2) {
        add_drawn(t, at, static_cast<std::uint32_t>(w));
      } else {
        add_weighted(t, at, w);
      }
    }
  }
}

void ShareBuilder::update_unit(const ShareTerms& t) {
  for (std::int64_t at = 0; at < t.size; ++at) {
    const std::uint32_t n = t.votes[at];
    if (n == 0) {
      ++table_.left_out;
      continue;
    }
    auto& bins = n == 1 ? unit_single_ : unit_several_;
    if (bins.empty()) bins.resize(table_.size());
    if (unit_pending_ == kUnitFlush) flush();
    ++unit_pending_;
    Unit* const unit = bins.data();
    const std::uint32_t* const bin = t.bin.data() + at * t.columns;
    const FixedForecast* const f = t.forecast.data() + at * t.columns;
    for (std::size_t k = 0; k < t.columns; ++k) {
      Unit& u = unit[bin[k]];
      u.items += 1;
      u.votes += n;
      u.p += f[k].p;
      u.sq += f[k].pp;
    }
    for (std::uint32_t e = t.offset[at]; e < t.offset[at + 1]; ++e) {
      Unit& u = unit[bin[t.column[e]]];
      const FixedShare& s = t.share[e];
      u.sq -= s.twice_pmu;
      u.mu += s.mu;
      u.mm += s.mm;
      u.g += s.g;
    }
  }
}

void ShareBuilder::add_drawn(const ShareTerms& t, std::int64_t at, std::uint32_t drawn) {
  if (drawn == 0) return;
  if (drawn > kMostTimes) throw std::invalid_argument("an item was drawn more than 2^24 times");
  const std::uint32_t n = t.votes[at];
  auto& bins = n == 1 ? drawn_single_ : drawn_several_;
  if (bins.empty()) bins.resize(table_.size());
  if (drawn_pending_ == kDrawnFlush) flush();
  ++drawn_pending_;
  const std::int64_t square = std::int64_t{drawn} * drawn;
  const std::uint32_t* const bin = t.bin.data() + at * t.columns;
  const FixedForecast* const f = t.forecast.data() + at * t.columns;
  for (std::size_t k = 0; k < t.columns; ++k) {
    Drawn& d = bins[bin[k]];
    d.items += 1;
    d.votes += n;
    d.t += drawn;
    d.tt += square;
    d.p += int128{f[k].p} * drawn;
    d.sq += int128{f[k].pp} * drawn;
  }
  for (std::uint32_t e = t.offset[at]; e < t.offset[at + 1]; ++e) {
    Drawn& d = bins[bin[t.column[e]]];
    const FixedShare& s = t.share[e];
    d.sq -= int128{s.twice_pmu} * drawn;
    d.mu += int128{s.mu} * drawn;
    d.mm += int128{s.mm} * drawn;
    d.g += int128{s.g} * drawn;
    d.ttmm += int128{s.mm} * square;
  }
}

void ShareBuilder::add_weighted(const ShareTerms& t, std::int64_t at, double w) {
  if (!(w > 0)) return;
  const std::uint32_t n = t.votes[at];
  auto& bins = n == 1 ? table_.single : table_.several;
  if (bins.empty()) bins.resize(table_.size());
  const double ww = w * w;
  const std::uint32_t* const bin = t.bin.data() + at * t.columns;
  const FixedForecast* const f = t.forecast.data() + at * t.columns;
  for (std::size_t k = 0; k < t.columns; ++k) {
    ShareBin& c = bins[bin[k]];
    c.items += 1;
    c.votes += n;
    c.w.add(w);
    c.ww.add(ww);
    c.wp.add(w * from_fixed(f[k].p));
    c.wsq.add(w * from_fixed(f[k].pp));
  }
  for (std::uint32_t e = t.offset[at]; e < t.offset[at + 1]; ++e) {
    ShareBin& c = bins[bin[t.column[e]]];
    const FixedShare& s = t.share[e];
    c.wsq.add(-w * from_fixed(s.twice_pmu));
    c.wmu.add(w * from_fixed(s.mu));
    c.wmm.add(w * from_fixed(s.mm));
    c.wg.add(w * from_fixed(s.g));
    c.wwmm.add(ww * from_fixed(s.mm));
  }
}

void ShareBuilder::flush() {
  move_into(table_.single, unit_single_);
  move_into(table_.several, unit_several_);
  move_into(table_.single, drawn_single_);
  move_into(table_.several, drawn_several_);
  unit_pending_ = drawn_pending_ = 0;
}

ShareTables ShareBuilder::finish() {
  flush();
  // Without items of a kind its bins stay absent, in this table and in the next.
  for (auto* bins : {&unit_single_, &unit_several_}) bins->clear();
  for (auto* bins : {&drawn_single_, &drawn_several_}) bins->clear();
  return std::exchange(table_, ShareTables(table_.edges));
}

}  // namespace plumb
