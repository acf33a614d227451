#include "plumb/regression/quantiles.hpp"

#include <algorithm>
#include <cmath>

#include "plumb/data/check.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/progress.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/numeric/special.hpp"
#include "plumb/resample/resample.hpp"
#include "plumb/resample/slices.hpp"
#include "regression/intervals.hpp"

namespace plumb {
namespace {

constexpr std::int64_t kQuantileBlock = 2048;
constexpr double kFewMisses = 80;
constexpr std::int64_t kQuantileDraws = 32;  // that share the terms of a block

enum class TermKind { loss, share, width };

/// What is averaged over items, in the order of the terms of a block.
struct QuantileTerm {
  std::string key;  // empty: only in the tables
  TermKind kind = TermKind::loss;
};

/// pinball, crossing; score, coverage, width of each pair; frequency and loss of each level.
std::vector<QuantileTerm> terms_of(std::span<const double> levels, const std::vector<CentralPair>& pairs) {
  std::vector<QuantileTerm> out{{"pinball", TermKind::loss}, {"crossing", TermKind::share}};
  for (const CentralPair& pair : pairs) {
    const std::string name = level_name(pair.level);
    out.push_back({"interval_score_" + name, TermKind::loss});
    out.push_back({"coverage_" + name, TermKind::share});
    out.push_back({"width_" + name, TermKind::width});
  }
  for (std::size_t l = 0; l < levels.size(); ++l) {
    out.push_back({"", TermKind::share});
    out.push_back({"", TermKind::loss});
  }
  return out;
}

struct QuantileBlock {
  std::vector<double> quantile, target, weight, terms;  // terms: item by item
};

void read_terms(const QuantileItems& items, const std::vector<CentralPair>& pairs, std::size_t width,
                std::int64_t begin, std::int64_t end, QuantileBlock& out) {
  const std::size_t n = end - begin, q = items.levels.size();
  out.quantile.resize(n * q);
  out.target.resize(n);
  out.weight.assign(n, 1.0);
  out.terms.resize(n * width);
  items.quantiles.read(begin, end, out.quantile);
  items.targets.read(begin, end, out.target);
  if (!items.weights.empty()) items.weights.read(begin, end, out.weight);
  for (std::size_t i = 0; i < n; ++i) {
    const double y = out.target[i], w = out.weight[i];
    if (!std::isfinite(y))
      throw InputError(items.targets.where(begin + static_cast<std::int64_t>(i)) + " is " + show(y) +
                       "; targets must be finite numbers");
    if (!(w >= 0 && w <= kMaxWeight))
      throw InputError(items.weights.where(begin + static_cast<std::int64_t>(i)) + " is " + show(w) +
                       "; weights must be at least 0 and at most 1e12");
    const std::span<const double> row = std::span(out.quantile).subspan(i * q, q);
    double* t = out.terms.data() + i * width;
    double crossing = 0, loss = 0;
    for (std::size_t l = 0; l < q; ++l) {
      if (!std::isfinite(row[l]))
        throw InputError(items.quantiles.where(begin + static_cast<std::int64_t>(i)) + ", column " +
                         std::to_string(l) + ", is " + show(row[l]) + "; quantiles must be finite numbers");
      if (l > 0 && row[l] < row[l - 1]) crossing = 1;
      const double miss = y - row[l];
      const double pinball = miss >= 0 ? items.levels[l] * miss : (items.levels[l] - 1) * miss;
      loss += pinball;
      double* of_level = t + 2 + 3 * pairs.size() + 2 * l;
      of_level[0] = y <= row[l] ? 1 : 0;
      of_level[1] = pinball;
    }
    t[0] = loss / static_cast<double>(q);
    t[1] = crossing;
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const double low = row[pairs[p].low], high = row[pairs[p].high];
      const double outside = std::max({low - y, y - high, 0.0});
      t[2 + 3 * p] = high - low + 2 / (1 - pairs[p].level) * outside;
      t[3 + 3 * p] = low <= y && y <= high ? 1 : 0;
      t[4 + 3 * p] = high - low;
    }
  }
}

/// The columns that say what is resampled, as a regression has them.
RegressionItems units_like(const QuantileItems& items) {
  RegressionItems out;
  out.errors = items.targets;
  out.weights = items.weights;
  out.groups = items.groups;
  return out;
}

class QuantileScores {
 public:
  QuantileScores(const QuantileItems& items, const QuantileOptions& o, double wider)
      : items_(items),
        o_(o),
        wider_(wider),
        pairs_(central_pairs(items.levels)),
        terms_(terms_of(items.levels, pairs_)),
        like_(units_like(items)),
        sample_(detail::regression_sample(like_)) {}

