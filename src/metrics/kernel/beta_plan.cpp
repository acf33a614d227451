#include "plumb/metrics/kernel/beta_plan.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "metrics/kernel/beta_layout.hpp"
#include "metrics/kernel/beta_point.hpp"
#include "metrics/kernel/box_kernels.hpp"
#include "metrics/kernel/chebyshev.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb {
namespace {

using detail::beta_point;
using detail::BetaBox;
using detail::BetaLayout;
using detail::BetaPoint;
using detail::Block;
using detail::chebyshev_analysis;
using detail::chebyshev_node;
using detail::evaluate_series;
using detail::Grid;
using detail::kFarShare;
using detail::kFarthest;
using detail::make_block;
using detail::Series;

// Rounding of the sums over a row, relative to the mass seen.
constexpr double kRounding = 4e-15;

using Points = std::array<BetaPoint, kMoments>;

Points points_of(const BetaBox& box, bool upper, double n) {
  Points p;
  for (int m = 0; m < kMoments; ++m) {
    const double alpha = box.centre + box.half * chebyshev_node(m);
    p[m] = beta_point({alpha / n, upper}, n);
  }
  return p;
}

}  // namespace

// The blocks of one target box of the lower side, by source box in ascending order of q. The upper side is
// its mirror image. A block is made when it is first asked for: a small sample fills few boxes.
struct BetaPlan::Row {
  Row() = default;
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;
  ~Row() {
    for (const auto& b : made)
      if (const Block* const block = b.load(std::memory_order_relaxed); block != &kFar) delete block;
  }
  // Null where the kernel has died down. Threads that ask at the same time make the same numbers.
  [[nodiscard]] const Block* block(const Rows& rows, int target, std::size_t source) const;
  // Calls apply(source, block) for the used sources that the kernel reaches, in ascending order.
  template <class Used, class Apply>
  void each(const Rows& rows, int target, Used used, Apply apply) const;

 private:
  static inline const Block kFar{};  // stands for none
  mutable std::once_flag once;
  mutable Points x{};
  mutable std::vector<std::atomic<const Block*>> made;
};

struct BetaPlan::Rows {
  explicit Rows(const BetaBoxes& boxes) : layout(boxes) {
    const int sources = layout.sources();
    for (int o = BetaBoxes::kSourceOctaves - 1; o >= 0; --o) order.push_back(o);
    for (int b = BetaBoxes::kSourceOctaves; b < sources; ++b) order.push_back(b);
    for (int i = sources - 1; i >= 0; --i) order.push_back(order[i] + sources);
    place.resize(order.size());
    for (int i = 0; i < std::ssize(order); ++i) place[order[i]] = i;
    for (const int b : order)
      points.push_back(points_of(layout.source(b % sources), b >= sources, layout.n()));
    row.resize(layout.targets());
  }
  // Absent where the kernel has died down.
  [[nodiscard]] std::optional<Block> block(const Points& x, const Points& q) const;

  BetaLayout layout;
  std::vector<int> order;      // side * sources + box, by ascending q
  std::vector<int> place;      // its inverse
  std::vector<Points> points;  // source nodes, in that order
  std::deque<Row> row;         // by target box
};

std::optional<Block> BetaPlan::Rows::block(const Points& x, const Points& q) const {
  Grid value;
  double highest = -std::numeric_limits<double>::infinity();
  for (std::size_t m = 0; m < kMoments; ++m) {
    for (std::size_t l = 0; l < kMoments; ++l) {
      value[m][l] = log_ratio(x[m], q[l], layout.n());
      highest = std::max(highest, value[m][l]);
    }
  }
  if (highest < kFarthest) return std::nullopt;
  const std::span<double> flat(value.front().data(), kMoments * kMoments);
  exp_block(flat, flat);
  return make_block(value);
}

const Block* BetaPlan::Row::block(const Rows& rows, int target, std::size_t source) const {
  std::call_once(once, [&] {
    x = points_of(rows.layout.target(target), false, rows.layout.n());
    made = std::vector<std::atomic<const Block*>>(rows.points.size());
  });
  const Block* block = made[source].load(std::memory_order_acquire);
  if (block == nullptr) {
    const std::optional<Block> fresh = rows.block(x, rows.points[source]);
    const Block* const mine = fresh ? new Block(*fresh) : &kFar;
    if (made[source].compare_exchange_strong(block, mine, std::memory_order_acq_rel)) {
      block = mine;
    } else if (mine != &kFar) {
      delete mine;
    }
  }
  return block == &kFar ? nullptr : block;
}

