#include "plumb/evaluate/case_compare.hpp"

#include <algorithm>
#include <future>
#include <limits>
#include <set>

#include "evaluate/case_draws.hpp"
#include "evaluate/checks.hpp"
#include "evaluate/compare_parts.hpp"
#include "evaluate/describe.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/resample/resample.hpp"

namespace plumb::detail {
namespace {

/// What the cases of one model add up to.
struct ModelSums {
  std::optional<StreamSums> all;
  std::optional<CaseDraws> draws;
  std::vector<Scores> cases;
};

/// Metrics that can be read off sums; the others are refused if they were asked for.
Selection summed(const EvaluateOptions& o, const Items& items) {
  const Selection all = select_metrics(o, task_kind(items));
  return all.part([&](const MetricRow& row) {
    const bool streams = kStreamingProducts.has(run_of(row).needs(all.binary));
    if (!streams && asked_by_name(o, row.key))
      throw InputError("⟦metrics⟧: " + std::string(row.key) +
                       " needs all voxels sorted, and over cases only sums are compared; leave it out");
    return streams;
  });
}

void check_same_votes(const Case& first, const std::string& model, const Case& c) {
  if (first.items.classes() != c.items.classes())
    throw InputError("it has " + counted(c.items.classes(), "class") + " for model " + model + " and " +
                     std::to_string(first.items.classes()) + " for the first; compare models of one task");
  if (first.items.size() != c.items.size())
    throw InputError("it has " + counted(c.items.size(), "voxel") + " for model " + model + " and " +
                     std::to_string(first.items.size()) + " for the first; choose the same voxels, by roi");
  if (first.raters != c.raters)
    throw InputError("its raters differ for model " + model + "; name the same masks in every manifest");
  if (first.unit != c.unit)
    throw InputError("its group is " + first.unit + " for the first model and " + c.unit + " for model " +
                     model);
  constexpr std::int64_t kBlock = 1 << 16;
  std::vector<std::int32_t> a, b;
  for (std::int64_t begin = 0; begin < c.items.size(); begin += kBlock) {
    const std::int64_t end = std::min(c.items.size(), begin + kBlock);
    first.items.votes.read_ratings(begin, end, a);
    c.items.votes.read_ratings(begin, end, b);
    if (a != b)
      throw InputError("its masks differ for model " + model + "; name the same masks in every manifest");
  }
}

class CaseComparer {
 public:
  CaseComparer(const std::vector<CaseModel>& models, const CasesOptions& options)
      : models_(models), o_(options.evaluate), grouped_(options.grouped), sums_(models.size()) {}

  void add(std::size_t model, const Case& c) {
    if (model == 0) begin(c);
    if (model > 0) check_same_votes(first_, models_[model].name, c);
    check_items(c.items);
    check_table_size(c.items.classes(), o_.bins);
    EvaluateOptions one = o_;
    one.bootstrap = 0;
    Progress silent({}, o_.cancel);
    const Prepared prepared(c.items, selection_, one, false, Product::event_table);
    Observed own = prepared.observe(silent);
    check_mass(c.items, own.sums.event.total());
    ModelSums& to = sums_[model];
    to.cases.push_back(std::move(own.scores));
    if (o_.bootstrap > 0) {
      if (!to.draws) to.draws.emplace(o_, c.items.classes());
      to.draws->add(c.unit, own.sums);
    }
    if (to.all) {
      to.all->merge(own.sums);
    } else {
      to.all = std::move(own.sums);
    }
  }

  CaseComparison finish(const std::string& reference) {
    CaseComparison out;
    std::vector<std::string> names;
    for (const CaseModel& m : models_) names.push_back(m.name);
    for (Comparison* c : {&out.pooled, &out.means}) {
      name_models(names, reference, *c);
      c->classes = classes_;
      c->unit = grouped_ ? "group" : "case";
    }
    pool(out.pooled);
    out.means.items = std::ssize(units_);
    out.means.votes = out.pooled.votes;
    out.means.replicates = out.pooled.replicates;
    mean(out.means);
    return out;
  }

 private:
  void begin(const Case& c) {
    if (units_.empty()) {
      selection_ = summed(o_, c.items);
      classes_ = c.items.classes();
    } else if (classes_ != c.items.classes()) {
      throw InputError("it has " + counted(c.items.classes(), "class") + ", and the cases before it have " +
                       std::to_string(classes_));
    }
    units_.push_back(c.unit);
    items_ += c.items.size();
    first_ = c;
  }

  void pool(Comparison& out) const {
    const FinishOptions how{o_.bins, o_.clip, o_.leave_out, classes_ == 2, false, o_.threads};
    const bool several = sums_.front().all->several_votes;
    const SampleSize size = o_.bootstrap > 0 ? sums_.front().draws->size(several) : SampleSize{};
    const MetricRow& ece = *find_metric("ece");  // the verdict needs it, asked for or not
    Selection scored = selection_;
    if (!scored.has(ece.key)) scored.add(ece);
    std::vector<Scored> scores;
    for (const ModelSums& m : sums_) {
      Scored& s = scores.emplace_back();
      s.observed.sums = *m.all;
      detail::finish(scored, Products(*m.all, kStreamingProducts, how), s.observed.scores);
      if (size.units < 2) continue;
      s.draws = m.draws->boot(scored, how);
      s.null = m.draws->null(scored.part(read_from_signs), how);
      s.p_value = Inference(s.observed, s.draws, s.null, size, scored.binary, o_).result(ece).p_value;
    }
    out.items = items_;
    out.votes = narrow<std::int64_t>(sums_.front().all->event.total().votes);
    out.replicates = size.units < 2 ? 0 : o_.bootstrap;
    if (o_.bootstrap > 0)
      if (std::string note = few_units_note(size.units, true); !note.empty()) out.notes.push_back(note);
    add_metrics(scores, selection_, size, o_.bootstrap, o_, out);
  }

