// Forecasts and shares as integers, and the sign-flip null.
#include <algorithm>

#include "plumb/metrics/raters/share_builder.hpp"
#include "plumb/numeric/fixed_point.hpp"

namespace plumb {
namespace {

bool same_width(std::span<const Cells> cells) {
  return std::all_of(cells.begin(), cells.end(),
                     [&](const Cells& c) { return c.equal_width && c.bins == cells[0].bins; });
}

}  // namespace

void put_forecasts(std::span<const double> p, std::span<const Cells> cells, ShareTerms& t) {
  const std::size_t columns = cells.size();
  t.columns = columns;
  t.size = columns == 0 ? 0 : static_cast<std::int64_t>(p.size() / columns);
  t.cell.resize(p.size());
  t.forecast.resize(p.size());
  FixedForecast* const f = t.forecast.data();
  for (std::size_t j = 0; j < p.size(); ++j) f[j] = {to_fixed(p[j]), to_fixed(p[j] * p[j])};
  std::uint32_t* const cell = t.cell.data();
  if (same_width(cells)) {
    const int bins = cells[0].bins;
    const double scale = bins;
    for (std::size_t i = 0; i < p.size(); i += columns) {
      int first = 0;
      for (std::size_t k = 0; k < columns; ++k, first += bins)
        cell[i + k] =
            static_cast<std::uint32_t>(first + std::min(static_cast<int>(p[i + k] * scale), bins - 1));
    }
    return;
  }
  std::uint32_t first = 0;
  for (std::size_t k = 0; k < columns; ++k) {
    for (std::size_t j = k; j < p.size(); j += columns)
      cell[j] = first + static_cast<std::uint32_t>(cells[k].of(p[j]));
    first += static_cast<std::uint32_t>(cells[k].count());
  }
}

void put_share(double mu, double g, double p, std::uint32_t column, ShareTerms& t) {
  t.column.push_back(column);
  t.share.push_back({to_fixed(mu), to_fixed(mu * mu), to_fixed(g), 2 * to_fixed(p * mu)});
}

ShareNull::ShareNull(std::vector<Cells> cells) : cells_(std::move(cells)) {
  std::size_t n = 0;
  for (const Cells& c : cells_) n += static_cast<std::size_t>(c.count());
  unit_.resize(n);
}

void ShareNull::update(const ShareTerms& t, std::span<const std::int8_t> signs) {
  const bool weights = !t.weight.empty();
  if (weights && weighted_.empty()) weighted_.resize(unit_.size());
  for (std::int64_t i = 0; i < t.size; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (t.votes[at] == 0) continue;
    const std::int64_t sign = signs[at];
    const double w = weights ? t.weight[at] : 1;
    const std::uint32_t* const cell = t.cell.data() + at * t.columns;
    const FixedForecast* const f = t.forecast.data() + at * t.columns;
    for (std::size_t k = 0; k < cells_.size(); ++k) {
      if (weights) {
        weighted_[cell[k]].w.add(w);
        weighted_[cell[k]].wr.add(w * from_fixed(-sign * f[k].p));
      } else {
        unit_[cell[k]].items += 1;
        unit_[cell[k]].r -= sign * f[k].p;
      }
    }
    for (std::uint32_t e = t.offset[at]; e < t.offset[at + 1]; ++e) {
      if (t.column[e] >= cells_.size()) continue;
      const std::uint32_t c = cell[t.column[e]];
      if (weights) {
        weighted_[c].wr.add(w * from_fixed(sign * t.share[e].mu));
      } else {
        unit_[c].r += sign * t.share[e].mu;
      }
    }
  }
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
      w.add_scaled(static_cast<int128>(unit_[at].items), 0);
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
