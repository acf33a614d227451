#include "plumb/evaluate/stability.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "evaluate/prepared.hpp"
#include "evaluate/stability_parts.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb {

using namespace detail;

namespace {

/// Rows numbered by the unit they belong to.
struct UnitIndex {
  std::vector<std::uint32_t> of_row;
  std::uint64_t count = 0;
  explicit UnitIndex(const Items& items) {
    if (items.groups.empty()) {
      count = static_cast<std::uint64_t>(items.size());
      return;
    }
    count = items.groups.distinct().size();
    for (std::int64_t i = 0; i < items.size(); ++i) of_row.push_back(items.groups.code(i));
  }
  [[nodiscard]] std::vector<std::uint32_t> rows(const std::vector<std::uint32_t>& by_unit) const {
    if (of_row.empty()) return by_unit;
    std::vector<std::uint32_t> out(of_row.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = by_unit[of_row[i]];
    return out;
  }
};

/// Counts per row of each subset of one repeat.
std::vector<std::vector<std::uint32_t>> subset_times(const UnitIndex& units,
                                                     const std::vector<double>& fractions,
                                                     const StabilityOptions& o, std::uint32_t repeat) {
  std::vector<std::vector<std::uint32_t>> out;
  for (const auto& by_unit : subset_counts(units.count, fractions, o, repeat))
    out.push_back(units.rows(by_unit));
  return out;
}

double sd_of(const std::vector<double>& v, double mean) {
  double s = 0;
  for (const double x : v) s += (x - mean) * (x - mean);
  return v.size() > 1 ? std::sqrt(s / static_cast<double>(v.size() - 1)) : 0;
}

Spread spread(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x;
  const double mean = v.empty() ? 0 : sum / static_cast<double>(v.size());
  return {mean, sd_of(v, mean)};
}

std::vector<double> variations(const Paths& paths) {
  std::vector<double> tv;
  for (const auto& p : paths) {
    double sum = 0;
    for (std::size_t i = 1; i < p.size(); ++i) sum += std::abs(p[i] - p[i - 1]);
    tv.push_back(sum);
  }
  return tv;
}

constexpr double kMostSteps = 10'000;

}  // namespace

namespace detail {

std::vector<double> fractions_of(const StabilityOptions& o) {
  std::vector<double> f;
  const int steps = static_cast<int>(std::floor((1 - o.from) / o.step + 1e-9));
  for (int i = steps; i >= 0; --i) f.push_back(std::max(o.from, 1 - i * o.step));
  if (f.front() > o.from + 1e-9) f.insert(f.begin(), o.from);
  return f;
}

std::vector<std::vector<std::uint32_t>> subset_counts(std::uint64_t units,
                                                      const std::vector<double>& fractions,
                                                      const StabilityOptions& o, std::uint32_t repeat) {
  RandomStream rng(o.evaluate.seed, Purpose::bootstrap, repeat);
  std::vector<std::uint32_t> draw(units);
  for (auto& d : draw) d = static_cast<std::uint32_t>(rng.below(units));
  std::vector<std::vector<std::uint32_t>> out;
  std::vector<std::uint32_t> by_unit(units);
  std::size_t taken = 0;
  for (const double f : fractions) {
    const auto size = static_cast<std::size_t>(std::llround(f * static_cast<double>(units)));
    if (o.subsets == Subsets::independent) {
      // A fresh random part of the same draws: the first `size` of a partial shuffle.
      for (std::size_t i = 0; i < size && i + 1 < draw.size(); ++i)
        std::swap(draw[i], draw[i + rng.below(draw.size() - i)]);
      std::fill(by_unit.begin(), by_unit.end(), 0u);
      taken = 0;
    }
    while (taken < size) ++by_unit[draw[taken++]];
    out.push_back(by_unit);
  }
  return out;
}

StabilityCurve curve_of(const Paths& paths, std::size_t fractions) {
  StabilityCurve c;
  c.repeats = static_cast<int>(paths.size());
  for (std::size_t f = 0; f < fractions; ++f) {
    std::vector<double> at;
    for (const auto& p : paths) at.push_back(p[f]);
    const Spread s = spread(at);
    c.mean.push_back(s.value);
    c.sd.push_back(s.sd);
  }
  c.tv_sum = spread(variations(paths));
  const double steps = static_cast<double>(std::max<std::size_t>(fractions, 2) - 1);
  c.tv_mean = {c.tv_sum.value / steps, c.tv_sum.sd / steps};
  return c;
}

/// Ratio of means over repeats and its standard error (delta method; repeats are paired).
void ratio_of(const Paths& single, const Paths& multi, EstimatorStability& out) {
  const auto a = variations(single);
  const auto b = variations(multi);
  const double ma = spread(a).value;
  const double mb = spread(b).value;
  if (mb == 0 || a.size() != b.size() || a.size() < 2) return;
  out.ratio = ma / mb;
  std::vector<double> residual;
  for (std::size_t i = 0; i < a.size(); ++i) residual.push_back((a[i] - *out.ratio * b[i]) / mb);
  out.ratio_se = spread(residual).sd / std::sqrt(static_cast<double>(a.size()));
}

void check_stability_options(const StabilityOptions& o, std::int64_t items) {
  if (o.estimators.empty()) throw InputError("⟦estimators⟧: name at least one metric");
  if (!(o.from > 0 && o.from < 1)) throw InputError("⟦from⟧ must be between 0 and 1, not " + show(o.from));
  if (!(o.step > 0 && o.step <= 1 - o.from + 1e-9))
    throw InputError("⟦step⟧ must be above 0 and at most 1 - from = " + show(1 - o.from) + ", not " +
                     show(o.step));
  if (o.step * static_cast<double>(items) < 0.5)
    throw InputError("⟦step⟧ " + show(o.step) + " is too fine for " + counted(items, "item") +
                     ": most steps would add no item; give more items, or a step of 1/N or more");
  if ((1 - o.from) / o.step > kMostSteps)
    throw InputError("⟦step⟧ " + show(o.step) + " makes more than 10000 steps; 0.05 is usual");
  if (o.repeats < 2 || o.repeats > 100000)
    throw InputError("⟦repeats⟧ must be between 2 and 100000, not " + std::to_string(o.repeats));
  check_bins(o.evaluate.bins);
  check_threads(o.evaluate.threads);
}

}  // namespace detail

namespace {

/// One set of votes, ready to be weighted.
struct Version {
  Items items;
  Prepared prepared;
  Version(Items i, const Selection& s, const EvaluateOptions& o)
      : items(std::move(i)), prepared(items, s, o, true) {}
  Version(const Version&) = delete;  // prepared refers to items
};

Items rater_items(const Items& items, int rater) {
  if (items.votes.raters() == 0)
    throw InputError("⟦single⟧ rater:k needs ⟦ratings⟧ or ⟦annotations⟧, which say who gave which vote");
  if (rater < 0 || rater >= items.votes.raters())
    throw InputError("⟦single⟧ rater:" + std::to_string(rater) + ": " + items.votes.rows().name() +
                     " has raters 0 to " + std::to_string(items.votes.raters() - 1));
  Items out = items;
  out.votes = items.votes.of_rater(rater);
  return out;
}

struct VoteTally {
  std::uint32_t most = 0;  // on one item
  std::int64_t all = 0;
};

VoteTally tally(const Items& items) {
  VoteTally out;
  VoteBlock block;
  const std::int64_t step = 4096;
  for (std::int64_t begin = 0; begin < items.size(); begin += step) {
    items.votes.read(begin, std::min(items.size(), begin + step), block);
    for (std::int64_t i = 0; i < block.size; ++i) {
      out.most = std::max(out.most, block.votes(i));
      out.all += block.votes(i);
    }
  }
  return out;
}

class Runner {
 public:
  Runner(const Items& items, const StabilityOptions& o, const Selection& s, double runs)
      : units_(items),
        o_(o),
        selection_(s),
        fractions_(fractions_of(o)),
        progress_(o.progress, o.evaluate.cancel) {
    progress_.expect(runs * o.repeats);
  }

