// Checks of options and items, before and after the first pass.
#pragma once

#include "plumb/evaluate/evaluate.hpp"
#include "plumb/metrics/streaming/reliability_table.hpp"

namespace plumb::detail {

void check_options(const EvaluateOptions& options);
/// Each class has a table of so many bins, of some 2 KB each.
void check_table_size(std::int64_t classes, std::int64_t bins);
/// `total` is the event's: InputError, with the reason, where nothing entered it.
void check_mass(const Items& items, const Bin& total);

}  // namespace plumb::detail
