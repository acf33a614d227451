#include "plumb/evaluate/sets.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/data/check.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/special.hpp"
#include "plumb/resample/interval.hpp"
#include "plumb/resample/unit_ratio.hpp"

namespace plumb {
namespace {

constexpr int kMostRatersOfSets = 1000;

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
  // By class and group: votes for the class in the set, and all of them.
  std::vector<std::vector<std::pair<double, double>>> group_votes(
      grouped ? classes : 0, std::vector<std::pair<double, double>>(groups.distinct().size()));
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
      if (grouped) {
        const double votes_for = block.hits(i, static_cast<std::uint32_t>(k));
        group_votes[k][unit].first += votes_for * set[k];
        group_votes[k][unit].second += votes_for;
      }
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
  for (int k = 0; grouped && k < classes; ++k) {
    UnitRatio means;
    for (const auto& [held, cast] : group_votes[k])
      if (cast > 0) means.add(0, held / cast, 1);
    out.by_class_of_groups.push_back(covered(std::to_string(k), means));
  }
  for (std::size_t b = 0; b < by.size(); ++b)
    for (std::size_t g = 0; g < of_slice[b].size(); ++g)
      out.by_slice.push_back(covered(by[b].title() + " " + by[b].distinct()[g], of_slice[b][g]));
  out.mean_size = out.size_low = out.size_high = size.ratio();
  if (const auto half = size.half_length(o.level)) {
    out.size_low = std::max(0.0, out.mean_size - *half);
    out.size_high = std::min<double>(classes, out.mean_size + *half);
  }
  return out;
}

}  // namespace plumb
