#include "plumb/evaluate/audit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "evaluate/checks.hpp"
#include "evaluate/differences.hpp"
#include "evaluate/prepared.hpp"
#include "evaluate/slices.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/slicing.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/registry.hpp"
#include "plumb/resample/resample.hpp"
#include "plumb/resample/slices.hpp"

namespace plumb {

using namespace detail;

namespace {

constexpr int kFewestReplicates = 20;
constexpr std::int64_t kNamedSmall = 5;

/// The keys of an audit where none are asked for; some need a binary task or several votes.
std::vector<std::string> default_keys(const Items& items) {
  std::vector<std::string> out{"accuracy", "nll", "brier", "ece", "ece_corrected", "auroc"};
  if (items.binary()) out.emplace_back("oe_ratio");
  if (items.votes.kind() != Votes::Kind::labels) out.emplace_back("agreement");
  return out;
}

void check_audit(const Items& items, const AuditOptions& o) {
  if (items.by.empty())
    throw InputError(
        "an audit needs to know what to slice by; give one ⟦by⟧ or more, as in ⟦by⟧ items.csv:site");
  if (o.cross < 1 || o.cross > std::ssize(items.by))
    throw InputError("⟦cross⟧ is " + std::to_string(o.cross) + ", and there " +
                     (items.by.size() == 1 ? "is " : "are ") + counted(std::ssize(items.by), "way") +
                     " to slice; give a number from 1 to " + std::to_string(items.by.size()));
  if (o.min_items < 1) throw InputError("⟦min_items⟧ must be at least 1, not " + std::to_string(o.min_items));
  if (o.evaluate.bootstrap < kFewestReplicates)
    throw InputError(
        "an audit needs at least " + std::to_string(kFewestReplicates) +
        " replicates, since without intervals the smallest slices look worst; give ⟦bootstrap⟧ " +
        std::to_string(kAuditReplicates));
}

/// All that is known of one slice.
struct Slice {
  AuditedSlice audited;
  GroupResult group;
  bool small = false;
  std::int64_t rank = 0;
};

const SliceInterval* slice_bounds(const GroupResult& g, std::string_view key) {
  for (const auto& [name, i] : g.intervals)
    if (name == key) return &i;
  return nullptr;
}

std::optional<double> slice_value(const GroupResult& g, std::string_view key) {
  for (const auto& [name, x] : g.metrics)
    if (name == key) return x;
  return std::nullopt;
}

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

/// Of one draw; NaN where it is undefined.
double value_of(const Drawn& drawn, const MetricRow& row) {
  const auto at = drawn.scores.find(row.key);
  return at != drawn.scores.end() ? at->second.value.value_or(kUndefined) : kUndefined;
}

/// How surely a slice is bad, then how bad it looks; larger is worse.
struct Badness {
  double sure = -kUnbounded, looks = -kUnbounded;
  friend bool operator<(const Badness& a, const Badness& b) {
    return a.sure != b.sure ? a.sure < b.sure : a.looks < b.looks;
  }
};

/// By the difference where there is one, otherwise by the simultaneous interval of the slice itself. The ECE
/// of a small slice is large by chance: it looks as bad as its corrected value.
Badness badness(const Slice& s, const MetricRow& row, const RestDifference* d) {
  Badness out;
  if (d != nullptr) {
    if (!d->low) return out;
    const double worse = *d->low, better = -*d->high, size = *d->difference;
    if (row.better == Better::lower) return {worse, size};
    if (row.better == Better::higher) return {better, -size};
    return {std::max(worse, better), std::abs(size)};
  }
  const SliceInterval* i = slice_bounds(s.group, row.key);
  const auto value = slice_value(s.group, row.key);
  if (!i || !value) return out;
  if (row.better == Better::higher) return {-i->simultaneous_high, -*value};
  if (row.better != Better::lower) return {0, std::abs(*value - (row.better == Better::one ? 1 : 0))};
  return {i->simultaneous_low,
          row.key == "ece" ? slice_value(s.group, "ece_corrected").value_or(*value) : *value};
}

class Auditor {
 public:
  Auditor(const Items& items, const AuditOptions& o)
      : o_(o), ways_(with_intersections(items.by, o.cross)), items_(items), whole_(sample_size(items)) {
    items_.by = {};
    if (o_.evaluate.metrics.empty()) o_.evaluate.metrics = default_keys(items);
    o_.evaluate.consensus = false;
    rank_ = find_metric(o.rank);
    if (rank_ == nullptr) check_keys({&o.rank, 1}, metrics(), "⟦rank⟧: there is no metric");
    for (const std::string& key :
         {std::string(rank_->key), std::string(rank_->key == "ece" ? "ece_corrected" : "")})
      if (!key.empty() && !asked_by_name(o_.evaluate, key) && !asked_by_name(o_.evaluate, "all"))
        o_.evaluate.metrics.push_back(key);
    if (rank_->interval == Interval::none)
      throw InputError("⟦rank⟧ " + std::string(rank_->key) +
                       " has no interval to rank by; use ece, brier or auroc");
    selection_ = select_metrics(o_.evaluate, task_kind(items_));
    check_slices(ways_, std::ssize(selection_.rows));
    drawn_ = drawn_in_slices(selection_, false);
  }

