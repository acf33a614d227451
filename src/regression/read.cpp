// Blocks of a regression's column: numbers widened, checked, put output by output.
#include <algorithm>

#include "plumb/data/check.hpp"
#include "plumb/regression/column.hpp"

namespace plumb {
namespace {

[[noreturn]] void refuse_value(const Rows& rows, const char* what, std::int64_t row, std::int64_t column,
                               double x, const std::string& expected) {
  const std::string output = rows.width() > 1 ? ", output " + std::to_string(column) : "";
  throw InputError(rows.where(row) + output + ": the " + what + " is " + show(x) + "; " + expected);
}

/// Rows [begin, end) of `rows` into `out`, output by output; a single column serves all outputs.
void read_columns(const Rows& rows, const char* what, double low, double high, const std::string& expected,
                  RegressionBlock& block, std::vector<double>& out) {
  const std::int64_t n = block.size, width = rows.width(), d = block.outputs;
  std::vector<double>& raw = width == 1 ? out : block.rows;
  raw.resize(n * width);
  rows.read(block.begin, block.begin + block.size, raw);
  bool good = true;
  for (const double x : raw) good &= x >= low && x <= high;
  if (!good) {
    for (std::int64_t k = 0; k < n * width; ++k)
      if (!(raw[k] >= low && raw[k] <= high))
        refuse_value(rows, what, block.begin + k / width, k % width, raw[k], expected);
  }
  out.resize(n * d);
  if (width == 1) {
    for (std::int64_t j = 1; j < d; ++j) std::copy_n(out.begin(), n, out.begin() + j * n);
    return;
  }
  for (std::int64_t j = 0; j < d; ++j)
    for (std::int64_t i = 0; i < n; ++i) out[j * n + i] = raw[i * width + j];
}

void read_numbers(const Rows& rows, const char* what, RegressionBlock& block, std::vector<double>& out) {
  read_columns(rows, what, -kMaxTarget, kMaxTarget, "it must be a finite number of at most 1e17", block, out);
}

void read_variance(const Rows& rows, const char* what, RegressionBlock& block, std::vector<double>& out) {
  read_columns(rows, what, 0, kMaxVariance, "a variance must be a number from 0 to 1e34", block, out);
}

/// Laves 2021, eq. 10: the mean of the passes and their 1/S variance.
void read_passes(const std::vector<Rows>& passes, RegressionBlock& block) {
  const double share = 1.0 / std::ssize(passes);
  const std::int64_t n = block.size * block.outputs;
  std::vector<std::vector<double>> all(passes.size());
  block.mean.assign(n, 0.0);
  for (std::size_t s = 0; s < passes.size(); ++s) {
    read_numbers(passes[s], "mean", block, all[s]);
    for (std::int64_t k = 0; k < n; ++k) block.mean[k] += all[s][k];
  }
  for (double& m : block.mean) m *= share;
  block.epistemic.assign(n, 0.0);
  for (const auto& pass : all)
    for (std::int64_t k = 0; k < n; ++k)
      block.epistemic[k] += (pass[k] - block.mean[k]) * (pass[k] - block.mean[k]);
  for (double& e : block.epistemic) e *= share;
}

void read_spread(const RegressionItems& items, RegressionBlock& b) {
  const std::int64_t n = b.size * b.outputs;
  if (!items.total.empty()) {
    b.aleatoric.clear();
    if (items.total_is_std) {
      read_columns(items.total, "standard deviation", 0, kMaxTarget, "it must be a finite number, at least 0",
                   b, b.variance);
      for (double& v : b.variance) v *= v;
    } else {
      read_variance(items.total, "variance", b, b.variance);
    }
    return;
  }
  if (items.passes() == 1) {
    b.epistemic.assign(n, 0.0);
    if (!items.epistemic.empty()) read_variance(items.epistemic, "epistemic variance", b, b.epistemic);
  }
  b.aleatoric.assign(n, 0.0);
  for (const Rows& rows : items.aleatoric) {
    read_variance(rows, "aleatoric variance", b, b.scratch);
    for (std::int64_t k = 0; k < n; ++k) b.aleatoric[k] += b.scratch[k];
  }
  if (items.aleatoric.size() > 1) {
    const double share = 1.0 / std::ssize(items.aleatoric);
    for (double& a : b.aleatoric) a *= share;
  }
  b.variance.resize(n);
  for (std::int64_t k = 0; k < n; ++k) b.variance[k] = b.aleatoric[k] + b.epistemic[k];
}

}  // namespace

void read_regression(const RegressionItems& items, std::int64_t begin, std::int64_t end,
                     RegressionBlock& out) {
  out.begin = begin;
  out.size = end - begin;
  out.outputs = items.outputs();
  out.epistemic.clear();
  if (!items.errors.empty()) {
    read_numbers(items.errors, "error", out, out.error);
    out.mean.clear();
  } else {
    if (items.passes() > 1) {
      read_passes(items.mean, out);
    } else if (!items.mean.empty()) {
      read_numbers(items.mean.front(), "mean", out, out.mean);
    }
    out.error.clear();
    if (!items.targets.empty()) {
      read_numbers(items.targets, "target", out, out.error);
      for (std::size_t k = 0; k < out.error.size(); ++k) out.error[k] -= out.mean[k];
    }
  }
  read_spread(items, out);
  out.weight.clear();
  if (!items.weights.empty()) {
    out.weight.resize(out.size);
    items.weights.read(begin, end, out.weight);
    for (std::int64_t i = 0; i < out.size; ++i)
      if (!(out.weight[i] >= 0 && out.weight[i] <= kMaxWeight))
        refuse_value(items.weights, "weight", begin + i, 0, out.weight[i],
                     "a weight must be a number from 0 to 1e12");
  }
}

}  // namespace plumb