template <class Used, class Apply>
void BetaPlan::Row::each(const Rows& rows, int target, Used used, Apply apply) const {
  // The target's own box among the sources, then outward until the kernel has died down: it falls on
  // both sides.
  const int own = target < BetaBoxes::kSourceOctaves ? target
                  : target < BetaBoxes::kTargetOctaves
                      ? BetaBoxes::kSourceOctaves - 1
                      : target - BetaBoxes::kTargetOctaves + BetaBoxes::kSourceOctaves;
  const std::size_t middle = rows.place[own];
  std::size_t first = middle;
  for (std::size_t q = middle; q-- > 0;) {
    if (!used(q)) continue;
    if (block(rows, target, q) == nullptr) break;
    first = q;
  }
  for (std::size_t q = first; q < rows.points.size(); ++q) {
    if (!used(q)) continue;
    const Block* const b = block(rows, target, q);
    if (b == nullptr) break;
    apply(q, *b);
  }
}

BetaPlan::BetaPlan(double bandwidth, double accuracy)
    : boxes_(bandwidth, accuracy), accuracy_(accuracy), rows_(std::make_unique<Rows>(boxes_)) {}
BetaPlan::~BetaPlan() = default;
BetaPlan::BetaPlan(BetaPlan&&) noexcept = default;
BetaPlan& BetaPlan::operator=(BetaPlan&&) noexcept = default;

const BetaPlan::Row& BetaPlan::row(int target) const { return rows_->row[target]; }

namespace {

struct Moments {
  std::vector<Series> w, wy;   // in ascending order of q
  std::vector<double> before;  // mass of all boxes before
};

Moments moments_of(const BetaSums& sums, const std::vector<int>& order) {
  Moments m{std::vector<Series>(order.size()), std::vector<Series>(order.size()),
            std::vector<double>(order.size() + 1)};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::int64_t at = std::int64_t{order[i]} * kMoments;
    for (std::size_t k = 0; k < kMoments; ++k) {
      m.w[i][k] = sums.moments.w[at + k].value();
      m.wy[i][k] = sums.moments.wy[at + k].value();
    }
    m.before[i + 1] = m.before[i] + m.w[i][0];
  }
  return m;
}

}  // namespace

BetaValues BetaPlan::values(const BetaSums& sums, int threads) const {
  if (sums.boxes != boxes_) throw std::invalid_argument("kernel sums and plan have different bandwidths");
  const BetaLayout& layout = rows_->layout;
  const int sources = layout.sources();
  const int targets = layout.targets();
  const Moments m = moments_of(sums, rows_->order);
  const double total = m.before.back();

  BetaValues out;
  out.boxes = boxes_;
  out.row.assign(2 * targets, 0);
  std::vector<int> wanted{-1};  // row 0: no votes
  const auto want = [&](int side, int target) {
    out.row[side * targets + target] = wanted.size();
    wanted.push_back(side * targets + target);
  };
  const auto occupied = [&](int side, int source) {
    return !sums.moments.w[(std::int64_t{side} * sources + source) * kMoments].is_zero();
  };
  for (int side = 0; side < 2; ++side) {
    const int last = BetaBoxes::kSourceOctaves - 1;
    for (int b = 0; b < last; ++b) {
      if (occupied(side, b)) want(side, b);
    }
    for (int b = last + 1; b < sources; ++b) {
      if (occupied(side, b)) want(side, b - BetaBoxes::kSourceOctaves + BetaBoxes::kTargetOctaves);
    }
    const double nearest = side == 0 ? sums.above_zero.p : 1.0 - sums.below_one.p;
    if (!occupied(side, last) || nearest > 0.5) continue;
    const int lowest = layout.target_of(nearest);
    for (int o = last; o <= lowest && lowest < BetaBoxes::kTargetOctaves; ++o) want(side, o);
  }

  const std::size_t rows = wanted.size();
  out.coefficient.assign(rows * 2 * kMoments, 0.0);
  out.error.assign(rows, std::numeric_limits<double>::infinity());
  parallel_blocks(std::ssize(wanted) - 1, 1, threads, [&](int, std::int64_t begin, std::int64_t) {
    const std::int64_t at = begin + 1;
    const bool mirror = wanted[at] >= targets;
    const int target = wanted[at] % targets;
    const auto source_of = [&](std::size_t q) { return mirror ? m.w.size() - 1 - q : q; };
    Series all{}, hits{};
    double error = 0;
    double seen = 0;
    double size = 0;
    row(target).each(
        *rows_, target, [&](std::size_t q) { return m.w[source_of(q)][0] != 0.0; },
        [&](std::size_t q, const Block& block) {
          const std::size_t source = source_of(q);
          apply_block(block, m.w[source], m.wy[source], all, hits);
          error += m.w[source][0] * block.error;
          seen += m.w[source][0];
        });
    for (const double c : all) size += std::abs(c);
    out.error[at] = 2.0 * error + std::max(0.0, total - seen) * kFarShare + kRounding * size;
    std::copy(all.begin(), all.end(), out.coefficient.begin() + at * 2 * kMoments);
    std::copy(hits.begin(), hits.end(), out.coefficient.begin() + at * 2 * kMoments + kMoments);
  });
  return out;
}

