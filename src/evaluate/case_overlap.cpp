#include "evaluate/case_overlap.hpp"

#include <cmath>
#include <numbers>

#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_columns.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/special.hpp"

namespace plumb::detail {
namespace {

void add_overlap_rows(OverlapSums& sums, const Items& items, std::int64_t begin, std::int64_t end) {
  PredictionBlock z;
  std::vector<std::int32_t> votes;
  const std::int64_t n = end - begin;
  std::vector<double> top(n);
  std::vector<std::uint32_t> label(n);
  items.predictions.read(begin, end, z);
  items.votes.read_ratings(begin, end, votes);
  top_labels(z, 0, top, label);
  const auto raters = std::ssize(sums.raters);
  for (std::int64_t i = 0; i < n; ++i) {
    const double p = z.width == 1 ? z.z[i] : 1 - z.z[i * z.width];
    const bool model = label[i] > 0;
    sums.predicted += model ? 1 : 0;
    sums.expected.add(p);
    for (std::int64_t r = 0; r < raters; ++r) {
      const std::int32_t v = votes[i * raters + r];
      if (v < 0) continue;
      RaterOverlapSums& s = sums.raters[r];
      s.rater += v > 0 ? 1 : 0;
      s.model += model ? 1 : 0;
      s.both += model && v > 0 ? 1 : 0;
      s.p.add(p);
      if (v > 0) s.p_in.add(p);
    }
  }
}

std::optional<double> dice_of(double both, double a, double b) {
  return a + b > 0 ? std::optional<double>(2 * both / (a + b)) : std::nullopt;
}

/// The same of each structure. A voxel counts for two of them at most; probabilities are added up by block.
void add_structure_rows(std::vector<OverlapSums>& sums, const Items& items, std::int64_t begin,
                        std::int64_t end) {
  PredictionBlock z;
  std::vector<std::int32_t> votes;
  const std::int64_t n = end - begin, classes = std::ssize(sums) + 1, raters = items.votes.raters();
  std::vector<double> top(n);
  std::vector<std::uint32_t> label(n);
  items.predictions.read(begin, end, z);
  items.votes.read_ratings(begin, end, votes);
  top_labels(z, 0, top, label);
  std::vector<ExactSum> p(classes);
  for (std::int64_t k = 1; k < classes; ++k) {
    add_terms(p[k], n, [&](std::size_t i) { return z.z[i * classes + k]; });
    sums[k - 1].expected.merge(p[k]);
  }
  for (const std::uint32_t k : label)
    if (k > 0) ++sums[k - 1].predicted;
  for (std::int64_t r = 0; r < raters; ++r) {
    std::vector<ExactSum> rated = p;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int32_t v = votes[i * raters + r];
      if (v < 0) {
        for (std::int64_t k = 1; k < classes; ++k) rated[k].add(-z.z[i * classes + k]);
        continue;
      }
      if (label[i] > 0) ++sums[label[i] - 1].raters[r].model;
      if (v == 0) continue;
      RaterOverlapSums& own = sums[v - 1].raters[r];
      ++own.rater;
      own.both += label[i] == static_cast<std::uint32_t>(v) ? 1 : 0;
      own.p_in.add(z.z[i * classes + v]);
    }
    for (std::int64_t k = 1; k < classes; ++k) sums[k - 1].raters[r].p.merge(rated[k]);
  }
}

/// E|X - x| - E|X - X'|/2 of a normal X (Gneiting and Raftery 2007, eq. 21).
double normal_crps(double mean, double sd, double x) {
  if (!(sd > 0)) return std::fabs(x - mean);
  const double z = (x - mean) / sd;
  const double density = exp_portable(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  return sd * (z * (2 * normal_cdf(z) - 1) + 2 * density - std::numbers::inv_sqrtpi);
}

}  // namespace

std::vector<CaseOverlap> structure_overlaps(const Items& items, int threads) {
  if (items.binary()) return {};
  OverlapSums none;
  none.raters.resize(items.votes.raters());
  const std::vector<OverlapSums> all = parallel_reduce_blocks(
      items.size(), block_rows(items), threads, std::vector<OverlapSums>(items.classes() - 1, none),
      [&](std::vector<OverlapSums>& s, std::int64_t begin, std::int64_t end) {
        add_structure_rows(s, items, begin, end);
      },
      [](std::vector<OverlapSums>& into, const std::vector<OverlapSums>& from) {
        for (std::size_t k = 0; k < into.size(); ++k) merge(into[k], from[k]);
      });
  std::vector<CaseOverlap> out;
  for (const OverlapSums& sums : all) out.push_back(finish(sums));
  return out;
}

std::optional<VolumeSpread> volume_spread(const CaseOverlap& overlap) {
  if (overlap.raters.empty()) return std::nullopt;
  VolumeSpread out;
  const auto n = static_cast<double>(overlap.raters.size());
  double sum = 0, squares = 0;
  for (const RaterOverlap& r : overlap.raters) sum += r.volume;
  out.mean = sum / n;
  if (overlap.raters.size() < 2) return out;
  for (const RaterOverlap& r : overlap.raters) squares += (r.volume - out.mean) * (r.volume - out.mean);
  out.sd = std::sqrt(squares / (n - 1));
  out.crps = normal_crps(out.mean, *out.sd, overlap.expected);
  return out;
}

void merge(OverlapSums& into, const OverlapSums& from) {
  into.predicted += from.predicted;
  into.expected.merge(from.expected);
  for (std::size_t r = 0; r < into.raters.size(); ++r) {
    RaterOverlapSums& to = into.raters[r];
    const RaterOverlapSums& s = from.raters[r];
    to.rater += s.rater;
    to.model += s.model;
    to.both += s.both;
    to.p.merge(s.p);
    to.p_in.merge(s.p_in);
  }
}

OverlapSums overlap_sums(const Items& items, int threads) {
  OverlapSums none;
  none.raters.resize(items.votes.raters());
  return parallel_reduce_blocks(
      items.size(), block_rows(items), threads, none,
      [&](OverlapSums& s, std::int64_t begin, std::int64_t end) { add_overlap_rows(s, items, begin, end); },
      [](OverlapSums& into, const OverlapSums& from) { merge(into, from); });
}

CaseOverlap finish(const OverlapSums& sums) {
  CaseOverlap out;
  out.predicted = static_cast<double>(sums.predicted);
  out.expected = sums.expected.value();
  for (const RaterOverlapSums& s : sums.raters) {
    const auto rater = static_cast<double>(s.rater);
    out.raters.push_back({rater, dice_of(static_cast<double>(s.both), static_cast<double>(s.model), rater),
                          dice_of(s.p_in.value(), s.p.value(), rater)});
  }
  return out;
}

}  // namespace plumb::detail