  Result result() {
    Progress progress(o_.evaluate.progress, o_.evaluate.cancel);
    progress.expect(static_cast<double>(1 + 2 * ways_.size()));
    EvaluateOptions o = o_.evaluate;
    o.progress = {};
    Result out = evaluate(items_, o);
    progress.add(1);
    out.command = "audit";
    find_slices();
    evaluate_slices(progress);
    compare_slices(progress);
    rank_slices();
    describe(out);
    return out;
  }

 private:
  void find_slices() {
    for (std::size_t w = 0; w < ways_.size(); ++w) {
      std::vector<std::int64_t> items(ways_[w].distinct().size());
      for (std::int64_t i = 0; i < items_.size(); ++i) ++items[ways_[w].code(i)];
      for (std::size_t c = 0; c < items.size(); ++c) {
        Slice& s = slices_.emplace_back();
        s.audited = {w, c, {}, false};
        s.small = items[c] < o_.min_items;
        large_ += !s.small;
      }
    }
  }

  /// Every slice as a test set of its own: many in parallel, few one after the other on all threads.
  void evaluate_slices(Progress& progress) {
    const int threads = resolve_threads(o_.evaluate.threads);
    std::size_t first = 0;
    for (const Names& way : ways_) {
      std::vector<std::vector<std::int64_t>> rows(way.distinct().size());
      for (std::int64_t i = 0; i < items_.size(); ++i) rows[way.code(i)].push_back(i);
      const bool many = std::ssize(rows) >= 4 * threads;
      EvaluateOptions o = o_.evaluate;
      o.memory = 0;  // smaller than the whole, which was checked
      o.threads = many ? 1 : o_.evaluate.threads;
      parallel_blocks(std::ssize(rows), 1, many ? threads : 1, [&](int, std::int64_t c, std::int64_t) {
        Progress quiet({}, o.cancel);
        Slice& s = slices_[first + c];
        const Items part = items_.gather(rows[c]);
        s.group = scores_of(way.distinct()[c], part, selection_, o, quiet);
        s.group.by = way.title();
        s.audited.size = sample_size(part);
        s.audited.compared = !s.small && s.audited.size.units >= kEnoughUnits && s.group.votes > 0;
        if (!s.small && s.group.votes > 0) add_slice_intervals(part, drawn_, large_, o, quiet, s.group);
        rows[c] = {};
        progress.check();
      });
      first += rows.size();
      progress.add(1);
    }
  }

  void compare_slices(Progress& progress) {
    const EvaluateOptions& o = o_.evaluate;
    const RestDraws draws(items_, ways_, o);
    observed_ = draws.observed();
    std::vector<RestSums> drawn(o.bootstrap);
    std::vector<RestDraws::Buffers> buffers(resolve_threads(o.threads));
    parallel_blocks(o.bootstrap, 1, o.threads, [&](int worker, std::int64_t r, std::int64_t) {
      drawn[r] = draws.draw(static_cast<std::uint32_t>(r), buffers[worker]);
      progress.add(static_cast<double>(ways_.size()) / o.bootstrap);
    });
    std::vector<AuditedSlice> audited;
    for (const Slice& s : slices_) audited.push_back(s.audited);
    for (std::size_t k = 0; k < kRestKeys.size(); ++k)
      if (kRestKeys[k] == "gap" || selection_.has(kRestKeys[k]))
        differences_.emplace_back(kRestKeys[k],
                                  differences_from_rest(k, observed_, drawn, audited, whole_, o.level));
    compare_drawn(draws, audited, progress);
  }

