#include "evaluate/omnibus.hpp"

#include <algorithm>
#include <cmath>

namespace plumb::detail {
namespace {

constexpr double kRounding = 1e-12;  // what differs by less is a tie

/// Share of all values that are as large, for each of them.
std::vector<double> tail_ranks(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> out;
  for (const double x : values)
    out.push_back(static_cast<double>(
        sorted.end() - std::lower_bound(sorted.begin(), sorted.end(), x - kRounding * std::fabs(x))));
  return out;
}

}  // namespace

void add_omnibus(Selection& part) {
  for (const std::string_view key : kOmnibus)
    if (!part.has(key)) part.add(*find_metric(key));
}

double smallest_rank_p(std::span<const std::vector<double>> rows) {
  const std::size_t tests = rows[0].size();
  std::vector<std::vector<double>> ranks(rows.size());
  for (std::size_t t = 0; t < tests; ++t) {
    std::vector<double> values;
    for (const auto& row : rows) values.push_back(row[t]);
    const std::vector<double> rank = tail_ranks(values);
    for (std::size_t r = 0; r < rows.size(); ++r) ranks[r].push_back(rank[r]);
  }
  // Of equal smallest ranks the next smallest decide: many rows share the smallest.
  for (auto& r : ranks) std::sort(r.begin(), r.end());
  const auto as_far = std::count_if(ranks.begin(), ranks.end(), [&](const auto& r) { return r <= ranks[0]; });
  return static_cast<double>(as_far) / static_cast<double>(rows.size());
}

std::optional<double> omnibus_p(const Scores& observed, std::span<const Drawn> null) {
  if (null.empty()) return std::nullopt;
  std::vector<std::vector<double>> rows(1 + null.size());
  for (const std::string_view key : kOmnibus) {
    const auto at = observed.find(key);
    if (at == observed.end() || !at->second) continue;
    rows[0].push_back(std::fabs(*at->second.value));
    for (std::size_t r = 0; r < null.size(); ++r)
      rows[1 + r].push_back(std::fabs(null[r].scores.find(key)->second.value.value_or(0)));
  }
  if (rows[0].empty()) return std::nullopt;
  return smallest_rank_p(rows);
}

}  // namespace plumb::detail