  [[nodiscard]] std::optional<double> value(std::size_t model, std::size_t i, const MetricRow& row) const {
    const auto at = sums_[model].cases[i].find(std::string(row.key));
    return at == sums_[model].cases[i].end() ? std::nullopt : at->second.value;
  }

  /// The mean of `values` with each case as often as its unit is in the draw; NaN for an empty draw.
  [[nodiscard]] double drawn_mean(const std::vector<double>& values, const std::vector<std::size_t>& cases,
                                  std::uint32_t replicate) const {
    ExactSum sum;
    std::uint64_t count = 0;
    for (std::size_t k = 0; k < cases.size(); ++k) {
      const std::uint32_t n = random_poisson(o_.seed, replicate, hash_name(units_[cases[k]]));
      for (std::uint32_t j = 0; j < n; ++j) sum.add(values[k]);
      count += n;
    }
    return count > 0 ? sum.value() / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
  }

  void mean(Comparison& out) const {
    const bool few = std::set<std::string>(units_.begin(), units_.end()).size() < kFewestTestedUnits;
    std::vector<DrawnDifference> tests;
    for (const MetricRow* row : selection_.rows) {
      if (row->better != Better::lower && row->better != Better::higher) continue;
      std::vector<std::size_t> cases;  // with a value for every model
      for (std::size_t i = 0; i < units_.size(); ++i) {
        bool all = true;
        for (std::size_t m = 0; m < models_.size(); ++m) all = all && value(m, i, *row);
        if (all) cases.push_back(i);
      }
      if (cases.empty()) continue;
      ComparedMetric metric;
      metric.key = row->key;
      metric.better = row->better;
      metric.interval = "percentile";
      for (std::size_t m = 0; m < models_.size(); ++m) metric.values.push_back(mean_of(m, cases, *row));
      for (const auto& [from, to] : pairs_of(models_.size(), out.reference)) {
        std::vector<double> values, replicates;
        for (const std::size_t i : cases) values.push_back(*value(to, i, *row) - *value(from, i, *row));
        for (int r = 0; r < out.replicates; ++r)
          replicates.push_back(drawn_mean(values, cases, narrow<std::uint32_t>(r)));
        ExactSum sum;
        for (const double v : values) sum.add(v);
        const double difference = sum.value() / static_cast<double>(values.size());
        Difference d = difference_of(difference, replicates, Interval::percentile, o_.level);
        if (few) d.p_value = std::nullopt;
        if (d.p_value) tests.push_back({difference, std::move(replicates)});
        d.from = from;
        d.to = to;
        metric.differences.push_back(std::move(d));
      }
      out.metrics.push_back(std::move(metric));
    }
    judge_models(tests, o_.level, out);
  }

  [[nodiscard]] MetricResult mean_of(std::size_t model, const std::vector<std::size_t>& cases,
                                     const MetricRow& row) const {
    ExactSum sum;
    for (const std::size_t i : cases) sum.add(*value(model, i, row));
    MetricResult out;
    out.value = sum.value() / static_cast<double>(cases.size());
    return out;
  }

  const std::vector<CaseModel>& models_;
  const EvaluateOptions& o_;
  bool grouped_;
  std::vector<ModelSums> sums_;
  Selection selection_;
  std::vector<std::string> units_;  // by case
  Case first_;
  std::int64_t items_ = 0;
  int classes_ = 0;
};

}  // namespace
}  // namespace plumb::detail

namespace plumb {

using namespace detail;

CaseComparison compare_cases(std::span<const std::string> names, const std::vector<CaseModel>& models,
                             const CasesOptions& options, const std::string& reference) {
  const EvaluateOptions& o = options.evaluate;
  check_options(o);
  if (o.binning == Binning::mass) throw InputError("⟦manifest⟧ needs ⟦binning⟧ width");
  std::vector<std::string> called;
  for (const CaseModel& m : models) called.push_back(m.name);
  Comparison unused;
  name_models(called, reference, unused);  // before anything is read
  Progress progress(o.progress, o.cancel);
  const std::int64_t per_case = std::ssize(models), n = std::ssize(names) * per_case;
  progress.expect(static_cast<double>(n));
  const auto begin = [&](std::int64_t i) {
    return i < n ? std::async(std::launch::async, [&, i] { return models[i % per_case].read(i / per_case); })
                 : std::future<Case>();
  };
  CaseComparer comparer(models, options);
  std::future<Case> next = begin(0);
  for (std::int64_t i = 0; i < n; ++i) {
    try {
      const Case c = next.get();
      next = begin(i + 1);
      comparer.add(i % per_case, c);
    } catch (const InputError& e) {
      throw InputError("case " + names[i / per_case] + " of model " + models[i % per_case].name + ": " +
                       e.sentence());
    }
    progress.add(1);
  }
  return comparer.finish(reference);
}

}  // namespace plumb
