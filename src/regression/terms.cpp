#include "regression/terms.hpp"

#include <algorithm>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_columns.hpp"
#include "regression/term_kernels.hpp"

namespace plumb::detail {
namespace {

void output_terms(std::span<const double> error, std::span<const double> variance, OutputTerms& t) {
  const std::size_t n = error.size();
  for (auto* column : {&t.sigma, &t.abs_err, &t.err2, &t.abs_z, &t.z2, &t.log_variance, &t.crps, &t.scratch})
    column->resize(n);
  t.variance = variance;
  t.degenerate = entry_terms(error.data(), variance.data(), n, t.sigma.data(), t.abs_err.data(),
                             t.err2.data(), t.abs_z.data(), t.z2.data(), t.scratch.data());
  exp_block(t.scratch, t.scratch);
  crps_terms(t.sigma.data(), t.abs_z.data(), t.scratch.data(), n, t.crps.data());
  t.finite_z.clear();
  if (t.degenerate == 0) {
    log_block(variance, t.log_variance);
    return;
  }
  // Without a usable z an entry is counted, and stays out of the sums that need one. The CRPS of a
  // point is |error|.
  t.finite_z = t.abs_z;
  std::copy(variance.begin(), variance.end(), t.log_variance.begin());
  for (std::size_t i = 0; i < n; ++i) {
    if (t.has_z(i)) continue;
    t.finite_z[i] = 0;
    t.log_variance[i] = 1;
    t.crps[i] = t.abs_err[i];
  }
  log_block(t.log_variance, t.log_variance);
}

/// `from_bins`: squared errors and variances come from the bins, which add up to them exactly.
void add_output(const OutputTerms& t, std::span<const double> w, bool weights_are_one, bool from_bins,
                OutputSums& s) {
  const std::size_t n = t.err2.size();
  if (w.empty()) {
    s.entries += n;
    s.degenerate += t.degenerate;
    s.weight.add(n);
    for (std::size_t q = 0; q < kCoverageLevels.size(); ++q)
      s.inside[q].add(count_at_most(t.abs_z.data(), n, coverage_quantiles()[q]));
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      s.entries += w[i] > 0;
      if (t.degenerate > 0 && w[i] > 0 && !t.has_z(i)) ++s.degenerate;
    }
    add_column(s.weight, w);
    for (std::size_t q = 0; q < kCoverageLevels.size(); ++q) {
      const double bound = coverage_quantiles()[q];
      if (weights_are_one) {  // sums of small whole numbers are exact
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += t.abs_z[i] <= bound ? w[i] : 0.0;
        s.inside[q].add(sum);
      } else {
        add_terms(s.inside[q], n, [&](std::size_t i) { return t.abs_z[i] <= bound ? w[i] : 0.0; });
      }
    }
  }
  if (!from_bins) add_column(s.err2, t.err2, w);
  add_column(s.abs_err, t.abs_err, w);
  add_column(s.log_variance, t.log_variance, w);
  add_column(s.z2, t.z2, w);
  add_column(s.abs_z, t.finite_z.empty() ? t.abs_z : t.finite_z, w);
  add_column(s.crps, t.crps, w);
  add_column(s.sigma, t.sigma, w);
  if (!from_bins) add_column(s.variance, t.variance, w);
}

void add_bins(std::span<const double> uncertainty, std::span<const double> error, std::span<const double> w,
              UncertaintyBins& into, OutputSums* totals = nullptr) {
  const std::size_t n = uncertainty.size();
  const std::size_t bins = into.bins.size();
  thread_local std::vector<double> place, x, y;
  thread_local std::vector<std::uint32_t> index;
  thread_local std::vector<ExactSum> sums;
  place.resize(n);
  index.resize(n);
  place_bins(uncertainty.data(), n, into.low, into.high, narrow<int>(bins), place.data());
  for (std::size_t i = 0; i < n; ++i) index[i] = static_cast<std::uint32_t>(place[i]);
  std::vector<std::uint64_t> count(bins + 1);
  if (w.empty()) {
    for (std::size_t i = 0; i < n; ++i) ++count[index[i]];
  } else {
    for (std::size_t i = 0; i < n; ++i) count[index[i]] += w[i] > 0;
    x.resize(n);
    y.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = uncertainty[i] * w[i];
      y[i] = error[i] * w[i];
    }
    uncertainty = x;
    error = y;
  }
  into.dropped += count[bins];
  sums.resize(bins + 1);
  const auto each = [&](std::span<const double> column, auto member, ExactSum* total) {
    std::fill(sums.begin(), sums.end(), ExactSum{});
    add_by_bin(sums, index, column);
    for (std::size_t c = 0; c < bins; ++c)
      if (count[c] > 0) (into.bins[c].*member).merge(sums[c]);
    if (total != nullptr)
      for (const ExactSum& sum : sums) total->merge(sum);  // the last is what lies outside
  };
  each(uncertainty, &UncertaintyBins::Bin::uncertainty, totals != nullptr ? &totals->variance : nullptr);
  each(error, &UncertaintyBins::Bin::error, totals != nullptr ? &totals->err2 : nullptr);
  if (!w.empty()) each(w, &UncertaintyBins::Bin::weight, nullptr);
  for (std::size_t c = 0; c < bins; ++c) {
    into.bins[c].items += count[c];
    if (w.empty() && count[c] > 0) into.bins[c].weight.add(count[c]);
  }
}

}  // namespace

