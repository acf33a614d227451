// Random columns and blocks for the streaming tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "plumb/data/forecasts.hpp"
#include "plumb/data/items.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/numeric/simd.hpp"

namespace plumb::test {

/// A column that owns everything a view can show.
struct Column {
  std::vector<double> p, hits, trials, weight;
  std::vector<std::uint32_t> times;
  [[nodiscard]] ForecastsView view() const { return {p, hits, trials, weight, times, true}; }
  [[nodiscard]] std::size_t size() const { return p.size(); }
  [[nodiscard]] Column pick(const std::vector<std::size_t>& rows) const {
    Column out;
    for (const std::size_t i : rows) {
      out.p.push_back(p[i]);
      out.hits.push_back(hits[i]);
      if (!trials.empty()) out.trials.push_back(trials[i]);
      if (!weight.empty()) out.weight.push_back(weight[i]);
      if (!times.empty()) out.times.push_back(times[i]);
    }
    return out;
  }
};

struct ColumnShape {
  bool trials = false, weight = false, times = false;
};

/// Probabilities of all sizes: uniform, saturated near 0 and 1, multiples of 1/64, and 0 and 1 themselves.
inline double any_probability(RandomStream& r) {
  const double u = r.uniform();
  switch (r.below(6)) {
    case 0:
      return u;
    case 1:
      return u * u * u * u * u * u;
    case 2:
      return 1.0 - u * u * u * u;
    case 3:
      return std::floor(u * 65.0) / 64.0;
    case 4:
      return static_cast<double>(static_cast<float>(u));
    default:
      return u < 0.5 ? 0.0 : 1.0;
  }
}

inline Column random_column(std::size_t n, ColumnShape shape, std::uint64_t seed) {
  RandomStream r(seed, Purpose::demo);
  Column c;
  for (std::size_t i = 0; i < n; ++i) {
    const double p = any_probability(r);
    const auto trials =
        shape.trials ? static_cast<double>(r.below(6)) : 1.0;  // items without votes among them
    double hits = 0;
    for (int v = 0; v < static_cast<int>(trials); ++v) hits += r.uniform() < 0.7 * p + 0.1 ? 1 : 0;
    c.p.push_back(p);
    c.hits.push_back(hits);
    if (shape.trials) c.trials.push_back(trials);
    if (shape.weight) c.weight.push_back(r.below(5) == 0 ? 0.0 : 3.0 * r.uniform());
    if (shape.times)
      c.times.push_back(static_cast<std::uint32_t>(r.below(20) == 0 ? r.below(3000) : r.below(9)));
  }
  return c;
}

inline std::vector<std::size_t> random_order(std::size_t n, std::uint64_t seed) {
  RandomStream r(seed, Purpose::split);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[r.below(i)]);
  return order;
}

struct BlockShape {
  int classes = 3;
  int most_votes = 1;  ///< 1: single labels; more: 0 to so many votes per item
  bool weight = false;
  double sharpness = 3;  ///< the larger, the more of a row lies in one class
};

/// Rows of probabilities with votes, as the data room would read them.
inline ItemBlock random_block(std::int64_t n, const BlockShape& shape, std::uint64_t seed) {
  RandomStream r(seed, Purpose::demo);
  ItemBlock b;
  b.size = b.z.size = b.votes.size = n;
  b.classes = shape.classes;
  b.z.width = shape.classes == 2 ? 1 : shape.classes;
  b.votes.single = shape.most_votes == 1;
  b.votes.offset.push_back(0);
  for (std::int64_t i = 0; i < n; ++i) {
    if (b.z.width == 1) {
      b.z.z.push_back(any_probability(r));
    } else {
      std::vector<double> row;
      double sum = 0;
      for (int k = 0; k < shape.classes; ++k) {
        row.push_back(r.below(7) == 0 ? 0.0 : std::pow(r.uniform(), shape.sharpness));
        sum += row.back();
      }
      if (sum == 0) row[0] = sum = 1;
      for (const double z : row) b.z.z.push_back(z / sum);
    }
    std::vector<std::uint32_t> count(static_cast<std::size_t>(shape.classes));
    const auto votes = shape.most_votes == 1 ? 1 : static_cast<std::uint32_t>(r.below(shape.most_votes + 1));
    for (std::uint32_t v = 0; v < votes; ++v) ++count[r.below(count.size())];
    for (std::uint32_t k = 0; k < count.size(); ++k) {
      if (count[k] == 0) continue;
      b.votes.cls.push_back(k);
      b.votes.count.push_back(count[k]);
    }
    b.votes.offset.push_back(static_cast<std::uint32_t>(b.votes.cls.size()));
    b.votes.total.push_back(votes);
    if (shape.weight) b.weight.push_back(r.below(5) == 0 ? 0.0 : 3.0 * r.uniform());
  }
  return b;
}

/// The rows of a block in another order, or a part of them.
inline ItemBlock pick(const ItemBlock& b, const std::vector<std::size_t>& rows) {
  ItemBlock out;
  out.size = out.z.size = out.votes.size = static_cast<std::int64_t>(rows.size());
  out.classes = b.classes;
  out.z.width = b.z.width;
  out.votes.single = b.votes.single;
  out.votes.offset.push_back(0);
  const auto width = static_cast<std::size_t>(b.z.width);
  for (const std::size_t i : rows) {
    for (std::size_t j = 0; j < width; ++j) out.z.z.push_back(b.z.z[i * width + j]);
    for (std::uint32_t v = b.votes.offset[i]; v < b.votes.offset[i + 1]; ++v) {
      out.votes.cls.push_back(b.votes.cls[v]);
      out.votes.count.push_back(b.votes.count[v]);
    }
    out.votes.offset.push_back(static_cast<std::uint32_t>(out.votes.cls.size()));
    out.votes.total.push_back(b.votes.total[i]);
    if (!b.weight.empty()) out.weight.push_back(b.weight[i]);
    if (!b.truth.empty()) out.truth.push_back(b.truth[i]);
  }
  return out;
}

/// Runs body(name) once for each SIMD target of this machine.
inline void on_every_simd_target(const std::function<void(const std::string&)>& body) {
  for (const std::string& target : simd_targets()) {
    force_simd_target(target);
    body(target);
  }
  force_simd_target("");
}

}  // namespace plumb::test
