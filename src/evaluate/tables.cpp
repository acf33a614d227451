#include "evaluate/tables.hpp"

#include <algorithm>

#include "plumb/resample/interval.hpp"

namespace plumb::detail {

Table reliability_rows(const ReliabilityTable& t, const std::vector<std::vector<double>>& null_mean_y,
                       double level) {
  Table out;
  out.columns = {"low", "high", "items", "votes", "weight", "mean_p", "mean_y", "gap"};
  if (!null_mean_y.empty()) out.columns.insert(out.columns.end(), {"band_low", "band_high"});
  for (int b = 0; b < t.edges.count(); ++b) {
    const Bin& c = t.bins[static_cast<std::size_t>(b)];
    std::vector<Value> row{t.edges.low(b), t.edges.high(b), static_cast<std::int64_t>(c.items),
                           static_cast<std::int64_t>(c.votes), c.w.value()};
    const bool empty = c.w.is_zero();
    if (empty) {
      row.insert(row.end(), 3, Value{});
    } else {
      ExactSum gap = c.wp;
      gap.subtract(c.wy);
      row.insert(row.end(), {c.mean_p(), c.mean_y(), gap.value() / c.w.value()});
    }
    if (!null_mean_y.empty()) {
      if (empty) {
        row.insert(row.end(), 2, Value{});
      } else {
        const Bounds band = percentile_bounds(null_mean_y[static_cast<std::size_t>(b)], level);
        row.insert(row.end(), {std::clamp(band.low, 0.0, 1.0), std::clamp(band.high, 0.0, 1.0)});
      }
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace plumb::detail