std::uint64_t raise_variances(RegressionBlock& block, double clip) {
  if (!(clip > 0)) return 0;
  std::uint64_t raised = 0;
  for (double& v : block.variance) {
    raised += v < clip;
    v = std::max(v, clip);
  }
  return raised;
}

std::span<const double> by_item(const RegressionBlock& b, std::span<const double> column,
                                std::vector<double>& out) {
  if (b.outputs == 1) return column;
  out.assign(b.size, 0.0);
  for (int j = 0; j < b.outputs; ++j)
    for (std::int64_t i = 0; i < b.size; ++i) out[i] += column[j * b.size + i];
  for (double& x : out) x /= b.outputs;
  return out;
}

void BlockTerms::read(const RegressionItems& items, std::int64_t begin, std::int64_t end, double clip) {
  read_regression(items, begin, end, block);
  clipped = raise_variances(block, clip);
  const int d = block.outputs;
  output.resize(d);
  for (int j = 0; j < d; ++j)
    output_terms(block.output_column(block.error, j), block.output_column(block.variance, j), output[j]);
  variance = by_item(block, block.variance, mean_variance);
  if (d == 1) {
    err2 = output[0].err2;
  } else {
    mean_err2.assign(block.size, 0.0);
    for (const OutputTerms& t : output)
      for (std::int64_t i = 0; i < block.size; ++i) mean_err2[i] += t.err2[i];
    for (double& x : mean_err2) x /= d;
    err2 = mean_err2;
  }
  second.clear();
  aleatoric = {};
  if (block.aleatoric.empty()) return;
  aleatoric = by_item(block, block.aleatoric, mean_aleatoric);
  const std::span<const double> epistemic = by_item(block, block.epistemic, second);
  if (d == 1) second.assign(epistemic.begin(), epistemic.end());
  for (std::int64_t i = 0; i < block.size; ++i) second[i] += err2[i];
}

void add_block(const BlockTerms& terms, std::span<const double> multiplier, RegressionSums& sums) {
  const bool weights_are_one = terms.block.weight.empty();
  const bool shared = terms.output.size() == 1 && !sums.uce.bins.empty();
  for (std::size_t j = 0; j < terms.output.size(); ++j)
    add_output(terms.output[j], multiplier, weights_are_one, shared, sums.output[j]);
  if (multiplier.empty()) {
    sums.items += terms.block.size;
  } else {
    for (const double w : multiplier) sums.items += w > 0;
  }
  sums.clipped += terms.clipped;
  if (!sums.uce.bins.empty())
    add_bins(terms.variance, terms.err2, multiplier, sums.uce, shared ? &sums.output[0] : nullptr);
  if (!sums.uce_mc.bins.empty()) add_bins(terms.variance, terms.second, multiplier, sums.uce_mc);
  if (!sums.uce_aleatoric.bins.empty()) add_bins(terms.aleatoric, terms.err2, multiplier, sums.uce_aleatoric);
}

}  // namespace plumb::detail
