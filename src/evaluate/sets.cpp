#include "plumb/evaluate/sets.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/data/check.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/special.hpp"
#include "plumb/resample/interval.hpp"

namespace plumb {
namespace {

constexpr int kMostRatersOfSets = 1000;

/// A ratio of sums, value over weight, with its variance between units: items, or so many groups.
class UnitRatio {
 public:
  explicit UnitRatio(std::size_t groups = 0) : groups_(groups) {}
  void add(std::uint64_t unit, double value, double weight) {
    if (!(weight > 0)) return;
    value_.add(value);
    weight_.add(weight);
    ++items_;
    if (groups_.empty()) {
      for (const auto& [sum, term] : {std::pair(&vv_, value * value), std::pair(&vw_, value * weight),
                                      std::pair(&ww_, weight * weight)})
        sum->add(term);
      return;
    }
    Group& g = groups_[unit];
    g.value.add(value);
    g.weight.add(weight);
    units_ += g.items++ == 0 ? 1 : 0;
  }
  [[nodiscard]] std::int64_t items() const { return items_; }
  [[nodiscard]] std::int64_t units() const { return groups_.empty() ? items_ : units_; }
  [[nodiscard]] double ratio() const { return value_.value() / weight_.value(); }
  /// Of the ratio, linearised; absent for fewer than two units.
  [[nodiscard]] std::optional<double> variance() const {
    if (units() < 2) return std::nullopt;
    const double p = ratio(), n = static_cast<double>(units()), w = weight_.value();
    double squares = vv_.value() - 2 * p * vw_.value() + p * p * ww_.value();
    for (const Group& g : groups_) {
      const double residual = g.value.value() - p * g.weight.value();
      squares += residual * residual;
    }
    return std::max(0.0, squares) / (w * w) * n / (n - 1);
  }

 private:
  struct Group {
    ExactSum value, weight;
    std::int64_t items = 0;
  };
  std::vector<Group> groups_;
  ExactSum value_, weight_, vv_, vw_, ww_;
  std::int64_t items_ = 0, units_ = 0;
};

Coverage coverage_of(std::string against, const UnitRatio& r, bool grouped, double level) {
  Coverage out{std::move(against), r.items(), {}, {}, {}};
  if (r.items() == 0) return out;
  const double p = std::clamp(r.ratio(), 0.0, 1.0);
  out.value = p;
  const auto variance = r.variance();
  if (!variance) return out;
  // Where all units agree the variance says nothing; each unit is then one observation.
  double n = static_cast<double>(r.units());
  if (p > 0 && p < 1 && *variance > 0) n = p * (1 - p) / *variance;
  if (grouped) {
    const double z = normal_quantile((1 + level) / 2);
    const double factor = student_factor(z, static_cast<double>(r.units() - 1));
    n /= factor * factor;
  }
  const Bounds b = wilson_bounds(p, n, level);
  out.low = b.low;
  out.high = b.high;
  return out;
}

class SetReader {
 public:
  explicit SetReader(const Rows& sets) : sets_(sets), row_(sets.width()) {}
  std::span<const double> operator()(std::int64_t i) {
    sets_.read(i, i + 1, row_);
    for (std::size_t k = 0; k < row_.size(); ++k)
      if (row_[k] != 0 && row_[k] != 1)
        throw InputError(sets_.where(i) + ", column " + std::to_string(k) + ": " + show(row_[k]) +
                         " is neither 0 nor 1; a set has 1 for each class in it");
    return row_;
  }