  /// Metrics whose sums do not add up: in each replicate the slice and the rest are data sets of their own.
  void compare_drawn(const RestDraws& draws, const std::vector<AuditedSlice>& audited, Progress& progress) {
    const EvaluateOptions& o = o_.evaluate;
    const Selection part = selection_.part(has_drawn_difference);
    if (part.rows.empty()) return;
    const Prepared prepared(items_, part, o, true);
    const int threads = resolve_threads(o.threads);
    std::vector<std::vector<DrawnSides>> sides(part.rows.size(), std::vector<DrawnSides>(audited.size()));
    std::vector<std::vector<std::uint32_t>> counts(2 * threads, std::vector<std::uint32_t>(items_.size()));
    std::vector<RestDraws::Buffers> buffers(threads);
    Progress quiet({}, o.cancel);
    for (std::size_t i = 0; i < audited.size(); ++i) {
      const AuditedSlice& s = audited[i];
      const auto inside = [&](std::int64_t row) { return ways_[s.way].code(row) == s.code; };
      for (std::size_t k = 0; k < part.rows.size(); ++k)
        sides[k][i].value = slice_value(slices_[i].group, part.rows[k]->key).value_or(kUndefined);
      for (std::int64_t row = 0; row < items_.size(); ++row) counts[0][row] = inside(row) ? 0 : 1;
      const std::vector<Drawn> rest = prepared.score(part, std::array{Draw{0, counts[0]}}, threads, quiet);
      for (std::size_t k = 0; k < part.rows.size(); ++k) sides[k][i].rest = value_of(rest[0], *part.rows[k]);
      for (int first = 0; s.compared && first < o.bootstrap; first += threads) {
        const int some = std::min(threads, o.bootstrap - first);
        parallel_blocks(some, 1, threads, [&](int worker, std::int64_t r, std::int64_t) {
          std::vector<std::uint32_t>&slice = counts[2 * r], &others = counts[2 * r + 1];
          draws.counts(static_cast<std::uint32_t>(first + r), buffers[worker], slice);
          for (std::int64_t row = 0; row < items_.size(); ++row) {
            others[row] = inside(row) ? 0 : slice[row];
            slice[row] -= others[row];
          }
        });
        std::vector<Draw> both;
        for (int r = 0; r < 2 * some; ++r) both.push_back({static_cast<std::uint32_t>(first), counts[r]});
        const std::vector<Drawn> scored = prepared.score(part, both, threads, quiet);
        for (std::size_t k = 0; k < part.rows.size(); ++k)
          for (int r = 0; r < some; ++r) {
            sides[k][i].inside.push_back(value_of(scored[2 * r], *part.rows[k]));
            sides[k][i].outside.push_back(value_of(scored[2 * r + 1], *part.rows[k]));
          }
        progress.check();
      }
    }
    for (std::size_t k = 0; k < part.rows.size(); ++k)
      differences_.emplace_back(
          part.rows[k]->key,
          differences_from_draws(part.rows[k]->key, sides[k], observed_, audited, whole_, o.level));
  }

  [[nodiscard]] const RestDifference* difference(std::size_t slice, std::string_view key) const {
    for (const auto& [k, all] : differences_)
      if (k == key) return &all[slice];
    return nullptr;
  }

  void rank_slices() {
    std::vector<Badness> bad;
    for (std::size_t i = 0; i < slices_.size(); ++i)
      bad.push_back(badness(slices_[i], *rank_, difference(i, rank_->key)));
    order_.resize(slices_.size());
    std::iota(order_.begin(), order_.end(), 0u);
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return slices_[a].small != slices_[b].small ? slices_[b].small : bad[b] < bad[a];
    });
    for (std::size_t i = 0; i < order_.size(); ++i)
      slices_[order_[i]].rank = static_cast<std::int64_t>(i) + 1;
  }

  void describe(Result& out) {
    out.settings.emplace_back("cross", std::int64_t{o_.cross});
    out.settings.emplace_back("min_items", o_.min_items);
    out.settings.emplace_back("rank", std::string(rank_->key));
    Table ranks{{"rank", "by", "slice", "items", "small"}, {}};
    std::vector<std::string> small;
    for (const std::size_t i : order_) {
      const Slice& s = slices_[i];
      ranks.rows.push_back({s.rank, s.group.by, s.group.group, s.group.items, s.small});
      if (s.small) small.push_back(s.group.by + " " + s.group.group);
    }
    Table audit{
        {"metric", "by", "slice", "items", "rank", "value", "rest", "difference", "low", "high", "clear"},
        {}};
    const auto cell = [](const std::optional<double>& x) { return x ? Value(*x) : Value(); };
    for (const auto& [k, all] : differences_)
      for (const std::size_t i : order_) {
        const Slice& s = slices_[i];
        const RestDifference& d = all[i];
        audit.rows.push_back({std::string(k), s.group.by, s.group.group, s.group.items, s.rank, cell(d.value),
                              cell(d.rest), cell(d.difference), cell(d.low), cell(d.high),
                              d.low ? Value(*d.low > 0 || *d.high < 0) : Value()});
      }
    for (Slice& s : slices_) out.per_group.push_back(std::move(s.group));
    out.tables.emplace_back("audit", std::move(audit));
    out.tables.emplace_back("audit_ranks", std::move(ranks));
    if (small.empty()) return;
    std::string names;
    for (std::size_t i = 0; i < small.size() && i < kNamedSmall; ++i) names += (i > 0 ? ", " : "") + small[i];
    if (small.size() > kNamedSmall) names += " and " + std::to_string(small.size() - kNamedSmall) + " more";
    out.notes.push_back(counted(std::ssize(small), "slice") + " with fewer than " +
                        std::to_string(o_.min_items) + " items (⟦min_items⟧) " +
                        (small.size() == 1 ? "has" : "have") +
                        " values alone, without intervals and not compared: " + names);
  }

  AuditOptions o_;
  std::vector<Names> ways_;
  Items items_;
  SampleSize whole_;
  const MetricRow* rank_ = nullptr;
  Selection selection_, drawn_;
  std::vector<Slice> slices_;
  std::int64_t large_ = 0;
  RestSums observed_;
  std::vector<std::pair<std::string_view, std::vector<RestDifference>>> differences_;
  std::vector<std::size_t> order_;
};

}  // namespace

Result audit(const Items& items, const AuditOptions& options) {
  check_items(items);
  check_audit(items, options);
  check_options(options.evaluate);
  return Auditor(items, options).result();
}

}  // namespace plumb
