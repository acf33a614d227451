#include "evaluate/corp_tables.hpp"

#include <algorithm>

namespace plumb::detail {
namespace {

bool asked_for(const Prepared& prepared) {
  return prepared.selection().has("mcb") || prepared.selection().has("log_mcb");
}

}  // namespace

Table corp_block_rows(const std::vector<IsotonicBlock>& blocks) {
  Table out;
  out.columns = {"low", "high", "weight", "frequency"};
  for (const IsotonicBlock& b : blocks) out.rows.push_back({b.low, b.high, b.mass, b.mean()});
  return out;
}

std::vector<double> corp_grid(const Prepared& prepared) {
  std::vector<double> out;
  if (!asked_for(prepared)) return out;
  const std::vector<IsotonicBlock> blocks = prepared.isotonic();
  if (blocks.empty()) return out;
  for (const double p : even_grid())
    if (p >= blocks.front().low && p <= blocks.back().high) out.push_back(p);
  return out;
}

void add_corp_tables(const Prepared& prepared, const std::vector<Drawn>& null, double level, bool independent,
                     Result& result) {
  if (!asked_for(prepared)) return;
  const std::vector<IsotonicBlock> blocks = prepared.isotonic();
  result.tables.emplace_back("reliability_corp", corp_block_rows(blocks));
  const std::vector<double> grid = corp_grid(prepared);
  const std::vector<double> fit = isotonic_at(blocks, grid);
  const std::optional<double> dependence = independent ? 1.0 : prepared.dependence();
  if (dependence && !grid.empty()) {
    const HonestBand honest = prepared.honest(grid, level, *dependence);
    Table t{{"p", "estimate", "low", "high"}, {}};
    for (std::size_t i = 0; i < grid.size(); ++i)
      t.rows.push_back({grid[i], fit[i], honest.low[i], honest.high[i]});
    result.tables.emplace_back("corp_honest", std::move(t));
  }
  Table band;
  band.columns = {"p", "estimate", "band_low", "band_high"};
  for (std::size_t i = 0; i < grid.size(); ++i) {
    std::vector<double> drawn;
    for (const Drawn& d : null)
      if (i < d.corp_curve.size()) drawn.push_back(d.corp_curve[i]);
    if (drawn.empty()) return;
    const Bounds b = percentile_bounds(std::move(drawn), level);
    band.rows.push_back({grid[i], fit[i], std::clamp(b.low, 0.0, 1.0), std::clamp(b.high, 0.0, 1.0)});
  }
  if (!band.rows.empty()) result.tables.emplace_back("corp_band", std::move(band));
}

}  // namespace plumb::detail
