#include "regression/tables.hpp"

#include <algorithm>
#include <iterator>

#include "plumb/numeric/special.hpp"

namespace plumb::detail {

Result describe(const RunWords& words, std::int64_t items, std::int64_t outputs, std::int64_t passes,
                const std::optional<RegressionRange>& range, const RegressionOptions& o,
                const std::vector<const MetricRow*>& rows) {
  Result r;
  r.version = version();
  r.command = words.command;
  r.task = "regression";
  r.items = items;
  std::vector<std::string> keys;
  for (const MetricRow* row : rows) keys.emplace_back(row->key);
  r.settings = {{"uncertainty", std::string(words.uncertainty)},
                {"error", std::string("target - mean")},
                {"outputs", outputs},
                {"samples", passes},
                {"bins", std::int64_t{o.bins}},
                {"cell", std::string(words.bin)},
                {"range_choice", std::string(words.range_choice)},
                {"range", range ? Value(std::vector<double>{range->low, range->high}) : Value{}},
                {"clip", o.clip},
                {"bootstrap", std::int64_t{o.bootstrap}},
                {"level", o.level},
                {"tolerance", o.tolerance},
                {"seed", o.seed},
                {"metrics", keys},
                {"unit", std::string(words.unit)}};
  return r;
}

Table uncertainty_table(const UncertaintyBins& bins) {
  Table out{{"low", "high", "items", "weight", "mean_uncertainty", "mean_error", "gap"}, {}};
  const std::int64_t count = std::ssize(bins.bins);
  const double step = (bins.high - bins.low) / count;
  for (std::int64_t b = 0; b < count; ++b) {
    const auto& c = bins.bins[b];
    const double high = b + 1 == count ? bins.high : bins.low + step * (b + 1);
    std::vector<Value> row{bins.low + step * b, high, narrow<std::int64_t>(c.items)};
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
  const auto coverage = columns != nullptr ? central_coverage(*columns, levels) : std::vector<double>{};
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const auto metric = std::ranges::find(kCoverageLevels, levels[k]);  // where there is one, its value
    if (metric != kCoverageLevels.end()) {
      add(levels[k], total.inside[metric - kCoverageLevels.begin()].value() / w);
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
  constexpr const char* kKeys[] = {"mse",         "mae",         "nll",         "nll_laplace",
                                   "zms",         "coverage_50", "coverage_90", "coverage_95",
                                   "coverage_99", "width_95",    "crps",        "sharpness"};
  Table out{{"output"}, {}};
  out.columns.insert(out.columns.end(), std::begin(kKeys), std::end(kKeys));
  for (std::int64_t j = 0; j < std::ssize(sums.output); ++j) {
    Scores scores = sum_scores(sums.output[j]);
    std::vector<Value> row{j};
    for (const char* key : kKeys) {
      const std::optional<double> value = scores[key].value;
      row.push_back(value ? Value(*value) : Value{});
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace plumb::detail
