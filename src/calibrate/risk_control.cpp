#include "plumb/calibrate/risk_control.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/data/check.hpp"

namespace plumb {
namespace {

constexpr std::uint32_t kCells = 1U << 16U;
constexpr std::uint64_t kCase = std::uint64_t{1} << 40U;  // the whole of a case
constexpr std::int64_t kRiskBlock = 65536;

std::uint32_t cell_of_p(double p) {
  return std::min(kCells - 1, static_cast<std::uint32_t>(p * kCells));  // times a power of two: exact
}

void check_risk_items(const Items& items) {
  check_items(items);
  if (!items.binary())
    throw InputError("risk control is about the votes for class 1 of two classes, and there are " +
                     std::to_string(items.classes()));
  if (items.votes.rows().empty())
    throw InputError("risk control needs votes; give labels, counts or ratings");
  if (!items.weights.empty())
    throw InputError("the guarantee of risk control needs exchangeable cases; leave out ⟦weights⟧");
}

}  // namespace

RiskControl::RiskControl() : found_(kCells) {}

void RiskControl::close(std::vector<std::pair<std::uint32_t, std::uint64_t>>& hits) {
  ++cases_;
  std::uint64_t all = 0;
  for (const auto& [cell, n] : hits) all += n;
  if (all == 0) return;
  ++with_event_;
  // Rounded down, so that a case never counts for more than it found.
  std::sort(hits.begin(), hits.end());
  for (std::size_t i = 0; i < hits.size();) {
    std::uint64_t here = 0;
    const std::uint32_t cell = hits[i].first;
    for (; i < hits.size() && hits[i].first == cell; ++i) here += hits[i].second;
    found_[cell] += static_cast<std::uint64_t>(static_cast<double>(here) / static_cast<double>(all) * kCase);
  }
}

void RiskControl::add_case(const Items& items) {
  check_risk_items(items);
  std::vector<std::uint64_t> by_cell(kCells);
  ItemBlock block;
  for (std::int64_t begin = 0; begin < items.size(); begin += kRiskBlock) {
    read_items(items, begin, std::min(items.size(), begin + kRiskBlock), block);
    for (std::int64_t i = 0; i < block.size; ++i) {
      by_cell[cell_of_p(block.z.z[i])] += block.votes.hits(i, 1);
      votes_ += block.votes.votes(i);
      items_ += block.votes.votes(i) > 0 ? 1 : 0;
    }
  }
  std::vector<std::pair<std::uint32_t, std::uint64_t>> hits;
  for (std::uint32_t c = 0; c < kCells; ++c)
    if (by_cell[c] > 0) hits.emplace_back(c, by_cell[c]);
  close(hits);
}

void RiskControl::add_groups(const Items& items) {
  check_risk_items(items);
  const bool grouped = !items.groups.empty();
  std::vector<std::vector<std::pair<std::uint32_t, std::uint64_t>>> cases(
      grouped ? items.groups.distinct().size() : items.size());
  std::vector<char> voted(cases.size());
  ItemBlock block;
  for (std::int64_t begin = 0; begin < items.size(); begin += kRiskBlock) {
    read_items(items, begin, std::min(items.size(), begin + kRiskBlock), block);
    for (std::int64_t i = 0; i < block.size; ++i) {
      const std::int64_t at = grouped ? items.groups.code(begin + i) : begin + i;
      if (block.votes.votes(i) == 0) continue;
      voted[at] = 1;
      ++items_;
      votes_ += block.votes.votes(i);
      if (const std::uint32_t n = block.votes.hits(i, 1); n > 0)
        cases[at].emplace_back(cell_of_p(block.z.z[i]), n);
    }
  }
  for (std::size_t c = 0; c < cases.size(); ++c)
    if (voted[c] != 0) close(cases[c]);
}

Step RiskControl::step(const std::vector<double>& levels) const {
  if (levels.empty()) throw InputError("⟦levels⟧ names no level; give one or more, as in 0.9");
  if (with_event_ == 0)
    throw InputError("no case has a vote for class 1, so there is nothing that a mask could miss");
  Step out{"sets"};
  std::vector<double> thresholds;
  std::int64_t unlimited = 0;
  constexpr double kSlack = 1e-9;  // a level is a decimal number, which binary cannot hold
  for (const double level : levels) {
    if (!(level > 0 && level < 1)) throw InputError("⟦levels⟧ must be between 0 and 1, not " + show(level));
    // sum of losses = cases with the event - what they found.
    const double most_missed = (1 - level) * static_cast<double>(cases_ + 1) - 1 + kSlack;
    double found = 0;
    std::uint32_t j = kCells;
    while (j > 0 && static_cast<double>(with_event_) - found > most_missed) {
      --j;
      found += static_cast<double>(found_[j]) / static_cast<double>(kCase);
    }
    if (most_missed < 0) j = 0;
    unlimited += most_missed < 0 ? 1 : 0;
    thresholds.push_back(static_cast<double>(j) / kCells);
  }
  out.add_parameter("level", levels);
  out.add_parameter("threshold", std::move(thresholds));
  out.fit.items = items_;
  out.fit.votes = votes_;
  out.fit.options = {
      {"risk", std::string("false-negative rate")}, {"cases", cases_}, {"cases_with_event", with_event_}};
  if (unlimited > 0)
    out.fit.warnings.push_back(counted(unlimited, "level") +
                               " cannot be promised with so few cases: everything is marked.");
  return out;
}

}  // namespace plumb