  void compute(Progress& progress) {
    values_ = observed();
    if (values_.empty() || o_.bootstrap == 0 || sample_.units < 2) return;
    replicates_.assign(terms_.size(), std::vector<double>(o_.bootstrap, 0.0));
    const std::vector<std::uint64_t> units = regression_units(like_);
    progress.expect(o_.bootstrap);
    parallel_blocks(o_.bootstrap, kQuantileDraws, o_.threads,
                    [&](int, std::int64_t first, std::int64_t last) {
                      draw(first, last, units);
                      progress.add(static_cast<double>(last - first));
                    });
  }

  [[nodiscard]] bool empty() const { return values_.empty(); }
  [[nodiscard]] const std::vector<QuantileTerm>& terms() const { return terms_; }
  [[nodiscard]] const std::vector<CentralPair>& pairs() const { return pairs_; }
  [[nodiscard]] double units() const { return sample_.units; }

  [[nodiscard]] MetricResult result(std::size_t t, double level) const {
    MetricResult m;
    if (values_.empty()) {
      m.why = kNoItems;
      return m;
    }
    m.value = values_[t];
    if (o_.bootstrap == 0) return m;
    if (replicates_.empty()) {
      m.interval_why =
          "there is only one " + std::string(items_.groups.empty() ? "item" : "group") + " to resample";
      return m;
    }
    const bool share = terms_[t].kind == TermKind::share;
    Bounds b = share ? detail::coverage_bounds(*m.value, replicates_[t], sample_, level)
                     : detail::mean_bounds(*m.value, replicates_[t], sample_, level);
    // Few misses bring most of an interval score, and its spread is then uncertain, too.
    if (terms_[t].key.starts_with("interval_score")) {
      const double misses =
          (1 - values_[t + 1]) * (items_.groups.empty() ? sample_.effective : sample_.units);
      if (misses < kFewMisses) {
        const double longer = student_factor(normal_quantile((1 + level) / 2), std::max(misses / 2, 5.0));
        b = {*m.value - longer * (*m.value - b.low), *m.value + longer * (b.high - *m.value)};
      }
    }
    if (!share && b.high - b.low <= 0) {
      m.interval_why = "all replicates have the same value, which does not show how uncertain it is";
      return m;
    }
    if (terms_[t].kind == TermKind::loss && terms_[t].key == "pinball") b.low = std::max(b.low, 0.0);
    m.low = b.low;
    m.high = b.high;
    m.interval = share ? "wilson" : "skewed t";
    return m;
  }

  [[nodiscard]] GroupResult slice(const std::string& name) const {
    GroupResult out{name, items_.size(), 0, {}};
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      if (terms_[t].key.empty()) continue;
      const MetricResult m = result(t, o_.level), wide = result(t, wider_);
      out.metrics.emplace_back(terms_[t].key, m.value);
      if (m.low)
        out.intervals.emplace_back(terms_[t].key,
                                   SliceInterval{*m.low, *m.high, m.interval, *wide.low, *wide.high});
      if (!m.interval_why.empty()) out.interval_why.emplace_back(terms_[t].key, m.interval_why);
    }
    return out;
  }

 private:
  std::vector<double> observed() const {
    struct State {
      std::vector<ExactSum> sum;
      ExactSum weight;
      QuantileBlock block;
    };
    State start;
    start.sum.resize(terms_.size());
    const State all = parallel_reduce_blocks(
        items_.size(), kQuantileBlock, o_.threads, start,
        [&](State& s, std::int64_t begin, std::int64_t end) {
          read_terms(items_, pairs_, terms_.size(), begin, end, s.block);
          for (std::int64_t i = 0; i < end - begin; ++i) {
            s.weight.add(s.block.weight[i]);
            for (std::size_t t = 0; t < terms_.size(); ++t)
              s.sum[t].add(s.block.weight[i] * s.block.terms[i * terms_.size() + t]);
          }
        },
        [](State& into, const State& from) {
          into.weight.merge(from.weight);
          for (std::size_t t = 0; t < into.sum.size(); ++t) into.sum[t].merge(from.sum[t]);
        });
    std::vector<double> out;
    const double w = all.weight.value();
    for (const ExactSum& sum : all.sum)
      if (w > 0) out.push_back(sum.value() / w);
    return out;
  }

