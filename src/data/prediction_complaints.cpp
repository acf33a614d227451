#include "data/shared/complaints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/shared/block_kernels.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/predictions.hpp"

namespace plumb::detail {
namespace {

constexpr double kRounding = 1e-6;

void check_column(const Rows& rows, std::int64_t row, double p) {
  if (!(p < 0 || p > 1)) return;
  if (p < 0 ? p > -kRounding : p < 1 + kRounding)
    throw InputError(fmt::format(
        "{} is {}; a probability must lie in [0, 1]; it looks like a rounding error: set it to {}",
        rows.where(row), show(p), p < 0 ? 0 : 1));
  throw InputError(
      fmt::format("{} is {}; a probability must lie in [0, 1]; if these are log-odds, use ⟦logits⟧{}",
                  rows.where(row), show(p), p > 1 ? ", and if they are percentages, divide by 100" : ""));
}

void check_row(const Rows& rows, std::int64_t row, std::span<const double> z, bool normalize) {
  const auto at = [&](auto it) { return cell_of(rows, row, it - z.begin()); };
  const auto negative = std::find_if(z.begin(), z.end(), [](double p) { return p < 0; });
  if (negative != z.end()) {
    // A single bad value does not make logits: it may be rounding (-1e-12) or a wrong subtraction.
    const auto outside = std::count_if(z.begin(), z.end(), [](double p) { return p < 0 || p > 1; });
    const char* remedy = *negative > -kRounding ? "it looks like a rounding error: set it to 0"
                         : outside > 1
                             ? "these look like logits: use ⟦logits⟧"
                             : "if these are logits, use ⟦logits⟧; otherwise correct the model's output";
    throw InputError(
        fmt::format("{} is {}; a probability must lie in [0, 1]; {}", at(negative), show(*negative), remedy));
  }
  double sum = 0;
  row_sums(z.data(), 1, std::ssize(z), &sum);
  if (normalize) {
    if (sum > 0 && std::isfinite(sum)) return;
    throw InputError(
        fmt::format("{} sums to {}; ⟦normalize⟧ needs a positive finite sum", rows.where(row), show(sum)));
  }
  const auto above = std::find_if(z.begin(), z.end(), [](double p) { return p > 1; });
  if (above != z.end()) {
    throw InputError(fmt::format(
        "{} is {}; a probability must lie in [0, 1]; use ⟦normalize⟧ to rescale rows to sum to 1, or ⟦logits⟧ if these are logits",
        at(above), show(*above)));
  }
  if (std::fabs(sum - 1) <= kSumTolerance) return;
  throw InputError(fmt::format(
      "{} sums to {:.9g}; the probabilities of an item must sum to 1 within 0.001; use ⟦normalize⟧ to rescale rows",
      rows.where(row), sum));
}

template <class Check>
[[noreturn]] void refuse(const Rows& rows, std::int64_t begin, std::int64_t end, std::string_view expected,
                         Check check) {
  std::vector<double> z(rows.width());
  for (std::int64_t row = begin; row < end; ++row) {
    rows.read(row, row + 1, z);
    const auto bad = std::find_if(z.begin(), z.end(), [](double x) { return !std::isfinite(x); });
    if (bad != z.end())
      throw InputError(
          fmt::format("{} is {}; {}", cell_of(rows, row, bad - z.begin()), show(*bad), expected));
    check(row, std::span<const double>(z));
  }
  throw std::logic_error("a block of predictions failed its check but no row of it does");
}

}  // namespace

std::string cell_of(const Rows& rows, std::int64_t row, std::int64_t column) {
  return rows.width() == 1 ? rows.where(row) : fmt::format("{}, column {}", rows.where(row), column);
}

std::string shape_of(const Rows& rows) {
  std::vector<std::int64_t> shape = rows.shards().front().shape;
  shape.front() = rows.rows();
  return fmt::format("{} is {}", rows.name(), show_shape(shape));
}

void refuse_probabilities(const Rows& rows, std::int64_t begin, std::int64_t end, bool normalize) {
  refuse(rows, begin, end,
         "a probability must be a number in [0, 1]; leave out the item or correct the model's output",
         [&](std::int64_t row, std::span<const double> z) {
           if (z.size() == 1) {
             check_column(rows, row, z[0]);
           } else {
             check_row(rows, row, z, normalize);
           }
         });
}

void refuse_logits(const Rows& rows, std::int64_t begin, std::int64_t end) {
  refuse(rows, begin, end,
         "a logit must be finite; leave out the item, or give the predictions as probabilities with ⟦probs⟧",
         [](std::int64_t, std::span<const double>) {});
}

}  // namespace plumb::detail
