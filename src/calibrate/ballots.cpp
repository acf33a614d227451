#include "calibrate/ballots.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plumb/data/check.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb::detail {
namespace {

constexpr std::int64_t kTallyBlock = 4096;

struct Counts {
  Tally tally;
  ExactSum mass;
  std::vector<ExactSum> by_class;
  Ballots ballots;
};

}  // namespace

void read_ballots(const Items& items, std::int64_t begin, std::int64_t end, Ballots& out) {
  items.votes.read(begin, end, out.votes);
  if (items.weights.empty()) return;
  out.weight.resize(end - begin);
  items.weights.read(begin, end, out.weight);
  for (std::int64_t i = 0; i < end - begin; ++i) {
    const double w = out.weight[i];
    if (w >= 0 && w <= kMaxWeight) continue;
    throw InputError(fmt::format("{} is {}; a weight must be a number from 0 to 1e12",
                                 items.weights.where(begin + i), show(w)));
  }
}

Tally part_of_tally(const Items& items, int threads) {
  Counts none;
  none.by_class.resize(items.classes());
  const Counts all = parallel_reduce_blocks(
      items.size(), kTallyBlock, threads, none,
      [&](Counts& c, std::int64_t begin, std::int64_t end) {
        read_ballots(items, begin, end, c.ballots);
        for (std::int64_t i = 0; i < end - begin; ++i) {
          const double mass = c.ballots.mass(i);
          if (mass == 0) {
            ++(c.ballots.votes.votes(i) == 0 ? c.tally.without_votes : c.tally.without_weight);
            continue;
          }
          ++c.tally.items;
          c.tally.votes += c.ballots.votes.votes(i);
          c.mass.add(mass);
          c.ballots.for_each(i, [&](std::uint32_t k, double share) { c.by_class[k].add(share); });
        }
      },
      [](Counts& into, const Counts& from) {
        for (const auto m : {&Tally::items, &Tally::votes, &Tally::without_votes, &Tally::without_weight})
          into.tally.*m += from.tally.*m;
        into.mass.merge(from.mass);
        for (std::int64_t k = 0; k < std::ssize(into.by_class); ++k) into.by_class[k].merge(from.by_class[k]);
      });
  Tally t = all.tally;
  t.mass = all.mass.value();
  for (const ExactSum& s : all.by_class) t.class_mass.push_back(s.value());
  return t;
}

Tally tally(const Items& items, int threads) {
  const Tally t = part_of_tally(items, threads);
  if (t.items == 0)
    throw InputError(fmt::format("{} has no vote to fit on: {} without votes, {} of weight 0",
                                 items.votes.rows().name(), counted(t.without_votes, "item"),
                                 counted(t.without_weight, "item")));
  return t;
}

bool lacks_class(const Tally& tally) {
  return std::any_of(tally.class_mass.begin(), tally.class_mass.end(), [](double m) { return !(m > 0); });
}

std::string separation() { return "The scores separate the classes"; }

void describe(const Tally& tally, const Items& items, std::int64_t clipped, FitReport& report) {
  report.items = tally.items;
  report.votes = tally.votes;
  if (tally.without_votes > 0)
    report.warnings.push_back(counted(tally.without_votes, "item") + " without votes left out.");
  if (clipped > 0)
    report.warnings.push_back(
        clipped == 1 ? "1 probability was clipped at 1e-12 before the logarithm."
                     : fmt::format("{} probabilities were clipped at 1e-12 before the logarithm.", clipped));
  std::int64_t absent = 0, last = 0;
  for (std::int64_t k = 0; k < std::ssize(tally.class_mass); ++k) {
    if (tally.class_mass[k] > 0) continue;
    ++absent;
    last = k;
  }
  if (absent == 0) return;
  const auto name = [&](std::int64_t k) {
    return items.class_names.empty() ? std::to_string(k) : items.class_names[k];
  };
  report.warnings.push_back(
      absent == 1 ? fmt::format("Class {} has no vote: the fit says nothing about it.", name(last))
                  : fmt::format("{} of {} classes have no vote: the fit says nothing about them.", absent,
                                tally.class_mass.size()));
}

}  // namespace plumb::detail
