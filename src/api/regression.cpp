#include "plumb/api/regression.hpp"

#include <algorithm>

#include "api/only_one.hpp"
#include "plumb/data/predictions.hpp"
#include "plumb/regression/shift.hpp"

namespace plumb {
namespace {

/// One column, or one of each pass.
std::vector<Rows> passes(const detail::Choice& given, const Data& samples) {
  if (given.data == nullptr) return {};
  const Rows rows = given.data->rows(given.name);
  return given.data == &samples ? split_samples(rows) : std::vector{rows};
}

}  // namespace

RegressionItems make_regression_items(const RegressionColumns& c) {
  const detail::Choice mean = detail::only_one({{"mean", &c.mean}, {"mean_samples", &c.mean_samples}});
  const detail::Choice total = detail::only_one({{"variance", &c.variance}, {"std", &c.std}});
  const detail::Choice aleatoric =
      detail::only_one({{"aleatoric", &c.aleatoric}, {"variance_samples", &c.variance_samples}});
  RegressionItems items;
  items.mean = passes(mean, c.mean_samples);
  items.targets = c.targets.rows("targets");
  items.errors = c.errors.rows("errors");
  if (total.data != nullptr) items.total = total.data->rows(total.name);
  items.total_is_std = total.data == &c.std;
  items.aleatoric = passes(aleatoric, c.variance_samples);
  items.epistemic = c.epistemic.rows("epistemic");
  items.weights = ordinary_weights(c.weights.rows("weights"));
  items.groups = Names(c.groups.rows("groups"));
  if (Names by(c.by.rows("by")); !by.empty()) items.by = {std::move(by)};
  for (const auto& [name, column] : c.slices) items.by.emplace_back(column.rows(name));
  check_regression(items, c.targets.given() || c.errors.given());
  return items;
}

void add_reference(const Data& reference, bool in_std, const RegressionItems& items,
                   const RegressionOptions& o, Result& result) {
  RegressionItems other;
  other.total = reference.rows("reference");
  other.total_is_std = in_std;
  check_regression(other, false);
  const std::vector<double> here = item_variances(items, o.clip, o.threads);
  const std::vector<double> there = item_variances(other, o.clip, o.threads);
  add_shift(compare_uncertainty(here, there, kShiftBins, o.threads), result);
}

std::vector<double> variances(const RegressionItems& items) {
  const std::int64_t n = items.size(), d = items.outputs();
  std::vector<double> out(n * d);
  RegressionBlock block;
  for (std::int64_t begin = 0; begin < n; begin += block_rows(items)) {
    read_regression(items, begin, std::min(n, begin + block_rows(items)), block);
    for (std::int64_t i = 0; i < block.size; ++i)
      for (std::int64_t j = 0; j < d; ++j) out[(begin + i) * d + j] = block.variance[j * block.size + i];
  }
  return out;
}

}  // namespace plumb
