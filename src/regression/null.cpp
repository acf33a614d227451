#include "regression/null.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/numeric/special.hpp"
#include "plumb/resample/interval.hpp"

namespace plumb::detail {
namespace {

/// Of all items, raised to the clip.
std::vector<double> predicted_variances(const RegressionItems& items, double clip) {
  std::vector<double> out(items.size());
  RegressionBlock block;
  for (std::int64_t begin = 0; begin < items.size(); begin += block_rows(items)) {
    read_regression(items, begin, std::min(items.size(), begin + block_rows(items)), block);
    for (std::int64_t i = 0; i < block.size; ++i) out[begin + i] = std::max(block.variance[i], clip);
  }
  return out;
}

}  // namespace

void add_regression_p_values(const RegressionItems& items, const PreparedRegression& prepared,
                             const RegressionSelection& selection, const RegressionOptions& o,
                             MetricResults& metrics) {
  if (!items.groups.empty() || items.outputs() != 1) return;
  std::vector<std::string> keys;
  for (const MetricRow* row : selection.rows)
    if (row->null) keys.emplace_back(row->key);
  if (keys.empty()) return;
  const RegressionSelection part = select_regression(keys, false);
  const std::vector<double> variance = predicted_variances(items, o.clip);
  RegressionOptions one = o;
  one.threads = 1;
  one.range = prepared.plan().variance;
  one.progress = {};
  const std::int64_t n = items.size();
  std::vector<std::uint64_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0);
  std::vector<Scores> null(o.bootstrap);
  parallel_blocks(o.bootstrap, 1, o.threads, [&](int, std::int64_t b, std::int64_t) {
    if (o.cancel.stop_requested()) throw Cancelled();
    constexpr double kHalfStep = 0x1p-54;  // keeps the uniform number above 0
    std::vector<double> error(n);
    fill_uniform(o.seed, Purpose::null_labels, static_cast<std::uint32_t>(b), rows, error);
    for (std::int64_t i = 0; i < n; ++i)
      error[i] = std::sqrt(variance[i]) * normal_quantile(error[i] + kHalfStep);
    RegressionItems drawn;
    drawn.errors = Rows(array_of(std::move(error), {n}, "errors"));
    drawn.total = Rows(view_of(std::span<const double>(variance), {n}, "variance"));
    drawn.weights = items.weights;
    const PreparedRegression own(drawn, part, one);
    null[b] = own.finish(own.products());
  });
  for (auto& [key, m] : metrics) {
    if (!m.value || std::find(keys.begin(), keys.end(), key) == keys.end()) continue;
    std::vector<double> values;
    for (const Scores& s : null)
      if (const Estimate& x = s.find(key)->second) values.push_back(*x.value);
    if (values.empty()) continue;
    m.null_mean = mean(values);
    m.p_value = p_value(*m.value, values);
  }
}

}  // namespace plumb::detail
