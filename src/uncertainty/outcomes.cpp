// One pass over the items: the measures asked for, and whether the model was right.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "plumb/data/check.hpp"
#include "plumb/data/forecasts.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/memory.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/uncertainty/measures.hpp"

namespace plumb {
namespace {

constexpr int kTopFive = 5;

bool needs_samples(std::string_view name) {
  return name == "variance" || name == "mutual_information" || name == "expected_entropy";
}

std::vector<std::string> wanted_measures(const Items& items, std::span<const std::string> names) {
  const bool samples = items.predictions.samples() > 1;
  if (names.empty()) {
    std::vector<std::string> all;
    for (const std::string_view name : kMeasures)
      if (samples || !needs_samples(name)) all.emplace_back(name);
    return all;
  }
  const std::vector<std::string> known(std::begin(kMeasures), std::end(kMeasures));
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw InputError("⟦measures⟧: there is no measure \"" + name + "\"" + did_you_mean(name, known) +
                       "; the measures are " + fmt::format("{}", fmt::join(known, ", ")));
    if (needs_samples(name) && !samples)
      throw InputError(
          "⟦measures⟧: " + name +
          " compares several predictions of one item; give them with ⟦samples⟧ or ⟦sample_logits⟧");
    if (std::count(names.begin(), names.end(), name) > 1)
      throw InputError("⟦measures⟧ names " + name + " twice; name it once");
  }
  return {names.begin(), names.end()};
}

/// Both classes of a binary block written out; other blocks as they are.
std::span<const double> full_rows(const PredictionBlock& block, std::vector<double>& scratch) {
  if (block.width != 1) return std::span(block.z).first(block.size * block.width);
  scratch.resize(2 * block.size);
  for (std::int64_t i = 0; i < block.size; ++i) {
    scratch[2 * i] = 1.0 - block.z[i];
    scratch[2 * i + 1] = block.z[i];
  }
  return scratch;
}

/// Sum of the five largest of each row, from the largest down: one order, whatever the order of the classes.
void five_largest(std::span<const double> z, int k, std::span<double> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    double top[kTopFive] = {};
    for (int c = 0; c < k; ++c) {
      double x = z[i * k + c];
      for (double& t : top) {  // the larger stays, the smaller moves on
        const double larger = std::max(t, x);
        x = std::min(t, x);
        t = larger;
      }
    }
    double sum = 0;
    for (const double t : top) sum += t;
    out[i] = std::min(sum, 1.0);
  }
}

/// -log p, in place; +0 at p = 1.
void minus_log(std::span<double> p) {
  log_block(p, p);
  for (double& x : p) x = 0.0 - x;
}

/// mean over votes of -log z_vote; 0 without votes.
void loss_rows(std::span<const double> z, int k, const VoteBlock& votes, std::span<double> out) {
  if (votes.single) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = z[i * k + votes.cls[i]];
    return minus_log(out);
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    double sum = 0;
    for (std::uint32_t v = votes.offset[i]; v < votes.offset[i + 1]; ++v)
      sum -= votes.count[v] * log_portable(z[i * k + votes.cls[v]]);
    out[i] = votes.total[i] == 0 ? 0.0 : sum / votes.total[i] + 0.0;
  }
}

/// None of the classes with most votes is among the `top` largest (equal probabilities: lowest class first).
bool is_wrong(std::span<const double> row, std::span<const std::uint32_t> most, int top) {
  return !most.empty() && std::none_of(most.begin(), most.end(), [&](std::int64_t m) {
    int before = 0;
    for (std::int64_t c = 0; c < std::ssize(row); ++c)
      before += row[c] > row[m] || (row[c] == row[m] && c < m);
    return before < top;
  });
}

struct Scratch {
  ItemBlock block;
  Forecasts top;
  PredictionBlock sample;
  std::vector<std::uint32_t> majority;
  std::vector<double> rows, sample_rows, entropy, expected, part;
  std::vector<std::vector<double>> samples;
};