 private:
  const Rows& sets_;
  std::vector<double> row_;
};

}  // namespace

SetsResult evaluate_sets(const Rows& sets, const Votes& votes, const Names& groups,
                         const std::vector<Names>& by, const SetsOptions& o) {
  check_level(o.level);
  check_same_rows(sets.name(), sets.rows(), votes.rows().name(), votes.items());
  if (sets.width() != votes.classes())
    throw InputError(sets.name() + " has " + counted(sets.width(), "column") + " for " +
                     counted(votes.classes(), "class") + "; a set has a column for each class");
  if (!groups.empty()) check_same_rows(sets.name(), sets.rows(), groups.source(), groups.size());
  const int classes = votes.classes();
  const bool grouped = !groups.empty();
  VoteBlock block;
  votes.read(0, votes.items(), block);
  Judgements judgements;
  const int raters = votes.raters() <= kMostRatersOfSets ? votes.raters() : 0;
  if (raters > 0) votes.read_judgements(0, votes.items(), judgements);

  SetsResult out;
  const UnitRatio none(groups.distinct().size());
  UnitRatio of_votes = none, of_majority = none, size = none;
  std::vector<UnitRatio> of_rater(raters, none), of_size(classes + 1, none), of_class(classes, none);
  std::vector<std::vector<UnitRatio>> of_slice;
  for (const Names& names : by) of_slice.emplace_back(names.distinct().size(), none);
  SetReader read(sets);
  std::vector<std::uint32_t> top;
  for (std::int64_t i = 0; i < votes.items(); ++i) {
    const std::uint32_t n = block.votes(i);
    if (n == 0) continue;
    const std::span<const double> set = read(i);
    const std::uint64_t unit = grouped ? groups.code(i) : i;
    double held = 0;
    int members = 0;
    for (const double x : set) members += x == 1 ? 1 : 0;
    for (int k = 0; k < classes; ++k) {
      const double share = 1.0 * block.hits(i, static_cast<std::uint32_t>(k)) / n;
      held += share * set[k];
      of_class[k].add(unit, share * set[k], share);
    }
    of_votes.add(unit, held, 1);
    of_size[members].add(unit, held, 1);
    size.add(unit, members, 1);
    for (std::size_t b = 0; b < by.size(); ++b) of_slice[b][by[b].code(i)].add(unit, held, 1);
    out.empty += members == 0 ? 1 : 0;
    out.votes += n;
    block.majority_classes(i, top);
    if (n > 2) {
      double right = 0, whole = 0;
      for (int k = 0; k < classes; ++k) {
        const double share = majority_share(top, static_cast<std::uint32_t>(k), {o.ties, o.seed}, i);
        if (share <= 0) continue;
        right += share * set[k];
        whole += share;
      }
      of_majority.add(unit, right, whole);
    }
    if (raters == 0) continue;
    for (std::int64_t j = judgements.offset[i]; j < judgements.offset[i + 1]; ++j)
      of_rater[judgements.rater[j]].add(unit, set[judgements.cls[j]], 1);
  }
  if (of_votes.items() == 0) throw InputError(votes.rows().name() + ": no item has a vote");
  out.items = of_votes.items();
  const auto covered = [&](std::string name, const UnitRatio& r) {
    return coverage_of(std::move(name), r, grouped, o.level);
  };
  out.coverage.push_back(covered("votes", of_votes));
  if (of_majority.items() > 0) out.coverage.push_back(covered("majority", of_majority));
  for (int r = 0; r < raters; ++r) out.coverage.push_back(covered(votes.rater_name(r), of_rater[r]));
  for (int s = 0; s <= classes; ++s)
    if (of_size[s].items() > 0) out.by_size.push_back(covered(std::to_string(s), of_size[s]));
  for (int k = 0; k < classes; ++k) out.by_class.push_back(covered(std::to_string(k), of_class[k]));
  for (std::size_t b = 0; b < by.size(); ++b)
    for (std::size_t g = 0; g < of_slice[b].size(); ++g)
      out.by_slice.push_back(covered(by[b].title() + " " + by[b].distinct()[g], of_slice[b][g]));
  out.mean_size = out.size_low = out.size_high = size.ratio();
  if (const auto variance = size.variance()) {
    const double z = normal_quantile((1 + o.level) / 2);
    const double half =
        z * std::sqrt(*variance) * (grouped ? student_factor(z, static_cast<double>(size.units() - 1)) : 1);
    out.size_low = std::max(0.0, out.mean_size - half);
    out.size_high = std::min<double>(classes, out.mean_size + half);
  }
  return out;
}

}  // namespace plumb