std::vector<double> BetaPlan::series_of_hits(const BetaSums& sums, const BetaValues& values,
                                             std::span<const Series> moments, std::size_t draws) const {
  const std::vector<int>& order = rows_->order;
  std::vector<char> used(order.size());  // a box without hits adds 0
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto from = moments.subspan(order[i] * draws, draws);
    used[i] = !sums.moments.w[std::int64_t{order[i]} * kMoments].is_zero() &&
              std::any_of(from.begin(), from.end(), [](const Series& m) { return m[0] != 0.0; });
  }
  std::vector<double> out(values.error.size() * draws * kMoments);
  std::vector<Series> target(draws);
  const int targets = rows_->layout.targets();
  for (int at = 0; at < std::ssize(values.row); ++at) {
    if (values.row[at] == 0) continue;
    const bool mirror = at >= targets;
    const auto source_of = [&](std::size_t q) { return mirror ? order.size() - 1 - q : q; };
    std::fill(target.begin(), target.end(), Series{});
    row(at % targets)
        .each(
            *rows_, at % targets, [&](std::size_t q) { return used[source_of(q)] != 0; },
            [&](std::size_t q, const Block& block) {
              apply_block(block, &moments[order[source_of(q)] * draws], target.data(), draws);
            });
    double* to = out.data() + std::size_t{values.row[at]} * draws * kMoments;
    for (const Series& t : target) to = std::copy(t.begin(), t.end(), to);
  }
  return out;
}

BetaEvaluator::BetaEvaluator(const BetaValues& values)
    : values_(&values), layout_(detail::shared_layout(values.boxes)) {}
BetaEvaluator::~BetaEvaluator() = default;
BetaEvaluator::BetaEvaluator(BetaEvaluator&&) noexcept = default;

void BetaEvaluator::evaluate(std::span<const double> p) {
  const std::size_t n = p.size();
  row_.resize(n), t_.resize(n), all_.resize(n), hits_.resize(n), error_.resize(n);
  layout_->locate_targets(p, row_, t_);
  for (std::size_t i = 0; i < n; ++i) {
    row_[i] = values_->row[row_[i]];
    error_[i] = values_->error[row_[i]];
  }
  evaluate_series(row_.data(), t_.data(), values_->coefficient.data(), n, all_.data(), hits_.data());
}

void BetaEvaluator::evaluate_other(std::span<const double> coefficient, std::span<double> first,
                                   std::span<double> second) const {
  evaluate_series(row_.data(), t_.data(), coefficient.data(), row_.size(), first.data(), second.data());
}

std::vector<double> log_peak_series(const BetaValues& values) {
  const BetaLayout layout(values.boxes);
  const double n = layout.n();
  const double top =
      log_beta_kernel_peak({0.0, false}, values.boxes.bandwidth) + beta_point({0.0, false}, n).rest;
  const Grid& analysis = chebyshev_analysis();
  std::vector<double> out(values.coefficient.size());
  const int targets = layout.targets();
  for (int i = 0; i < std::ssize(values.row); ++i) {
    if (values.row[i] == 0) continue;
    const Points x = points_of(layout.target(i % targets), false, n);  // the same on both sides
    double* series = out.data() + std::size_t{2 * kMoments} * values.row[i];
    for (std::size_t k = 0; k < kMoments; ++k) {
      for (std::size_t m = 0; m < kMoments; ++m) series[k] += analysis[k][m] * (top - x[m].rest);
    }
  }
  return out;
}

}  // namespace plumb
