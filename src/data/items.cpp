#include "plumb/data/items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/shared/block_kernels.hpp"
#include "data/shared/complaints.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb {
namespace {

/// One number per item, in [0, high], or nothing when there is no such column.
void read_column(const Rows& rows, std::int64_t begin, std::int64_t end, double high,
                 std::string_view expected, std::vector<double>& out) {
  if (rows.empty()) return out.clear();
  out.resize(end - begin);
  rows.read(begin, end, out);
  if (detail::copy_checked(out.data(), end - begin, high, out.data())) return;
  const auto bad = std::find_if(out.begin(), out.end(), [&](double x) { return !(x >= 0 && x <= high); });
  throw InputError(
      fmt::format("{} is {}; {}", rows.where(begin + (bad - out.begin())), show(*bad), expected));
}

void check_column(const Rows& rows, std::string_view what) {
  if (rows.empty()) return;
  if (rows.is_text()) throw InputError(fmt::format("{} holds text; {} must be numbers", rows.name(), what));
  if (rows.width() != 1)
    throw InputError(fmt::format("{}; {} must be one number per item", detail::shape_of(rows), what));
}

}  // namespace

Items Items::gather(std::span<const std::int64_t> rows) const {
  Items out;
  out.predictions = predictions.gather(rows);
  out.votes = votes.gather(rows);
  out.weights = weights.gather(rows);
  out.truth = truth.gather(rows);
  for (const Rows& c : concentration) out.concentration.push_back(c.gather(rows));
  if (!groups.empty()) out.groups = groups.gather(rows);
  for (const Names& b : by) out.by.push_back(b.gather(rows));
  out.class_names = class_names;
  return out;
}

void check_items(const Items& items) {
  const std::string name = items.predictions.samples() == 0 ? "" : items.predictions.sources().front().name();
  const auto same = [&](const std::string& other, std::int64_t rows) {
    check_same_rows(name, items.size(), other, rows);
  };
  const Rows& votes = items.votes.rows();
  if (!votes.empty()) {
    same(votes.name(), votes.rows());
    if (items.votes.classes() != items.classes()) {
      throw InputError(
          fmt::format("{} was read for {} classes but {} has {}; both must have the same number of classes",
                      votes.name(), items.votes.classes(), name, items.classes()));
    }
  }
  check_column(items.weights, "weights");
  if (!items.weights.empty()) same(items.weights.name(), items.weights.rows());
  check_column(items.truth, "true probabilities");
  if (!items.truth.empty()) {
    same(items.truth.name(), items.truth.rows());
    if (!items.binary()) {
      throw InputError(fmt::format(
          "{} gives true probabilities of class 1 but {} has {} classes; ⟦truth⟧ is for binary tasks",
          items.truth.name(), name, items.classes()));
    }
  }
  for (const Rows& c : items.concentration) {
    check_column(c, "concentrations");
    same(c.name(), c.rows());
  }
  if (items.concentration.size() > 1 && std::ssize(items.concentration) != items.predictions.samples()) {
    throw InputError(
        fmt::format("{} has {} but {} has {}; give one concentration per item, or one per item and sample",
                    items.concentration.front().name(), counted(std::ssize(items.concentration), "sample"),
                    name, counted(items.predictions.samples(), "sample")));
  }
  if (!items.groups.empty()) same(items.groups.source(), items.groups.size());
  for (const Names& by : items.by) same(by.source(), by.size());
  if (!items.class_names.empty()) check_class_names(items.class_names, items.classes());
}

Rows ordinary_weights(const Rows& weights, int* exponent) {
  constexpr double kOrdinary = 0x1p-30;
  constexpr std::int64_t kBlock = 65536;
  if (exponent != nullptr) *exponent = 0;
  if (weights.empty() || weights.is_text() || weights.width() != 1) return weights;
  const std::int64_t n = weights.rows();
  std::vector<double> block;
  double largest = 0;
  for (std::int64_t begin = 0; begin < n; begin += kBlock) {
    block.resize(std::min(n - begin, kBlock));
    weights.read(begin, begin + std::ssize(block), block);
    for (const double w : block) {
      if (!(w >= 0 && w < kOrdinary)) return weights;  // the first is enough in nearly all files
      largest = std::max(largest, w);
    }
  }
  if (largest == 0) return weights;
  const int power = -std::ilogb(largest);
  if (exponent != nullptr) *exponent = power;
  std::vector<double> scaled(n);
  weights.read(0, n, scaled);
  for (double& w : scaled) w = std::scalbn(w, power);
  return Rows(array_of(std::move(scaled), {n}, weights.name()));
}

std::int64_t block_rows(const Items& items) {
  constexpr std::int64_t kNumbers = 16384;  // 128 KiB of doubles: a quarter of a common second-level cache
  constexpr std::int64_t kMost = 4096;
  return std::clamp<std::int64_t>(kNumbers / std::max(1, items.predictions.width()), 1, kMost);
}

void read_items(const Items& items, std::int64_t begin, std::int64_t end, ItemBlock& out) {
  out.begin = begin;
  out.size = end - begin;
  out.classes = items.classes();
  items.predictions.read(begin, end, out.z);
  if (items.votes.rows().empty()) {
    const std::int64_t n = end - begin;
    out.votes.size = n;
    out.votes.single = false;
    out.votes.offset.assign(n + 1, 0);
    out.votes.total.assign(n, 0);
    out.votes.cls.clear();
    out.votes.count.clear();
  } else {
    items.votes.read(begin, end, out.votes);
  }
  read_column(items.weights, begin, end, kMaxWeight, "a weight must be a number from 0 to 1e12", out.weight);
  read_column(items.truth, begin, end, 1.0, "a true probability must lie in [0, 1]", out.truth);
}

Units::Units(const Items& items) : repeats_(items.repeats), count_(items.size() - std::ssize(items.repeats)) {
  if (items.groups.empty()) return;
  names_ = &items.groups;
  count_ = std::ssize(names_->distinct());
  hash_.reserve(names_->distinct().size());
  for (const std::string& name : names_->distinct()) hash_.push_back(hash_name(name));
}

std::uint64_t Units::unit_of(std::int64_t row) const {
  if (grouped()) return hash_[names_->code(row)];
  return row < count_ ? row : repeats_[row - count_];
}

void Units::read(std::int64_t begin, std::int64_t end, std::span<std::uint64_t> out) const {
  for (std::int64_t row = begin; row < end; ++row) out[row - begin] = unit_of(row);
}

}  // namespace plumb