class Pass {
 public:
  Pass(const Items& items, const std::vector<std::string>& names, int top, Measured& out)
      : items_(items), top_(top), out_(out) {
    for (const std::string& name : names) {
      Measure m{name, {}, ""};
      if (name == "u5" && items.classes() <= kTopFive)
        m.why = fmt::format("it needs more than five classes, and there are {}", items.classes());
      if (m.why.empty()) resize_large(m.values, items.size());
      out.measures.push_back(std::move(m));
    }
  }

  void read(std::int64_t begin, std::int64_t end, Scratch& s) {
    const std::int64_t n = end - begin;
    const int k = items_.classes();
    read_items(items_, begin, end, s.block);
    const std::span<const double> z = full_rows(s.block.z, s.rows);
    read_outcomes(begin, z, s);
    if (wants("entropy") || wants("mutual_information")) {
      s.entropy.resize(n);
      entropy_rows(z, k, s.entropy);
    }
    if (wants("variance") || wants("mutual_information") || wants("expected_entropy"))
      read_samples(begin, end, s);
    for (Measure& m : out_.measures) {
      if (!m.why.empty()) continue;
      const std::span<double> to = std::span(m.values).subspan(begin, n);
      if (m.name == "entropy") {
        std::copy(s.entropy.begin(), s.entropy.end(), to.begin());
      } else if (m.name == "u1") {
        largest(z, k, to);
        minus_log(to);
      } else if (m.name == "u5") {
        five_largest(z, k, to);
        minus_log(to);
      } else if (m.name == "loss") {
        loss_rows(z, k, s.block.votes, to);
      } else if (m.name == "variance") {
        variance_rows(s.samples, z, k, to);
      } else if (m.name == "expected_entropy") {
        std::copy(s.expected.begin(), s.expected.end(), to.begin());
      } else {
        for (std::int64_t i = 0; i < n; ++i) to[i] = std::max(0.0, s.entropy[i] - s.expected[i]);
      }
    }
  }

 private:
  [[nodiscard]] bool wants(std::string_view name) const {
    return std::any_of(out_.measures.begin(), out_.measures.end(),
                       [&](const Measure& m) { return m.name == name && m.why.empty(); });
  }

  static void largest(std::span<const double> z, int k, std::span<double> out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      double most = z[i * k];
      for (int c = 1; c < k; ++c) most = std::max(most, z[i * k + c]);
      out[i] = most;
    }
  }

  void read_outcomes(std::int64_t begin, std::span<const double> z, Scratch& s) {
    if (top_ == 1) {
      project(s.block, Event::top, s.top);
    } else {
      project_top(s.block, top_, s.top);
    }
    Outcomes& o = out_.outcomes;
    const int k = items_.classes();
    std::copy(s.top.hits.begin(), s.top.hits.end(), o.hits.begin() + begin);
    if (!o.weight.empty()) std::copy(s.top.weight.begin(), s.top.weight.end(), o.weight.begin() + begin);
    for (std::int64_t i = 0; i < s.block.size; ++i) {
      if (!o.trials.empty()) o.trials[begin + i] = s.block.votes.votes(i);
      s.block.votes.majority_classes(i, s.majority);
      o.wrong[begin + i] =
          s.block.votes.single ? s.top.hits[i] == 0 : is_wrong(z.subspan(i * k, k), s.majority, top_);
    }
  }

  void read_samples(std::int64_t begin, std::int64_t end, Scratch& s) {
    const std::int64_t n = end - begin;
    const int count = items_.predictions.samples();
    s.samples.resize(count);
    s.expected.assign(n, 0.0);
    s.part.resize(n);
    for (int i = 0; i < count; ++i) {
      items_.predictions.read_sample(i, begin, end, s.sample);
      const std::span<const double> rows = full_rows(s.sample, s.sample_rows);
      s.samples[i].assign(rows.begin(), rows.end());
      entropy_rows(rows, items_.classes(), s.part);
      for (std::int64_t j = 0; j < n; ++j) s.expected[j] += s.part[j];
    }
    for (double& x : s.expected) x /= count;
  }

  const Items& items_;
  const int top_;
  Measured& out_;
};

