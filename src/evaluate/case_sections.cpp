// Sections of a result over cases: each rater, each slice, each case and their spread.
#include <algorithm>
#include <cmath>

#include "evaluate/case_pool.hpp"
#include "evaluate/case_regions.hpp"
#include "evaluate/intervals.hpp"
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

/// Volumes in voxels, those of the raters in a few numbers, and each rater.
Tree::Members overlap_members(const CaseOverlap& overlap, const std::vector<std::string>& names) {
  Tree::Members raters;
  for (std::size_t r = 0; r < names.size(); ++r) {
    const RaterOverlap& o = overlap.raters[r];
    raters.emplace_back(names[r], Tree::Members{{"volume", o.volume},
                                                {"dice", Tree(value_or_null(o.dice))},
                                                {"soft_dice", Tree(value_or_null(o.soft_dice))}});
  }
  const VolumeSpread volumes = volume_spread(overlap).value_or(VolumeSpread{});
  return {{"predicted", overlap.predicted},
          {"expected", overlap.expected},
          {"raters_mean", volumes.mean},
          {"raters_sd", Tree(value_or_null(volumes.sd))},
          {"volume_crps", Tree(value_or_null(volumes.crps))},
          {"raters", std::move(raters)}};
}

std::string structure_name(const Result& result, std::size_t structure) {
  const std::size_t cls = structure + 1;
  return cls < result.class_names.size() ? result.class_names[cls] : std::to_string(cls);
}

Tree overlap_tree(const CaseRow& row, const Result& result) {
  Tree::Members out = overlap_members(*row.overlap, row.raters);
  out.insert(out.end() - 1, {"voxel_mm3", row.voxel_mm3 > 0 ? Tree(row.voxel_mm3) : Tree(Value{})});
  Tree::Members structures;
  for (std::size_t k = 0; k < row.overlap->structures.size(); ++k)
    structures.emplace_back(structure_name(result, k),
                            overlap_members(row.overlap->structures[k], row.raters));
  if (!structures.empty()) out.emplace_back("structures", std::move(structures));
  return out;
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

/// Over cases, of the mean over raters; `of` a row with overlap.
template <class Of>
Tree::Members overlap_spread(const std::vector<CaseRow>& cases, Of of) {
  std::vector<double> dice, soft, crps;
  for (const CaseRow& row : cases) {
    const CaseOverlap* const own = row.overlap ? of(row) : nullptr;
    if (own == nullptr) continue;
    if (const auto x = mean_of(*own, &RaterOverlap::dice)) dice.push_back(*x);
    if (const auto x = mean_of(*own, &RaterOverlap::soft_dice)) soft.push_back(*x);
    if (const auto volumes = volume_spread(*own); volumes && volumes->crps) crps.push_back(*volumes->crps);
  }
  Tree::Members out;
  for (const auto& [name, values] :
       {std::pair("dice", &dice), std::pair("soft_dice", &soft), std::pair("volume_crps", &crps)})
    if (!values->empty()) out.emplace_back(name, spread(std::move(*values)));
  return out;
}

}  // namespace

void add_rater_sections(const std::vector<NamedSums>& raters, const Selection& selection,
                        const FinishOptions& how, const EvaluateOptions& options, Result& result) {
  const Selection single = part_metrics(selection, options).part([&](const MetricRow& row) {
    const ProductSet needs = run_of(row).needs(selection.binary);
    return row.needs != Needs::pairs && (kByRater.has(needs) || kByLadder.has(needs));
  });
  Tree::Members out;
  for (const NamedSums& rater : raters)
    out.emplace_back(rater.name, tree_of(part_values(rater, single, kByRater, how, options)));
  if (!out.empty()) result.sections.emplace_back("per_rater", std::move(out));
}

void add_region_section(const std::vector<NamedSums>& regions, const std::vector<CaseRow>& cases,
                        const Selection& selection, const FinishOptions& how, const EvaluateOptions& options,
                        Result& result) {
  if (regions.empty()) return;
  const Selection part = part_metrics(selection, options);
  const ProductSet products = part.products.both(kStreamingProducts) | ProductSet(Product::event_table);
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
                      {"metrics", tree_of(part_values(region, part, products, how, options))}};
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
      Result r = plumb::finish(slice.state, options.evaluate);
      if (slice.ladder) {
        const Selection by_ladder = ladder_part(
            select_metrics(options.evaluate, {r.classes == 2, false, slice.state.votes.several_votes}),
            options.evaluate);
        Scores scores = read_ladder(*slice.ladder, by_ladder, options.evaluate).scores;
        for (auto& [key, m] : r.metrics)
          if (by_ladder.has(key)) m = result_of(scores[key]);
      }
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
    if (row.overlap) m.emplace_back("overlap", overlap_tree(row, result));
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
  Tree::Members overlap = overlap_spread(cases, [](const CaseRow& row) { return &*row.overlap; });
  if (!overlap.empty()) result.sections.emplace_back("overlap", std::move(overlap));
  Tree::Members structures;
  for (std::size_t k = 0; k + 1 < static_cast<std::size_t>(result.classes); ++k) {
    Tree::Members own = overlap_spread(cases, [k](const CaseRow& row) {
      return k < row.overlap->structures.size() ? &row.overlap->structures[k] : nullptr;
    });
    if (!own.empty()) structures.emplace_back(structure_name(result, k), std::move(own));
  }
  if (!structures.empty()) result.sections.emplace_back("structures", std::move(structures));
  result.sections.emplace_back("per_case", std::move(list));
}

}  // namespace plumb::detail
