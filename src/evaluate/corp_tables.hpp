// Tables of the CORP reliability diagram (Dimitriadis, Gneiting and Jordan 2021).
#pragma once

#include <vector>

#include "evaluate/prepared.hpp"
#include "plumb/result.hpp"

namespace plumb::detail {

/// Forecasts at which the consistency band is computed: an even grid between the least and the largest.
/// Empty unless a miscalibration part of CORP was asked for.
[[nodiscard]] std::vector<double> corp_grid(const Prepared& prepared);

/// The rows of "reliability_corp".
[[nodiscard]] Table corp_block_rows(const std::vector<IsotonicBlock>& blocks);

/// Adds "reliability_corp": the blocks of the isotonic fit; and with null draws "corp_band": at each forecast
/// of the grid the fit, and where the fits of a calibrated model lie. The band is pointwise.
/// `independent`: one vote per item, no groups, no weights. The table "corp_honest" takes the dependence of
/// other votes into account; it is left out where that is not known.
void add_corp_tables(const Prepared& prepared, const std::vector<Drawn>& null, double level, bool independent,
                     Result& result);

}  // namespace plumb::detail