/// Leaves out the items without mass; notes single votes.
void drop_massless(Measured& m) {
  Outcomes& o = m.outcomes;
  const auto n = o.size();
  const auto mass = [&](std::size_t i) {
    return (o.trials.empty() || o.trials[i] > 0) && (o.weight.empty() || o.weight[i] > 0);
  };
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n; ++i) kept += mass(i);
  if (kept < n) {
    o.row.reserve(kept);
    for (std::size_t i = 0; i < n; ++i)
      if (mass(i)) o.row.push_back(i);
    const auto pick = [&](auto& column) {
      if (column.empty()) return;
      for (std::size_t i = 0; i < kept; ++i) column[i] = column[o.row[i]];
      column.resize(kept);
    };
    pick(o.hits);
    pick(o.trials);
    pick(o.weight);
    pick(o.wrong);
    for (Measure& x : m.measures) pick(x.values);
  }
  o.votes = o.trials.empty() ? kept : 0;
  for (const double t : o.trials) o.votes += static_cast<std::int64_t>(t);
  if (std::all_of(o.trials.begin(), o.trials.end(), [](double t) { return t == 1; })) o.trials = {};
}

}  // namespace

Measured measure_items(const Items& items, std::span<const std::string> names, int top, int threads) {
  if (items.size() == 0) throw InputError(items.predictions.sources().front().name() + " has no items");
  if (items.size() > std::numeric_limits<std::uint32_t>::max())
    throw InputError("more than 4294967295 items cannot be sorted; score them in parts");
  if (top >= items.classes())
    throw InputError(fmt::format("⟦top⟧ {}: with {} classes every answer would be right; use ⟦top⟧ 1", top,
                                 items.classes()));
  Measured out;
  const std::int64_t n = items.size();
  resize_large(out.outcomes.hits, n);
  if (items.votes.kind() != Votes::Kind::labels) resize_large(out.outcomes.trials, n);
  if (!items.weights.empty()) resize_large(out.outcomes.weight, n);
  resize_large(out.outcomes.wrong, n);
  Pass pass(items, wanted_measures(items, names), top, out);
  std::vector<Scratch> scratch(resolve_threads(threads));
  parallel_blocks(
      items.size(), block_rows(items), threads,
      [&](int worker, std::int64_t begin, std::int64_t end) { pass.read(begin, end, scratch[worker]); });
  drop_massless(out);
  if (out.outcomes.size() == 0)
    throw InputError(items.votes.rows().name() +
                     ": no item has a vote of positive weight, so there is nothing to evaluate against");
  return out;
}

Measure own_measure(const std::string& name, const Rows& rows, const Items& items, const Outcomes& outcomes) {
  if (rows.is_text()) throw InputError(rows.name() + " holds text; a score is one number per item");
  if (rows.width() != 1)
    throw InputError(
        fmt::format("{} has {} numbers per item; a score is one number per item (⟦score⟧ {}=FILE)",
                    rows.name(), rows.width(), name));
  check_same_rows(items.predictions.sources().front().name(), items.size(), rows.name(), rows.rows());
  Measure m{name, std::vector<double>(rows.rows()), ""};
  rows.read(0, rows.rows(), m.values);
  for (std::int64_t i = 0; i < std::ssize(m.values); ++i)
    if (!std::isfinite(m.values[i]))
      throw InputError(
          fmt::format("{} is {}; a score must be a finite number", rows.where(i), show(m.values[i])));
  if (!outcomes.row.empty()) {
    for (std::size_t i = 0; i < outcomes.size(); ++i) m.values[i] = m.values[outcomes.row[i]];
    m.values.resize(outcomes.size());
  }
  return m;
}

}  // namespace plumb