  /// Replicates [first, last): every block is read once for all of them, always in the same order.
  void draw(std::int64_t first, std::int64_t last, std::span<const std::uint64_t> units) {
    const std::size_t width = terms_.size();
    std::vector<std::vector<double>> sums(last - first, std::vector<double>(width, 0.0));
    std::vector<double> weight(last - first, 0.0);
    std::vector<std::uint32_t> times;
    QuantileBlock block;
    for (std::int64_t begin = 0; begin < items_.size(); begin += kQuantileBlock) {
      const std::int64_t end = std::min(items_.size(), begin + kQuantileBlock);
      read_terms(items_, pairs_, width, begin, end, block);
      times.resize(end - begin);
      for (std::int64_t r = first; r < last; ++r) {
        fill_poisson(o_.seed, static_cast<std::uint32_t>(r), units.subspan(begin, end - begin), times);
        for (std::int64_t i = 0; i < end - begin; ++i) {
          const double w = times[i] * block.weight[i];
          if (w == 0) continue;
          weight[r - first] += w;
          for (std::size_t t = 0; t < width; ++t) sums[r - first][t] += w * block.terms[i * width + t];
        }
      }
    }
    for (std::int64_t r = first; r < last; ++r)
      for (std::size_t t = 0; t < width; ++t)
        replicates_[t][r] = weight[r - first] > 0 ? sums[r - first][t] / weight[r - first] : values_[t];
  }

  const QuantileItems& items_;
  QuantileOptions o_;
  double wider_;
  std::vector<CentralPair> pairs_;
  std::vector<QuantileTerm> terms_;
  RegressionItems like_;
  detail::RegressionUnits sample_;
  std::vector<double> values_;
  std::vector<std::vector<double>> replicates_;  // by term
};

void add_quantile_tables(const QuantileItems& items, const QuantileScores& scores, const QuantileOptions& o,
                         Result& r) {
  const std::size_t first = scores.terms().size() - 2 * items.levels.size();
  Table quantiles{{"level", "frequency", "low", "high", "pinball"}, {}};
  for (std::size_t l = 0; l < items.levels.size(); ++l) {
    const MetricResult share = scores.result(first + 2 * l, o.level),
                       loss = scores.result(first + 2 * l + 1, o.level);
    quantiles.rows.push_back({items.levels[l], share.value ? Value(*share.value) : Value(),
                              share.low ? Value(*share.low) : Value(),
                              share.high ? Value(*share.high) : Value(),
                              loss.value ? Value(*loss.value) : Value()});
  }
  r.tables.emplace_back("quantiles", std::move(quantiles));
  Table intervals{{"level", "coverage", "mean_width"}, {}};
  for (std::size_t p = scores.pairs().size(); p-- > 0 && !scores.empty();)
    intervals.rows.push_back({scores.pairs()[p].level, *scores.result(3 + 3 * p, o.level).value,
                              *scores.result(4 + 3 * p, o.level).value});
  r.tables.emplace_back("intervals", std::move(intervals));
}

}  // namespace

QuantileItems QuantileItems::gather(std::span<const std::int64_t> rows) const {
  QuantileItems out{quantiles.gather(rows), levels, targets.gather(rows), {}, {}, {}};
  if (!weights.empty()) out.weights = weights.gather(rows);
  if (!groups.empty()) out.groups = groups.gather(rows);
  for (const Names& names : by) out.by.push_back(names.gather(rows));
  return out;
}

