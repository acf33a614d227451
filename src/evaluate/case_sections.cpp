// Sections of a result over cases: each rater, each slice, each case and their spread.
#include <algorithm>
#include <cmath>

#include "evaluate/case_pool.hpp"
#include "evaluate/case_regions.hpp"
#include "evaluate/runs.hpp"
#include "evaluate/tables.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/quantile.hpp"

namespace plumb::detail {
namespace {

Value value_or_null(const std::optional<double>& x) { return x ? Value(*x) : Value{}; }

Tree tree_of(const KeyedValues& values) {
  Tree::Members out;
  for (const auto& [key, value] : values) out.emplace_back(key, Tree(value_or_null(value)));
  return out;
}

Tree overlap_tree(const CaseRow& row) {
  Tree::Members raters;
  for (std::size_t r = 0; r < row.raters.size(); ++r) {
    const RaterOverlap& o = row.overlap->raters[r];
    raters.emplace_back(row.raters[r], Tree::Members{{"volume", o.volume},
                                                     {"dice", Tree(value_or_null(o.dice))},
                                                     {"soft_dice", Tree(value_or_null(o.soft_dice))}});
  }
  return Tree::Members{{"predicted", row.overlap->predicted},
                       {"expected", row.overlap->expected},
                       {"voxel_mm3", row.voxel_mm3 > 0 ? Tree(row.voxel_mm3) : Tree(Value{})},
                       {"raters", std::move(raters)}};
}

Tree region_tree(const CaseRow& row) {
  Tree::Members out;
  for (const RegionRow& r : row.regions)
    out.emplace_back(r.name, Tree::Members{{"items", Tree(Value(r.items))},
                                           {"votes", Tree(Value(r.votes))},
                                           {"metrics", tree_of(r.metrics)}});
  return out;
}

/// Over the raters of a case.
std::optional<double> mean_of(const CaseOverlap& overlap, std::optional<double> RaterOverlap::*which) {
  double sum = 0, n = 0;
  for (const RaterOverlap& r : overlap.raters)
    if (r.*which) sum += *(r.*which), ++n;
  return n > 0 ? std::optional<double>(sum / n) : std::nullopt;
}

Tree spread(std::vector<double> values) {
  ExactSum sum, squares;
  for (const double v : values) sum.add(v);
  const auto n = static_cast<double>(values.size());
  const double mean = sum.value() / n;
  for (const double v : values) squares.add((v - mean) * (v - mean));
  const Value sd = n > 1 ? Value(std::sqrt(squares.value() / (n - 1))) : Value{};
  std::sort(values.begin(), values.end());
  return Tree::Members{{"mean", mean},
                       {"sd", Tree(sd)},
                       {"median", quantile_sorted(values, 0.5)},
                       {"cases", Tree(Value(static_cast<std::int64_t>(values.size())))}};
}

}  // namespace

void add_rater_sections(const std::vector<NamedSums>& raters, const Selection& selection,
                        const FinishOptions& options, Result& result) {
  const Selection single = selection.part([&](const MetricRow& row) {
    return row.needs != Needs::pairs && kByRater.has(run_of(row).needs(selection.binary));
  });
  Tree::Members out;
  for (const NamedSums& rater : raters) {
    Scores scores;
    detail::finish(single, Products(rater.sums, kByRater, options), scores);
    KeyedValues values;
    for (const MetricRow* row : single.rows)
      if (row->key != "ece_corrected") values.emplace_back(row->key, scores.at(std::string(row->key)).value);
    out.emplace_back(rater.name, tree_of(values));
  }
  if (!out.empty()) result.sections.emplace_back("per_rater", std::move(out));
}

void add_region_section(const std::vector<NamedSums>& regions, const std::vector<CaseRow>& cases,
                        const Selection& selection, const FinishOptions& options, Result& result) {
  if (regions.empty()) return;
  const Selection part = region_metrics(selection);
  Tree::Members out;
  Table reliability;
  for (const NamedSums& region : regions) {
    Table own_bins = reliability_rows(region.sums.event, {}, 0);
    if (reliability.columns.empty()) {
      reliability.columns = {"region"};
      reliability.columns.insert(reliability.columns.end(), own_bins.columns.begin(), own_bins.columns.end());
    }
    for (std::vector<Value>& bin : own_bins.rows) {
      bin.insert(bin.begin(), region.name);
      reliability.rows.push_back(std::move(bin));
    }
    std::int64_t items = 0, votes = 0, in = 0;
    for (const CaseRow& row : cases)
      for (const RegionRow& r : row.regions)
        if (r.name == region.name) items += r.items, votes += r.votes, ++in;
    Tree::Members own{{"items", Tree(Value(items))},
                      {"votes", Tree(Value(votes))},
                      {"cases", Tree(Value(in))},
                      {"metrics", tree_of(region_values(region.sums, part, options))}};
    if (region.sums.by_class.size() > 2) {
      Tree::Members classes;
      for (std::size_t k = 0; k < region.sums.by_class.size(); ++k) {
        const std::string name = k < result.class_names.size() ? result.class_names[k] : std::to_string(k);
        classes.emplace_back(name, Tree(value_or_null(ece(region.sums.by_class[k]).value)));
      }
      own.emplace_back("ece_of_class", std::move(classes));
    }
    out.emplace_back(region.name, std::move(own));
  }
  result.sections.emplace_back("regions", std::move(out));
  result.tables.emplace_back("region_reliability", std::move(reliability));
  result.notes.emplace_back(
      "regions are selected by votes, so that even a calibrated model's forecasts look wrong there: use them to compare models, not to evaluate one");
}

void add_case_slices(const std::vector<std::vector<NamedState>>& slices, const CasesOptions& options,
                     Result& result) {
  for (std::size_t i = 0; i < slices.size(); ++i)
    for (const NamedState& slice : slices[i]) {
      const Result r = plumb::finish(slice.state, options.evaluate);
      GroupResult g{slice.name, r.items, r.votes, {}, options.by[i], {}};
      for (const auto& [key, m] : r.metrics)
        if (m.value) {
          g.metrics.emplace_back(key, m.value);
          if (options.evaluate.bootstrap > 0 && find_metric(key)->headline.has(Place::slices))
            g.interval_why.emplace_back(key, "slices of cases are not resampled");
        }
      result.per_group.push_back(std::move(g));
    }
}

void add_case_rows(const std::vector<CaseRow>& cases, bool grouped, Result& result) {
  Tree::List list;
  Tree::Members over;
  for (const CaseRow& row : cases) {
    Tree::Members m{{"case", Tree(Value(row.name))}};
    if (grouped) m.emplace_back("group", Tree(Value(row.unit)));
    m.emplace_back("items", Tree(Value(row.items)));
    m.emplace_back("votes", Tree(Value(row.votes)));
    m.emplace_back("metrics", tree_of(row.metrics));
    if (row.overlap) m.emplace_back("overlap", overlap_tree(row));
    if (!row.regions.empty()) m.emplace_back("regions", region_tree(row));
    list.emplace_back(std::move(m));
  }
  for (std::size_t k = 0; k < cases.front().metrics.size(); ++k) {
    std::vector<double> values;
    for (const CaseRow& row : cases)
      if (k < row.metrics.size() && row.metrics[k].second) values.push_back(*row.metrics[k].second);
    if (!values.empty()) over.emplace_back(cases.front().metrics[k].first, spread(std::move(values)));
  }
  result.sections.emplace_back("cases", std::move(over));
  Tree::Members overlap;
  for (const auto& [name, which] :
       {std::pair("dice", &RaterOverlap::dice), std::pair("soft_dice", &RaterOverlap::soft_dice)}) {
    std::vector<double> values;
    for (const CaseRow& row : cases)
      if (row.overlap)
        if (const auto v = mean_of(*row.overlap, which)) values.push_back(*v);
    if (!values.empty()) overlap.emplace_back(name, spread(std::move(values)));
  }
  if (!overlap.empty()) result.sections.emplace_back("overlap", std::move(overlap));
  result.sections.emplace_back("per_case", std::move(list));
}

}  // namespace plumb::detail