  /// make(repeat) gives the version to score in that repeat (the same each time, or redrawn votes).
  template <class Make>
  std::map<std::string, Paths, std::less<>> run(const std::vector<double>& fractions, Make make) {
    std::vector<std::vector<Drawn>> all(o_.repeats);
    parallel_blocks(o_.repeats, 1, o_.evaluate.threads, [&](int, std::int64_t repeat, std::int64_t) {
      const auto number = narrow<std::uint32_t>(repeat);
      auto times = subset_times(units_, fractions, o_, number);
      decltype(auto) version = make(number);
      for (auto& t : times)  // shared majorities: further rows of the same items
        for (const std::int64_t row : version->items.repeats) t.push_back(t[row]);
      const std::vector<Draw> draws = draws_of(times);
      Progress silent({}, o_.evaluate.cancel);
      all[repeat] = version->prepared.score(selection_, draws, 1, silent);
      progress_.add(1);
    });
    std::map<std::string, Paths, std::less<>> out;
    for (const MetricRow* row : selection_.rows) {
      Paths& paths = out[std::string(row->key)];
      for (const auto& repeat : all) {
        std::vector<double> path;
        for (const Drawn& d : repeat)
          if (const auto it = d.scores.find(row->key); it != d.scores.end() && it->second)
            path.push_back(*it->second.value);
        if (path.size() == repeat.size()) paths.push_back(std::move(path));
      }
    }
    return out;
  }
  [[nodiscard]] const std::vector<double>& fractions() const { return fractions_; }
  [[nodiscard]] std::int64_t units() const { return narrow<std::int64_t>(units_.count); }