void check_quantiles(const QuantileItems& items, bool with_targets) {
  if (items.levels.empty())
    throw InputError("no levels given; say which quantiles these are with ⟦quantile_levels⟧ 0.05,0.5,0.95");
  for (std::size_t l = 0; l < items.levels.size(); ++l)
    if (!(items.levels[l] > 0 && items.levels[l] < 1) || (l > 0 && !(items.levels[l] > items.levels[l - 1])))
      throw InputError("⟦quantile_levels⟧ must ascend and lie between 0 and 1; " + show(items.levels[l]) +
                       " does not");
  const auto q = std::ssize(items.levels);
  if (items.quantiles.width() != q)
    throw InputError(items.quantiles.name() + " has " + counted(items.quantiles.width(), "column") + " for " +
                     counted(q, "level") + "; give one of ⟦quantile_levels⟧ for each column");
  if (!with_targets) return;
  if (items.targets.empty()) throw InputError("no targets given; add ⟦targets⟧");
  if (items.targets.width() != 1)
    throw InputError(items.targets.name() + " has several columns; quantiles have one target each");
  const auto same_rows = [&](const std::string& name, std::int64_t rows) {
    check_same_rows(items.quantiles.name(), items.size(), name, rows);
  };
  same_rows(items.targets.name(), items.targets.rows());
  if (!items.weights.empty()) same_rows(items.weights.name(), items.weights.rows());
  if (!items.groups.empty()) same_rows(items.groups.source(), items.groups.size());
  for (const Names& by : items.by) same_rows(by.source(), by.size());
}

std::vector<CentralPair> central_pairs(std::span<const double> levels) {
  constexpr double kSameLevel = 1e-9;  // 1 - 0.05 is not quite 0.95
  std::vector<CentralPair> out;
  for (std::size_t l = 0; l < levels.size() && levels[l] < 0.5 - kSameLevel; ++l)
    for (std::size_t h = l + 1; h < levels.size(); ++h)
      if (std::abs(levels[l] + levels[h] - 1) < kSameLevel) out.push_back({l, h, 1 - 2 * levels[l]});
  return out;
}

std::string level_name(double level) {
  std::string out = show(std::round(level * 1e8) / 1e6);
  std::replace(out.begin(), out.end(), '.', '_');
  return out;
}

Result evaluate_quantiles(const QuantileItems& items, const QuantileOptions& o) {
  check_quantiles(items);
  check_level(o.level);
  check_threads(o.threads);
  check_bootstrap(o.bootstrap);
  if (items.size() == 0) throw InputError("there are no items");
  Progress progress(o.progress, o.cancel);
  QuantileScores scores(items, o, o.level);
  scores.compute(progress);
  if (scores.empty())
    throw InputError(items.weights.name() +
                     ": all weights are zero; give at least one item a positive weight");
  Result r;
  r.version = version();
  r.command = "evaluate";
  r.task = "regression";
  r.items = items.size();
  r.settings = {{"quantile_levels", items.levels},
                {"bootstrap", std::int64_t{o.bootstrap}},
                {"level", o.level},
                {"seed", o.seed},
                {"unit", std::string(items.groups.empty() ? "item" : "group")}};
  for (std::size_t t = 0; t < scores.terms().size(); ++t)
    if (!scores.terms()[t].key.empty())
      r.metrics.emplace_back(scores.terms()[t].key, scores.result(t, o.level));
  if (o.bootstrap > 0)
    if (std::string note = few_units_note(static_cast<std::int64_t>(scores.units()), !items.groups.empty());
        !note.empty())
      r.notes.push_back(std::move(note));
  if (scores.pairs().empty())
    r.notes.push_back(
        "no two levels are the ends of a central interval, such as 0.05 and 0.95, so there are no interval scores");
  add_quantile_tables(items, scores, o, r);
  std::int64_t slices = 0;
  for (const Names& by : items.by) slices += std::ssize(by.distinct());
  for (const Names& by : items.by) {
    std::vector<std::vector<std::int64_t>> rows(by.distinct().size());
    for (std::int64_t i = 0; i < items.size(); ++i) rows[by.code(i)].push_back(i);
    for (std::size_t c = 0; c < rows.size(); ++c) {
      QuantileItems part = items.gather(rows[c]);
      part.by = {};
      QuantileOptions own = o;
      const bool many = slices > kMostSliceIntervals;
      if (many || drawable_units(units_like(part)) < kEnoughUnits) own.bootstrap = 0;
      QuantileScores slice(part, own, simultaneous_level(o.level, slices));
      Progress quiet({}, o.cancel);
      slice.compute(quiet);
      r.per_group.push_back(slice.slice(by.distinct()[c]));
      r.per_group.back().by = by.title();
    }
  }
  if (o.bootstrap > 0 && slices > 0)
    if (std::string note = slices_note(slices, o.level); !note.empty()) r.notes.push_back(std::move(note));
  return r;
}

}  // namespace plumb
