#include "regression/tables.hpp"

#include <cmath>

#include "plumb/numeric/special.hpp"

namespace plumb::detail {
namespace {

Value value_of(const Scores& scores, const char* key) {
  const auto at = scores.find(key);
  return at != scores.end() && at->second.value ? Value(*at->second.value) : Value{};
}

}  // namespace

Table uncertainty_table(const UncertaintyCells& cells) {
  Table out{{"low", "high", "items", "weight", "mean_uncertainty", "mean_error", "gap"}, {}};
  const auto bins = static_cast<double>(cells.cell.size());
  for (std::size_t b = 0; b < cells.cell.size(); ++b) {
    const auto& c = cells.cell[b];
    const double step = (cells.high - cells.low) / bins;
    const double high =
        b + 1 == cells.cell.size() ? cells.high : cells.low + step * static_cast<double>(b + 1);
    std::vector<Value> row{cells.low + step * static_cast<double>(b), high,
                           static_cast<std::int64_t>(c.items)};
    if (c.weight.is_zero()) {
      row.insert(row.end(), {0.0, Value{}, Value{}, Value{}});
    } else {
      const double w = c.weight.value(), u = c.uncertainty.value() / w, e = c.error.value() / w;
      row.insert(row.end(), {w, u, e, e - u});
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

Table interval_table(const OutputSums& total, const OrderedRegression* columns) {
  Table out{{"level", "coverage", "mean_width"}, {}};
  const double w = total.weight.value();
  if (!(w > 0)) return out;
  const double sigma = total.sigma.value() / w;
  const auto add = [&](double level, double coverage) {
    out.rows.push_back({level, coverage, 2 * normal_quantile(0.5 + 0.5 * level) * sigma});
  };
  std::vector<double> levels;
  for (int k = 1; k < 20; ++k) levels.push_back(k / 20.0);
  levels.push_back(0.99);
  const auto exact = [&](double level) {  // what the metrics say, where there is one
    for (std::size_t q = 0; q < kCoverageLevels.size(); ++q)
      if (kCoverageLevels[q] == level) return static_cast<int>(q);
    return -1;
  };
  const auto coverage = columns != nullptr ? central_coverage(*columns, levels) : std::vector<double>{};
  for (std::size_t k = 0; k < levels.size(); ++k) {
    if (const int q = exact(levels[k]); q >= 0) {
      add(levels[k], total.inside[static_cast<std::size_t>(q)].value() / w);
    } else if (!coverage.empty()) {
      add(levels[k], coverage[k]);
    }
  }
  return out;
}

Table rejection_table(const OrderedRegression& columns) {
  Table out{{"threshold", "rejected", "kept", "mse", "falls"}, {}};
  for (const RejectionRow& r : rejection(columns))
    out.rows.push_back({r.threshold, r.rejected, r.kept, r.mse, r.falls});
  return out;
}

Table output_table(const RegressionSums& sums) {
  const std::vector<std::string> keys{"mse",         "mae",         "nll",         "nll_laplace",
                                      "zms",         "coverage_50", "coverage_90", "coverage_95",
                                      "coverage_99", "width_95",    "crps",        "sharpness"};
  Table out{{"output"}, {}};
  out.columns.insert(out.columns.end(), keys.begin(), keys.end());
  for (std::size_t j = 0; j < sums.output.size(); ++j) {
    Scores scores;
    sum_scores(sums.output[j], scores);
    std::vector<Value> row{static_cast<std::int64_t>(j)};
    for (const std::string& key : keys) row.push_back(value_of(scores, key.c_str()));
    out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace plumb::detail