 private:
  static std::vector<Draw> draws_of(const std::vector<std::vector<std::uint32_t>>& times) {
    std::vector<Draw> out(times.size());
    for (std::int64_t i = 0; i < std::ssize(times); ++i) out[i].counts = times[i];
    return out;
  }
  UnitIndex units_;
  const StabilityOptions& o_;
  const Selection& selection_;
  std::vector<double> fractions_;
  Progress progress_;
};

}  // namespace

Stability stability(const Items& items, const StabilityOptions& o) {
  check_items(items);
  check_stability_options(o, items.size());
  EvaluateOptions e = o.evaluate;
  e.metrics = o.estimators;
  e.keys_option = "estimators";
  e.bootstrap = o.repeats;  // so that kernel keys keep their columns for the repeats
  const Selection selection = select_metrics(e, task_kind(items));
  if (selection.products.has(Product::canonical))
    throw InputError(
        "⟦estimators⟧: the time of ece_kde_canonical grows with the square of the number of items, and it has no curve; use ece_kde");
  const VoteTally votes = tally(items);
  const auto most = static_cast<int>(votes.most);
  if (most == 0)
    throw InputError(items.votes.rows().name() +
                     ": no item has a vote, so there is nothing to evaluate against");
  std::vector<int> raters = o.raters;
  if (raters.empty()) raters = {1, 2, 3, 5, 10, 20, 50};
  for (const int r : raters)
    if (r < 1) throw InputError("the number of raters must be at least 1, not " + std::to_string(r));
  std::erase_if(raters, [most](int r) { return r >= most; });

  const double runs = (most > 1 ? 2.0 : 1.0) + static_cast<double>(raters.size());
  Runner runner(items, o, selection, runs);
  const auto& fractions = runner.fractions();
  const Version multi(items, selection, e);
  const auto multi_paths = runner.run(fractions, [&](std::uint32_t) { return &multi; });

  std::map<std::string, Paths, std::less<>> single_paths;
  if (most > 1) {
    if (o.single == SingleLabel::random) {
      EvaluateOptions one = e;
      one.threads = 1;
      single_paths = runner.run(fractions, [&](std::uint32_t repeat) {
        return std::make_unique<Version>(draw_votes(items, 1, e.seed, repeat, 1), selection, one);
      });
    } else {
      const Version single(o.single == SingleLabel::majority
                               ? consensus(items, {e.ties, e.seed}, e.threads).items
                               : rater_items(items, o.rater),
                           selection, e);
      single_paths = runner.run(fractions, [&](std::uint32_t) { return &single; });
    }
  }

  Stability out;
  out.fractions = fractions;
  out.units = runner.units();
  out.items = items.size();
  out.votes = votes.all;
  const auto size_of = [&](double f) { return std::llround(f * static_cast<double>(out.units)); };
  for (const MetricRow* row : selection.rows) {
    EstimatorStability s;
    s.key = row->key;
    const Paths& paths = multi_paths.find(row->key)->second;
    s.multi = curve_of(paths, fractions.size());
    s.has_single = most > 1;
    if (s.has_single) {
      const Paths& alone = single_paths.find(row->key)->second;
      s.single = curve_of(alone, fractions.size());
      ratio_of(alone, paths, s);
    }
    for (std::size_t f = 0; f < fractions.size(); ++f)
      s.precision.push_back({size_of(fractions[f]), 0, s.multi.sd[f]});
    out.estimators.push_back(std::move(s));
  }
  for (const int r : raters) {
    EvaluateOptions one = e;
    one.threads = 1;
    const std::vector<double> full_set = {1.0};
    const auto paths = runner.run(full_set, [&](std::uint32_t repeat) {
      return std::make_unique<Version>(draw_votes(items, r, e.seed, repeat, 1), selection, one);
    });
    for (auto& s : out.estimators) {
      const StabilityCurve c = curve_of(paths.find(s.key)->second, 1);
      s.precision.push_back({out.units, r, c.sd[0]});
    }
  }
  return out;
}

}  // namespace plumb
